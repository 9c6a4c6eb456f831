"""The door for URLs: what may be stored and fetched at all (R-12), before any name is resolved.

The parser is strict where clients disagree with each other (backslash, userinfo, odd spellings of an
IPv4 address, percent-encoded hosts): such a URL is refused instead of guessed. What comes out is the
one reading that is later dialled, so there is no second parser to disagree with. Sources: WHATWG URL
standard (host parser, percent-encode sets, dot segments), RFC 3986, UTS #46 for names.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import quote

import idna
import msgspec

from winnow.errors import UrlRefused
from winnow.fetch.egress.addresses import is_forbidden, parse_address
from winnow.fetch.egress.allow import NOTHING, AllowList

MAX_URL = 8_192  # no site needs more; common servers refuse longer request lines
_SHAPE = re.compile(r"(https?)://([^/?#]*)([^#]*)(?:#.*)?", re.I | re.S)
# "http://a?@b/" and "http://a#@b/" have been read as user "a?" of host b by clients that look for the @ first.
_HIDDEN_USER = re.compile(r"https?://[^/?#]*[?#][^/=&]*@", re.I)
_UNSAFE_ASCII = re.compile(r"[\x00-\x20\x7f\\]")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*", re.A)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.A)  # WHATWG "ends in a number" checker
_PLAIN_TARGET = re.compile(r"/[A-Za-z0-9!$&()*+,;=:@_~/?%|\[\].-]*", re.A)
_DOTS = {".", "%2e"}, {"..", ".%2e", "%2e.", "%2e%2e"}
_PATH_SAFE = "!$&'()*+,;=:@_~/%|[].-"
_QUERY_SAFE = _PATH_SAFE.replace("'", "") + "?^`{}"

# Names that never mean a public site: RFC 6761/6762/8375/9476 special-use names, what routers, container
# and cloud networks answer to, and public names that exist only to point at private addresses.
_PRIVATE_NAMES = (
    "localhost localhost6 local internal localdomain localdomain6 intranet private corp home lan onion invalid alt "
    "arpa svc default consul docker kube workgroup mshome belkin dlink fritz.box "
    "localtest.me lvh.me vcap.me lacolhost.com localho.st fuf.me local.gd localdev.me lcl.host traefik.me backname.io "
    "nip.io sslip.io xip.io 1u.ms rbndr.us 127-0-0-1.org.uk metadata.cloud.ibm.com metadata.goog metadata.packet.net "
    "metadata.platformequinix.com metadata.tencentyun.com"
)
_PRIVATE_SUFFIXES = frozenset(_PRIVATE_NAMES.split())
_LONGEST_SUFFIX = max(name.count(".") + 1 for name in _PRIVATE_SUFFIXES)
_PRIVATE_LABELS = frozenset({"instance-data", "localhost", "wpad"})  # as the first label

# Ports browsers block (WHATWG Fetch "bad port") plus databases, caches, brokers and control planes.
_BROWSER_PORTS = (
    "1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 "
    "115 117 119 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 "
    "556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 "
    "6666 6667 6668 6669 6679 6697 10080"
)
_SERVICE_PORTS = (
    "138 445 873 1433 1434 1521 1883 2181 2375 2376 2377 2379 2380 3260 3306 3389 4369 5432 5433 5671 "
    "5672 5900 5901 5984 5985 5986 6379 6380 6443 7199 7474 7687 8086 8125 8200 8500 8529 9042 9092 "
    "9160 9200 9300 10250 10255 11211 11214 15672 16379 26257 26379 27017 27018 27019 28015 28017 "
    "61616"
)
_FORBIDDEN_PORTS = frozenset(map(int, f"{_BROWSER_PORTS} {_SERVICE_PORTS}".split()))


class CheckedUrl(msgspec.Struct, frozen=True, gc=False):
    """One reading of a URL: `url` is what is requested (no fragment), `target` its path and query as sent."""

    url: str
    scheme: str
    host: str
    port: int
    target: str
    netloc: str
    literal: bool

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.netloc}"


class _Authority(msgspec.Struct, frozen=True):
    host: str
    port: int
    netloc: str
    literal: bool
    private: bool  # a name or an address that only an allow entry opens
    bad_port: bool


def parse_url(url: str, allow: AllowList = NOTHING) -> CheckedUrl:
    """The URL as it will be dialled, or UrlRefused. Addresses behind a name are the guard's business."""
    if not isinstance(url, str) or not url or len(url) > MAX_URL:
        raise UrlRefused("the URL is empty or too long")
    return _parse(url, allow)


@lru_cache(maxsize=1_024)  # one task asks several times: the door, robots, the fetch
def _parse(url: str, allow: AllowList) -> CheckedUrl:
    if _UNSAFE_ASCII.search(url) or not (url.isascii() or _clean(url)):
        raise UrlRefused("the URL contains a space, a control character or a backslash")
    match = _SHAPE.fullmatch(url)
    if not match:
        raise UrlRefused("only http:// and https:// URLs can be fetched")
    if _HIDDEN_USER.match(url):
        raise UrlRefused("the URL can be read in two ways")
    scheme = match[1].lower()
    at = _authority(scheme, match[2])
    if at.bad_port and not allow.port(at.host, at.port):
        raise UrlRefused(f"port {at.port} is blocked for safety")
    if at.private and not allow.host(at.host, at.port) and not (at.literal and allow.address(at.host, at.port)):
        raise UrlRefused("the host is not a public one")
    target = _target(match[3])
    return CheckedUrl(f"{scheme}://{at.netloc}{target}", scheme, at.host, at.port, target, at.netloc, at.literal)


def check_host(host: str, port: int, allow: AllowList = NOTHING) -> tuple[str, bool]:
    """The same rules for a bare host (FTP, SFTP): its one reading, and whether it is an address."""
    if _UNSAFE_ASCII.search(host) or not (host.isascii() or _clean(host)):
        raise UrlRefused("the host contains a space, a control character or a backslash")
    if not 0 < port < 65536:
        raise UrlRefused("the port is not a port number")
    name, literal = _host(f"[{host}]" if ":" in host and not host.startswith("[") else host)
    allowed = allow.host(name, port) or (literal and allow.address(name, port))
    if _private(name, literal) and not allowed:
        raise UrlRefused("the host is not a public one")
    return name, literal


def _clean(url: str) -> bool:
    """No invisible, unassigned-control or space character beyond ASCII; surrogates count as such. The two joiners
    are letters of Persian and Indian words (UTS #46 judges them in a host)."""
    return not any(unicodedata.category(c) in _INVISIBLE and c not in _JOINERS for c in url if c > "\x7f")


@lru_cache(maxsize=16_384)
def _authority(scheme: str, text: str) -> _Authority:
    if "@" in text:
        raise UrlRefused("user name and password in a URL are not accepted")
    host_text, port = _split_port(text, 443 if scheme == "https" else 80)
    host, literal = _host(host_text)
    shown = f"[{host}]" if ":" in host else host
    default = port == (443 if scheme == "https" else 80)
    netloc = shown if default else f"{shown}:{port}"
    return _Authority(host, port, netloc, literal, _private(host, literal), port in _FORBIDDEN_PORTS)


def _split_port(text: str, default: int) -> tuple[str, int]:
    host, colon, digits = text.rpartition(":")
    if not colon or text.endswith("]"):
        return text, default
    if not digits:  # "http://host:/" is the default port in every client
        return host, default
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 5 and 0 < int(digits) < 65536):
        raise UrlRefused("the port is not a port number")
    return host, int(digits)


def _host(text: str) -> tuple[str, bool]:
    """The host in lower-case ASCII, and whether it is an address."""
    if text.startswith("["):
        return _ipv6(text), True
    name = (text.lower() if text.isascii() else _to_ascii(text)).removesuffix(".")
    if len(name) > 253 or not _NAME.fullmatch(name):
        raise UrlRefused("the host name is not valid")
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        # Octal, hexadecimal, short, dotless, full-width or dot-ended spellings mean different addresses
        # to different parsers; only the plain dotted quad is taken.
        if name != text or parse_address(name) is None:
            raise UrlRefused("the address is written in an unusual form")
        return name, True
    return name, False


def _ipv6(text: str) -> str:
    address = parse_address(text[1:-1]) if text.endswith("]") else None
    if address is None or address.version != 6:
        raise UrlRefused("the IPv6 address is not valid")
    return str(address)


def _to_ascii(text: str) -> str:
    try:
        return idna.encode(text, uts46=True, transitional=False).decode("ascii")
    except UnicodeError:  # what idna raises
        raise UrlRefused("the host name is not valid") from None


def _private(host: str, literal: bool) -> bool:
    if literal:
        return is_forbidden(host) is not None
    labels = host.split(".")
    if len(labels) == 1 or labels[0] in _PRIVATE_LABELS:
        return True
    return any(".".join(labels[-n:]) in _PRIVATE_SUFFIXES for n in range(1, min(len(labels), _LONGEST_SUFFIX) + 1))


def _target(rest: str) -> str:
    if not rest.startswith("/"):
        rest = "/" + rest
    plain = _PLAIN_TARGET.fullmatch(rest) and "/." not in rest and "%2" not in rest
    return rest if plain else _normalised(rest)


def _normalised(rest: str) -> str:
    """Percent-encodes what may not travel raw and resolves dot segments, as browsers do: robots rules are
    about the path the server will see."""
    path, mark, query = rest.partition("?")
    kept: list[str] = []
    segments = path.split("/")[1:]
    for i, segment in enumerate(segments):
        last = i == len(segments) - 1
        if segment.lower() in _DOTS[1]:
            del kept[-1:]
            kept += [""] if last else []
        elif segment.lower() in _DOTS[0]:
            kept += [""] if last else []
        else:
            kept.append(quote(segment, safe=_PATH_SAFE))
    return "/" + "/".join(kept) + mark + quote(query, safe=_QUERY_SAFE)
