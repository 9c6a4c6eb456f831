"""Domain policies from a YAML file (S-057, S-058): read strictly, written back the same (S-115).

default:
  tokens_per_interval: 1
  interval_seconds: 2
domains:
  linkedin.com:
    tokens_per_interval: 1
    interval_seconds: 15
    min_delay_ms: 2000
    max_delay_ms: 5000
    allowed_hours: {start: 6, end: 22}
    respect_robots_txt: true
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import msgspec
import yaml

from winnow.errors import ConfigError
from winnow.schedule.ledger.policy import DomainRule

Hour = Annotated[int, msgspec.Meta(ge=0, le=24)]


class AllowedHours(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """UTC; from `start` up to, not including, `end`."""

    start: Annotated[int, msgspec.Meta(ge=0, le=23)]
    end: Hour


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    tokens_per_interval: Annotated[int, msgspec.Meta(ge=1)] | None = None
    interval_seconds: Annotated[float, msgspec.Meta(gt=0)] | None = None
    min_delay_ms: Annotated[int, msgspec.Meta(ge=0)] | None = None
    max_delay_ms: Annotated[int, msgspec.Meta(ge=0)] | None = None
    max_concurrent: Annotated[int, msgspec.Meta(ge=1)] | None = None
    allowed_hours: AllowedHours | None = None
    respect_robots_txt: bool | None = None

    def __post_init__(self) -> None:
        if (self.tokens_per_interval is None) != (self.interval_seconds is None):
            raise ValueError("tokens_per_interval and interval_seconds go together")
        if self.min_delay_ms is not None and self.max_delay_ms is not None and self.min_delay_ms > self.max_delay_ms:
            raise ValueError("min_delay_ms is above max_delay_ms")

    def rule(self) -> DomainRule:
        hours = None if self.allowed_hours is None else (self.allowed_hours.start, self.allowed_hours.end)
        return DomainRule(
            tokens_per_interval=self.tokens_per_interval,
            interval_seconds=self.interval_seconds,
            max_concurrent=self.max_concurrent,
            allowed_hours=hours,
            min_delay_ms=self.min_delay_ms,
            max_delay_ms=self.max_delay_ms,
            respect_robots_txt=self.respect_robots_txt,
        )


class Policies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    default: Policy | None = None
    domains: dict[str, Policy] = {}

    def for_domain(self, domain: str) -> DomainRule | None:
        found = self.domains.get(domain, self.default)
        return None if found is None else found.rule()


def parse(text: str) -> Policies:
    """ConfigError names the place; nothing unknown is ignored, so that a typo never loosens a limit."""
    try:
        raw: Any = yaml.safe_load(text) or {}
        return msgspec.convert(raw, Policies, strict=False)
    except (yaml.YAMLError, msgspec.ValidationError) as wrong:
        raise ConfigError(f"domain policies: {wrong}") from None


def dump(policies: Policies) -> str:
    return yaml.safe_dump(msgspec.to_builtins(policies), sort_keys=True)


def shipped() -> Policies:
    """Those Winnow comes with (S-058)."""
    return parse(files("winnow.schedule.ledger").joinpath("policies.yaml").read_text(encoding="utf-8"))


def load(path: Path | None) -> Policies:
    """The operator's own come first; a domain they do not name keeps what is shipped for it."""
    if path is None:
        return shipped()
    try:
        own = parse(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise ConfigError(f"domain policies: {path}: {wrong.strerror}") from None
    return Policies(default=own.default, domains=shipped().domains | own.domains)
