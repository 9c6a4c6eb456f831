"""Which limits hold for a domain, and where each comes from. Pure.

The most specific explicit rule sets the base: the `domains` row, else the source's override, else
the YAML policy, else the platform default. Everything else can only make it stricter (DESIGN §4).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from winnow.errors import ConfigError

CRAWL_DELAY_MIN, CRAWL_DELAY_MAX = 1.0, 60.0  # P-047


@dataclass(frozen=True, slots=True)
class DomainRule:
    """What one place says about a domain. None: it says nothing about that."""

    tokens_per_interval: int | None = None
    interval_seconds: float | None = None
    spacing_seconds: float | None = None
    max_concurrent: int | None = None
    allowed_hours: tuple[int, int] | None = None
    min_delay_ms: int | None = None
    max_delay_ms: int | None = None
    respect_robots_txt: bool | None = None

    @property
    def has_rate(self) -> bool:
        return self.tokens_per_interval is not None


@dataclass(frozen=True, slots=True)
class Limits:
    """The effective limits of one lane; `origin` names the rule each value was taken from."""

    tokens: int = 1
    interval_seconds: float = 2.0
    spacing_seconds: float = 2.0
    max_concurrent: int = 1
    allowed_hours: tuple[int, int] | None = None
    min_delay_ms: int = 500  # S-109
    max_delay_ms: int = 2_000
    respect_robots_txt: bool = True
    origin: dict[str, str] = field(default_factory=dict)


# 0.5 requests per second, 2 s apart, one at a time (P-042).
PLATFORM = Limits()


def rate_of(requests_per_second: float) -> DomainRule:
    """P-044: r requests per second as whole tokens in an interval that keeps the same rate."""
    if not requests_per_second > 0:
        raise ConfigError("requestsPerSecond must be above 0")
    tokens = max(1, int(requests_per_second))
    return DomainRule(tokens_per_interval=tokens, interval_seconds=tokens / requests_per_second)


def strictest(rules: Iterable[DomainRule]) -> DomainRule | None:
    """Several sources of one domain: the slowest rate among them holds."""
    rated = [r for r in rules if r.tokens_per_interval is not None and r.interval_seconds is not None]
    return min(rated, key=lambda r: (r.tokens_per_interval or 1) / (r.interval_seconds or 1.0), default=None)


def effective(
    *,
    domain: DomainRule | None = None,
    source: DomainRule | None = None,
    policy: DomainRule | None = None,
    default: DomainRule | None = None,
    crawl_delay: float | None = None,
) -> Limits:
    """The merge. `default` is what SCRAPER_RATE_LIMIT_* put in place of the platform's own rate."""
    ladder = [("domain", domain), ("source", source), ("policy", policy), ("default", default)]
    limits = PLATFORM
    origin = {"rate": "platform", "max_concurrent": "platform"}
    for name, rule in ladder:
        if rule is not None and rule.has_rate:
            limits = replace(
                limits,
                tokens=rule.tokens_per_interval or 1,
                interval_seconds=rule.interval_seconds or 1.0,
                spacing_seconds=0.0,
            )
            origin["rate"] = name
            break
    for attribute in ("spacing_seconds", "max_concurrent", "allowed_hours", "min_delay_ms", "max_delay_ms"):
        limits = _most_specific(limits, ladder, attribute, origin)
    # Of two rules, one may name the shortest delay and another the longest: the longer one holds.
    limits = replace(limits, max_delay_ms=max(limits.min_delay_ms, limits.max_delay_ms))
    if domain is not None and domain.respect_robots_txt is False:  # explicit, audited, per domain (DESIGN §11.4)
        limits = replace(limits, respect_robots_txt=False)
    if crawl_delay is not None:
        delay = min(CRAWL_DELAY_MAX, max(CRAWL_DELAY_MIN, crawl_delay))
        if delay > limits.spacing_seconds:
            limits = replace(limits, spacing_seconds=delay)
            origin["spacing_seconds"] = "robots"
    return replace(limits, origin=origin)


def _most_specific(
    limits: Limits, ladder: list[tuple[str, DomainRule | None]], attribute: str, origin: dict[str, str]
) -> Limits:
    for name, rule in ladder:
        value: Any = None if rule is None else getattr(rule, attribute)
        if value is not None:
            origin[attribute] = name
            changed: dict[str, Any] = {attribute: value}
            return replace(limits, **changed)
    return limits
