"""Where the ClickHouse of WINNOW_CLICKHOUSE_URL is."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

import msgspec

from winnow.errors import ConfigError

PORTS = {"https": 8443, "http": 8123}
NAME = "WINNOW_CLICKHOUSE_URL"


class Address(msgspec.Struct, frozen=True):
    scheme: str
    host: str
    port: int
    user: str
    password: str
    database: str

    @property
    def destination(self) -> str:
        """What progress is kept by: without the account."""
        return f"clickhouse:{self.host}:{self.port}/{self.database}"


def parse_address(url: str) -> Address:
    """`https://user:password@host:8443/database`; the message never repeats it."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ConfigError(f"{NAME} is no address") from None
    if parts.scheme not in PORTS or not parts.hostname:
        raise ConfigError(f"{NAME} is written https://user:password@host:8443/database")
    database = parts.path.strip("/") or "default"
    user, password = unquote(parts.username or "default"), unquote(parts.password or "")
    return Address(parts.scheme, parts.hostname, port or PORTS[parts.scheme], user, password, database)
