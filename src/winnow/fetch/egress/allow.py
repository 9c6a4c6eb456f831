"""Hosts and networks that the operator allowed (`WINNOW_EGRESS_ALLOW`): host, host:port, CIDR or CIDR:port.

A host entry lifts the checks of that name and of whatever it resolves to; a CIDR entry lifts the check
of those addresses. Only an entry that names the port lifts the forbidden-port rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network

from winnow.errors import ConfigError
from winnow.fetch.egress.addresses import parse_address

_ENTRY = re.compile(
    r"(?:\[(?P<v6>[0-9A-Fa-f:.]+)(?P<inner>/\d+)?\](?P<outer>/\d+)?|(?P<host>[^\[\]:]+))(?::(?P<port>\d{1,5}))?",
    re.A,
)
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.A)


class AllowList:
    def __init__(self, entries: Iterable[str] = ()) -> None:
        self._hosts: set[tuple[str, int | None]] = set()
        self._networks: list[tuple[IPv4Network | IPv6Network, int | None]] = []
        for entry in entries:
            self._add(entry)
        self._ports_of = lru_cache(maxsize=1024)(self._find_ports)  # asked for every request to an address

    def _add(self, entry: str) -> None:
        host, port = _split(entry)
        try:
            self._networks.append((ip_network(host, strict=False), port))
        except ValueError:
            name = host.lower().removesuffix(".")
            if not _HOST.fullmatch(name):
                raise _wrong(entry) from None
            self._hosts.add((name, port))

    def host(self, host: str, port: int) -> bool:
        return (host, None) in self._hosts or (host, port) in self._hosts

    def address(self, ip: str, port: int) -> bool:
        return bool(self._networks) and any(p in (None, port) for p in self._ports_of(ip))

    def port(self, host: str, port: int) -> bool:
        """Whether an entry names exactly this port for the host, or for the address it is."""
        return (host, port) in self._hosts or port in self._ports_of(host)

    def _find_ports(self, ip: str) -> tuple[int | None, ...]:
        address = parse_address(ip)
        return () if address is None else tuple(port for net, port in self._networks if address in net)


def _split(entry: str) -> tuple[str, int | None]:
    if entry.count(":") > 1 and "[" not in entry:  # a bare IPv6 address or network
        return entry, None
    match = _ENTRY.fullmatch(entry)
    if not match:
        raise _wrong(entry)
    port = int(match["port"]) if match["port"] else None
    if port is not None and not 0 < port < 65536:
        raise _wrong(entry)
    if match["v6"]:
        return match["v6"] + (match["inner"] or match["outer"] or ""), port
    return match["host"], port


def _wrong(entry: str) -> ConfigError:
    return ConfigError(f"WINNOW_EGRESS_ALLOW: {entry!r} is not a host, host:port, CIDR or CIDR:port")


NOTHING = AllowList()
