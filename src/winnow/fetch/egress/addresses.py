"""Which addresses may never be dialled (R-11).

Our own table instead of `ipaddress.is_global`, whose answer changes with the Python version. Sources:
the IANA special-purpose registries (RFC 6890 and its updates), RFC 1112/5771 (multicast), and the
metadata addresses the cloud providers publish. Every form that carries an IPv4 address inside an
IPv6 one is forbidden whole: a public site never needs it, and what it reaches depends on the network.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address

TABLE: tuple[tuple[str, str], ...] = (
    # Metadata and host services first, so that their own name is the reason given.
    ("169.254.169.254/32", "metadata"),
    ("169.254.170.0/24", "metadata"),  # AWS task and pod credentials (.2, .23)
    ("168.63.129.16/32", "metadata"),  # Azure WireServer, a public address
    ("100.100.100.200/32", "metadata"),  # Alibaba
    ("192.0.0.192/32", "metadata"),  # Oracle classic
    ("fd00:ec2::/32", "metadata"),  # AWS (::254, ::23)
    ("fd20:ce::/32", "metadata"),  # Google (::254)
    # IPv4, IANA special-purpose registry
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "shared address space"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.31.196.0/24", "AS112"),
    ("192.52.193.0/24", "AMT"),
    ("192.88.99.0/24", "6to4 relay"),
    ("192.168.0.0/16", "private"),
    ("192.175.48.0/24", "AS112"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    # IPv6: an IPv4 address inside
    ("::/128", "unspecified"),
    ("::1/128", "loopback"),
    ("::ffff:0:0/96", "IPv4-mapped"),
    ("::ffff:0:0:0/96", "IPv4-translated"),
    ("::/96", "IPv4-compatible"),
    ("64:ff9b::/96", "NAT64"),
    ("64:ff9b:1::/48", "local NAT64"),
    ("2002::/16", "6to4"),
    ("2001::/32", "Teredo"),
    # IPv6, IANA special-purpose registry and RFC 4291
    ("100::/64", "discard"),
    ("100:0:0:1::/64", "dummy prefix"),
    ("2001::/23", "protocol assignments"),  # ORCHID, benchmarking, AMT, AS112, drone tags …
    ("2001:db8::/32", "documentation"),
    ("2620:4f:8000::/48", "AS112"),
    ("3ffe::/16", "6bone, returned"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    ("fc00::/7", "unique local"),
    ("fe80::/10", "link local"),
    ("fec0::/10", "site local"),
    ("ff00::/8", "multicast"),
)
_GLOBAL_UNICAST_V6 = IPv6Network("2000::/3")  # RFC 4291 §2.4: nothing else is routed on the internet
# RFC 5214 §6.1: interface identifier [00 or 02]00:5efe:a.b.c.d under any prefix; u and g bits are ignored.
_ISATAP_MASK, _ISATAP = 0xFCFFFFFF, 0x00005EFE

_NETWORKS = [(ip_network(cidr), reason) for cidr, reason in TABLE]
_V4 = [(net, reason) for net, reason in _NETWORKS if isinstance(net, IPv4Network)]
_V6 = [(net, reason) for net, reason in _NETWORKS if isinstance(net, IPv6Network)]


def parse_address(text: str) -> Address | None:
    """The address in its one canonical reading; zone identifiers and legacy forms are none."""
    if "%" in text:
        return None
    try:
        return ip_address(text)
    except ValueError:
        return None


@lru_cache(maxsize=8192)
def is_forbidden(ip: str | Address) -> str | None:
    """Why this address may not be dialled, or None. What cannot be parsed is forbidden."""
    address = parse_address(str(ip))
    if address is None:
        return "unparsable"
    if isinstance(address, IPv4Address):
        return next((reason for net, reason in _V4 if address in net), None)
    return _forbidden_v6(address)


def _forbidden_v6(address: IPv6Address) -> str | None:
    for net, reason in _V6:
        if address in net:
            return reason
    if (int(address) >> 32) & _ISATAP_MASK == _ISATAP:
        return "ISATAP"
    return None if address in _GLOBAL_UNICAST_V6 else "not global unicast"
