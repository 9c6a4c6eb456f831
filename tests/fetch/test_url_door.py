"""R-12: which URLs are refused before they are stored, and the one reading of those that are not."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import ConfigError, UrlRefused
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.url import parse_url

VECTORS = list(csv.DictReader((Path(__file__).parent / "ssrf_vectors.tsv").open(encoding="utf-8"), delimiter="\t"))
AT_THE_DOOR = {"v4-special", "v6-special", "v4-encoding", "hostname", "url-parser", "scheme", "control"}


@pytest.mark.parametrize(
    ("url", "expected"),
    [(v["vector"], v["expect"]) for v in VECTORS if v["category"] in AT_THE_DOOR],
    ids=[v["n"] for v in VECTORS if v["category"] in AT_THE_DOOR],
)
def test_r12_every_vector_that_needs_no_network(url: str, expected: str) -> None:
    if expected == "ALLOW":
        assert parse_url(url).url == url
    else:
        with pytest.raises(UrlRefused):
            parse_url(url)


REFUSED = [
    # userinfo, backslash, control characters, whitespace
    "http://user@example.com/", "http://user:pw@example.com/", "http://@example.com/", "http://a@b@example.com/",
    "http://example.com\\@10.0.0.1/", "http:\\\\example.com/", "http://example.com/a\\b", "http://exa\tmple.com/",
    "http://example.com/\r\nHost: x", "http://example.com/\x00", "http://example.com/\x7f", " http://example.com/",
    "http://example.com/ ", "http://example.com/a b", "http://example .com/", "\thttp://example.com/",
    "http://example.com/\u00a0", "http://example.com/\u2028", "http://exa\u200bmple.com/", "http://example.com/\u202e",
    "http://example.com/\x85", "http://example.com/\ud800", "\ufeffhttp://example.com/", "http://exa\u00admple.com/",
    # scheme and shape
    "", "example.com", "//example.com/", "http:example.com", "http:/example.com", "http:///example.com", "http://",
    "https://", "ftp://example.com/", "file:///etc/passwd", "data:text/html,x", "view-source:http://example.com/",
    "jar:http://example.com!/", "ws://example.com/", "HTTP+X://example.com/", "http//example.com", "blob:http://a.com/",
    # ports
    "http://example.com:0/", "http://example.com:65536/", "http://example.com:99999999999/", "http://example.com:-1/",
    "http://example.com:+80/", "http://example.com:80a/", "http://example.com:8 0/", "http://example.com:٨٠/",
    "http://example.com:22/", "http://example.com:25/", "http://example.com:6379/", "http://example.com:5432/",
    "http://example.com:9200/", "http://example.com:11211/", "http://example.com:27017/", "http://example.com:2375/",
    "http://example.com:3306/", "http://example.com:6000/", "http://example.com:10080/", "http://example.com:80:80/",
    # hosts
    "http://.example.com/", "http://example..com/", "http://example.com../", "http://-a.com/", "http://a-.com/",
    "http://exa%6dple.com/", "http://%31%32%37.0.0.1/", "http://example.com%2f@10.0.0.1/", "http://exa_mple!.com/",
    "http://" + "a" * 64 + ".com/", "http://" + "a." * 130 + "com/", "http://exam<ple.com/", "http://example.com,x/",
    "http://*.example.com/", "http://example.com;80/", "http://ex'ample.com/",
    # IPv4 in other clothes
    "http://127.1/", "http://127.0.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/", "http://0177.0.0.1/",
    "http://017700000001/", "http://127.0.0.1./", "http://8.8.8.8./", "http://0x8.8.8.8/", "http://010.8.8.8/", "http://1.2.3/",
    "http://256.256.256.256/", "http://1.2.3.4.5/", "http://4294967296/", "http://a.b.c.1/", "http://foo.0x4/", "http://1/",
    "http://127\u30020\u30020\u30021/", "http://\uff11\uff12\uff17.0.0.1/", "http://①②⑦.⓪.⓪.①/", "http://8\uff0e8.8.8/",
    "http://127.0.0.1/", "http://0.0.0.0/", "http://169.254.169.254/latest/meta-data/", "http://00.0.0.0/",
    # IPv6
    "http://[::1]/", "http://[::1]:80/", "http://[::]/", "http://[::1", "http://::1/", "http://[::1]x/", "http://[[::1]]/",
    "http://[fe80::1%25eth0]/", "http://[fe80::1%eth0]/", "http://[v1.fe80::]/", "http://[::ffff:8.8.8.8]/", "http://[]/",
    "http://[1.1.1.1]/", "http://[::127.1]/", "http://[0:0:0:0:0:ffff:7f00:1]/", "http://1.1.1.1]/", "http://[g::1]/",
    # names that mean this network
    "http://localhost/", "http://LocalHost./", "http://foo.localhost/", "http://printer.local/", "http://x.internal/",
    "http://metadata.google.internal/", "http://metadata/", "http://metadata.goog/", "http://local\u200dhost/", "http://host.docker.internal/",
    "http://kubernetes.default.svc/", "http://kubernetes.default.svc.cluster.local/", "http://intranet/", "http://router.lan/",
    "http://ip6-localhost/", "http://localhost.localdomain/", "http://ⓛocalhost/", "http://loc\u00adalhost/", "http://x.onion/",
    "http://box.home.arpa/", "http://ｌｏｃａｌｈｏｓｔ/", "http://127.0.0.1.nip.io/", "http://localhost\u3002/",
    "http://api.metadata.cloud.ibm.com/", "http://a.b.nip.io/", "http://kubernetes.default/", "http://x.y.consul/",
    "http://1.0.0.127.in-addr.arpa/", "http://router.fritz.box/", "http://localho.st/", "http://X.LOCALTEST.ME/",
    # read in two ways
    "http://example.com?@10.0.0.1/", "http://example.com#@10.0.0.1/", "http://example.com?x@10.0.0.1/",
    "http://127.0.0.1#@example.com/", "http://127.0.0.1:80#@example.com:80/", "https://example.com#a:b@10.0.0.1",
    # more spellings
    "http://0/", "http://0.0/", "http://127.0.0.0x1/", "http://0x7f.0.0.0x1/", "http://0X7F000001/", "http://0b1/",
    "http://127.0.0.1.0x/", "http://1.0x7f/", "http://01.1.1.1/", "http://1.1.1.01/", "http://1.1.1.1.1/", "http://1.1.1/",
    "http://1.1.1.256/", "http://-1.1.1.1/", "http://1.1.1.1%20/", "http://1.1.1.1\u3002/", "http://１.１.１.１/",
    "http://[::ffff:1.1.1.1]/", "http://[::1.1.1.1]/", "http://[64:ff9b::1.1.1.1]/", "http://[2002:101:101::1]/",
    "http://[2606:4700:4700::1111%251]/", "http://[2606:4700:4700::1111/", "http://2606:4700:4700::1111/",
    "http://[fe80::]/", "http://[FD00:EC2::254]/", "http://[::FFFF:A9FE:A9FE]/", "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/", "http://[::%31]/", "http://[::1]@example.com/",
    "http://example.com@10.0.0.1/", "http://example.com:80@10.0.0.1/", "http://example.com%40@10.0.0.1/",
    "http://example.com\t@10.0.0.1/", "http://\texample.com/", "http://example.com\x00.evil.com/", "http\x00://example.com/",
    "http://example.com:80 /", "http://example.com:0x50/", "http://example.com:８０/", "http://example.com:080000/",
    "hTTp:///127.0.0.1/", "http:/\\/127.0.0.1/", "http:\\127.0.0.1/", "\\\\127.0.0.1\\share", "http;//example.com/",
    "ldap://example.com/", "dict://example.com:11211/", "gopher://example.com/", "sftp://example.com/", "ssh://example.com/",
    "smb://example.com/", "netdoc:///etc/passwd", "phar://x", "php://input", "about:blank", "mailto:a@example.com",
    "wss://example.com/", "chrome://version/", "vbscript:x", "feed:http://example.com/", "jar:http://example.com/!/x",
    # length
    "http://example.com/" + "a" * 9000,
]  # fmt: skip


@pytest.mark.parametrize("url", REFUSED, ids=range(len(REFUSED)))
def test_r12_refused(url: str) -> None:
    with pytest.raises(UrlRefused) as refused:
        parse_url(url)
    assert refused.value.code == "url_refused"
    assert not any(part in str(refused.value) for part in ("127.", "::", "169.254")), "the message names no address"


READ_AS = {
    "http://metadata.example.com/": "http://metadata.example.com/",
    "http://example.com/می\u200cشود": "http://example.com/%D9%85%DB%8C%E2%80%8C%D8%B4%D9%88%D8%AF",
    "http://example.com": "http://example.com/",
    "HTTP://EXAMPLE.com/A": "http://example.com/A",
    "https://example.com:443/": "https://example.com/",
    "http://example.com:80/": "http://example.com/",
    "http://example.com:/": "http://example.com/",
    "http://example.com:8080/x": "http://example.com:8080/x",
    "http://example.com./": "http://example.com/",
    "http://example.com?q=1": "http://example.com/?q=1",
    "http://example.com#frag": "http://example.com/",
    "http://example.com/a#b?c": "http://example.com/a",
    "http://bücher.example/ü?q=é": "http://xn--bcher-kva.example/%C3%BC?q=%C3%A9",
    "http://faß.example/": "http://xn--fa-hia.example/",
    "http://EXAMPLE\u3002com/": "http://example.com/",
    "http://under_score.example.com/": "http://under_score.example.com/",
    "http://xn--bcher-kva.example/": "http://xn--bcher-kva.example/",
    "http://example.com/a/../b": "http://example.com/b",
    "http://example.com/a/%2e%2E/b": "http://example.com/b",
    "http://example.com/../../x": "http://example.com/x",
    "http://example.com/a/./b/.": "http://example.com/a/b/",
    "http://example.com/a/..": "http://example.com/",
    "http://example.com/.well-known/x": "http://example.com/.well-known/x",
    "http://example.com/x?p=../y": "http://example.com/x?p=../y",
    "http://example.com//two//slashes": "http://example.com//two//slashes",
    "http://example.com/%7Euser/%zz/100%": "http://example.com/%7Euser/%zz/100%",
    "http://example.com/a?b='\"<c>": "http://example.com/a?b=%27%22%3Cc%3E",
    "http://example.com/%2Fx%252e": "http://example.com/%2Fx%252e",
    "http://[2001:4860:4860:0:0:0:0:8888]:8080/": "http://[2001:4860:4860::8888]:8080/",
    "http://1.1.1.1/": "http://1.1.1.1/",
    "http://public.test/": "http://public.test/",
    "http://public.test:8080/a@b?c@d#e@f": "http://public.test:8080/a@b?c@d",
    "http://public.test?mail=a@b.example": "http://public.test/?mail=a@b.example",
    "http://100.128.0.1:8443/": "http://100.128.0.1:8443/",
    "http://172.32.0.1/": "http://172.32.0.1/",
    "http://11.0.0.1/": "http://11.0.0.1/",
    "http://internal.example.com/": "http://internal.example.com/",
    "http://local.example.com/": "http://local.example.com/",
    "http://homes.com/": "http://homes.com/",
    "http://corporate.com/": "http://corporate.com/",
    "http://127.example.com/": "http://127.example.com/",
    "http://0x7f.example.com/": "http://0x7f.example.com/",
    "http://1.1.1.1.example.com/": "http://1.1.1.1.example.com/",
    "http://[2606:4700:4700::1111]/": "http://[2606:4700:4700::1111]/",
    "http://public.test/@user:pw/": "http://public.test/@user:pw/",
    "http://example.com/?next=http://10.0.0.1/": "http://example.com/?next=http://10.0.0.1/",
}


@pytest.mark.parametrize(("url", "read"), READ_AS.items(), ids=READ_AS)
def test_one_reading(url: str, read: str) -> None:
    assert parse_url(url).url == read
    assert parse_url(read).url == read, "reading again changes nothing"


@given(st.text(max_size=60))
def test_anything_is_either_read_or_refused(text: str) -> None:
    for url in (text, "http://" + text, "http://example.com/" + text):
        try:
            checked = parse_url(url)
        except UrlRefused:
            continue
        assert checked.url.isascii()
        assert parse_url(checked.url) == checked


def test_parts_of_a_checked_url() -> None:
    url = parse_url("https://Shop.example.com:8443/a?b=c#d")
    assert (url.scheme, url.host, url.port, url.target, url.origin) == (
        "https",
        "shop.example.com",
        8443,
        "/a?b=c",
        "https://shop.example.com:8443",
    )


@pytest.mark.parametrize(
    ("entry", "opens", "still_refused"),
    [
        ("localhost", "http://localhost:8000/", "http://localhost:6379/"),
        ("localhost:6379", "http://localhost:6379/", "http://localhost:8000/"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000/", "http://127.0.0.1:8001/"),
        ("127.0.0.0/8", "http://127.9.9.9/", "http://10.0.0.1/"),
        ("10.0.0.0/24:9200", "http://10.0.0.7:9200/", "http://10.0.0.7/"),
        ("::1", "http://[::1]/", "http://[::2]/"),
        ("[::1]:8080", "http://[::1]:8080/", "http://[::1]/"),
        ("[fd00::/8]:8080", "http://[fd00::5]:8080/", "http://[fd00::5]/"),
        ("example.com:6379", "http://example.com:6379/", "http://example.org:6379/"),
        ("db.internal", "http://db.internal/", "http://other.internal/"),
    ],
)
def test_allow_entries_open_what_they_name_and_no_more(entry: str, opens: str, still_refused: str) -> None:
    allow = AllowList([entry])
    assert parse_url(opens, allow).url == opens
    with pytest.raises(UrlRefused):
        parse_url(still_refused, allow)


@pytest.mark.parametrize("entry", ["", "http://x/", "host:0", "host:99999", "a b", "*", "[::1", "10.0.0.0/99", "x:y"])
def test_a_wrong_allow_entry_is_loud(entry: str) -> None:
    with pytest.raises(ConfigError):
        AllowList([entry])
