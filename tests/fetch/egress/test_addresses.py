"""R-11: the address table, and every way to hide an IPv4 address in an IPv6 one."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.fetch.egress.addresses import TABLE, is_forbidden

FORBIDDEN_WORDS = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.0.1
169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1 192.168.1.1
198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255
168.63.129.16 100.100.100.200
:: ::1 ::2 ::7f00:1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 ::ffff:0:808:808 64:ff9b::7f00:1 64:ff9b::808:808
64:ff9b:1::1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 2002:7f00:1::1 2002:808:808::1 2001::1
2001:0:4136:e378:8000:63bf:3fff:fdd2
2001:10::1 2001:20::1 2001:2::1 2001:db8::1 3fff::1 5f00::1 100::1 fc00::1 fd00::1 fd00:ec2::254 fd20:ce::254 fe80::1
fec0::1 ff02::1 ff0e::1 fe80::5efe:a00:1 2001:470::5efe:127.0.0.1 2a00:1450::200:5efe:7f00:1 2600::5efe:808:808
4000::1 8000::1 1::1
"""
FORBIDDEN = FORBIDDEN_WORDS.split()
PUBLIC_WORDS = """
1.1.1.1 8.8.8.8 9.9.9.9 93.184.216.34 100.63.255.255 100.128.0.1 126.255.255.255 128.0.0.1 169.253.255.255
169.255.0.1 172.15.255.255 172.32.0.1 192.0.1.1 192.167.255.255 192.169.0.1 198.17.255.255 198.20.0.1 223.255.255.255
168.63.129.15 168.63.129.17
2001:4860:4860::8888 2606:4700:4700::1111 2a00:1450:4001::1 2400:cb00::1 2001:200::1 2003::1 3ffd::1
"""
PUBLIC = PUBLIC_WORDS.split()


@pytest.mark.parametrize("ip", FORBIDDEN)
def test_r11_special_purpose_addresses_are_forbidden(ip: str) -> None:
    assert is_forbidden(ip)


@pytest.mark.parametrize("ip", PUBLIC)
def test_r11_public_addresses_are_not(ip: str) -> None:
    assert is_forbidden(ip) is None


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0177.0.0.1", "1.2.3.4.5", "fe80::1%eth0", "1.1.1.1%x", "::g"]
)
def test_r11_what_cannot_be_parsed_is_forbidden(text: str) -> None:
    assert is_forbidden(text) == "unparsable"


EMBEDDINGS = [
    lambda v4: v4,  # IPv4-compatible
    lambda v4: 0xFFFF << 32 | v4,  # mapped
    lambda v4: 0xFFFF << 48 | v4,  # translated
    lambda v4: 0x64FF9B << 96 | v4,  # NAT64
    lambda v4: 0x64FF9B0001 << 80 | v4,  # local NAT64
    lambda v4: 0x2002 << 112 | v4 << 80 | 1,  # 6to4
    lambda v4: 0x20010000 << 96 | (v4 ^ 0xFFFFFFFF),  # Teredo
    lambda v4: 0x2A001450 << 96 | 0x5EFE << 32 | v4,  # ISATAP
    lambda v4: 0x2A001450 << 96 | 0x02005EFE << 32 | v4,
]


@given(v4=st.integers(0, 2**32 - 1), embed=st.sampled_from(EMBEDDINGS))
def test_r11_no_ipv4_address_hides_in_an_ipv6_one(v4: int, embed) -> None:  # type: ignore[no-untyped-def]
    assert is_forbidden(IPv6Address(embed(v4)))


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_everything_python_calls_private_is_forbidden_too(ip: IPv4Address) -> None:
    if ip.is_private or ip.is_multicast or ip.is_reserved or ip.is_loopback or ip.is_link_local:
        assert is_forbidden(ip)


# What Python calls public and we do not dial, each for a reason of its own.
OURS_ALONE_WORDS = """
168.63.129.16/32 192.31.196.0/24 192.52.193.0/24 192.175.48.0/24 192.88.99.0/24 192.0.0.0/24 224.0.0.0/4
2001::/23 2002::/16 64:ff9b::/96 2620:4f:8000::/48 3ffe::/16 3fff::/20 5f00::/16 ff00::/8 100:0:0:1::/64
"""
OURS_ALONE = [ip_network(cidr) for cidr in OURS_ALONE_WORDS.split()]
EDGES = [
    int(address) + step
    for net in [*(ip_network(cidr) for cidr, _ in TABLE), *OURS_ALONE]
    for address in (net.network_address, net.broadcast_address)
    for step in (-1, 0, 1)
]
V4 = st.integers(0, 2**32 - 1) | st.sampled_from([n for n in EDGES if 0 <= n < 2**32])
V6 = st.integers(0, 2**128 - 1) | st.sampled_from([n for n in EDGES if 2**32 <= n < 2**128])
UNICAST = st.integers(0, 2**125 - 1).map(lambda low: low | 0x2000 << 112)


@given(V4.map(IPv4Address) | V6.map(IPv6Address) | UNICAST.map(IPv6Address))
def test_r11_our_table_forbids_what_python_knows_to_be_special_and_little_more(ip: IPv4Address | IPv6Address) -> None:
    special = not ip.is_global or ip.is_multicast or ip.is_reserved or ip.is_unspecified
    if special:
        assert is_forbidden(ip), f"{ip} is not public"
    elif is_forbidden(ip):
        ours = any(ip in net for net in OURS_ALONE if net.version == ip.version)
        outside = ip.version == 6 and int(ip) >> 125 != 1  # not 2000::/3
        isatap = ip.version == 6 and (int(ip) >> 32) & 0xFCFFFFFF == 0x5EFE
        assert ours or outside or isatap, f"{ip} is public"
