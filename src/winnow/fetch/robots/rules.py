"""robots.txt: what an answer means (R-22, PN-08) and whether a path may be fetched (P-045…P-047). Pure.

`Rules.decide` is the single-agent matcher and agrees with Google's published rules; `decide_both` is what
Winnow obeys: the `*` group and our own agent's group must both allow (DESIGN §11.13), in Google's reading
and in RFC 9309's, where `%7E` in a rule or a path is `~`. Why the matcher is our own:
docs/decisions/robots-matcher.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from winnow.fetch.outcome import FetchResult, Outcome
from winnow.fetch.robots.file import EVERYBODY, NEARLY_EVERYBODY, RobotsGroup, RobotsRule, best_rule, plain, read_groups

MAX_BYTES = 500 * 1024  # R-22, RFC 9309 §2.5
CACHE_S = 86_400.0  # P-049, R-22
FIRST_TRIES = 3  # P-048
_FIRST_RETRY_S, _RETRY_S, _MAX_RETRY_S = 1.0, 300.0, 3_600.0
_MIN_DELAY_S, _MAX_DELAY_S = 1.0, 60.0  # P-047
# 4xx that say "not you" or "not now" rather than "there is none" (R-22; 407, 408, 425, 451 in its sense).
_NOT_AN_ANSWER = frozenset({401, 403, 407, 408, 425, 429, 451})


class RobotsDecision(msgspec.Struct, frozen=True, gc=False):
    """`rule` is the line that decided ("disallow: /x"), `group` whose it is; None when no rule matched."""

    allowed: bool
    rule: str | None = None
    group: str | None = None


class RobotsKind(StrEnum):
    RULES = "rules"
    ALLOW_ALL = "allow_all"
    UNREACHABLE = "unreachable"  # nothing of this origin may be fetched


class RobotsState(msgspec.Struct, frozen=True):
    """What is stored per origin. `body` is set for rules only, `reason` is the fetch's own word."""

    kind: RobotsKind
    reason: str
    body: bytes | None = None
    retry_after_s: float | None = None


_ALLOWED = RobotsDecision(True)


class RobotsRules:
    """A parsed robots.txt. Groups of the same agent are one (RFC 9309 §2.2.1)."""

    def __init__(self, groups: dict[str, RobotsGroup], sitemaps: list[str]) -> None:
        self._groups = groups
        self.sitemaps = sitemaps

    def listed(self) -> dict[str, list[str]]:
        """The parsed rules of each agent, in order of precedence."""
        told = {}
        for name, group in self._groups.items():
            delay = [] if group.delay_s is None else [f"crawl-delay: {group.delay_s:g}"]
            told[name] = [str(rule) for rule in group.plain_rules] + delay
        return told

    def decide(self, target: str, agent: str) -> RobotsDecision:
        """For one agent alone: its own group, or `*` when it has none. `target` is path and query as sent."""
        name = agent.lower()
        return self._decide(target or "/", name if name in self._groups else EVERYBODY)

    def decide_both(self, target: str, agent: str) -> RobotsDecision:
        """Allowed only if no group and no reading objects."""
        found = _ALLOWED
        for name in (agent.lower(), EVERYBODY, NEARLY_EVERYBODY):
            for decision in self._readings(target or "/", name):
                if not decision.allowed:
                    return decision
                found = decision if found.rule is None else found
        return found

    def _readings(self, target: str, name: str) -> Iterator[RobotsDecision]:
        group = self._groups.get(name)
        if group is None:
            return
        yield _decided(group.rules, target, name)
        plain_target = plain(target)
        if plain_target != target or group.plain_rules is not group.rules:
            yield _decided(group.plain_rules, plain_target, name)

    def _decide(self, target: str, name: str) -> RobotsDecision:
        group = self._groups.get(name)
        return _ALLOWED if group is None else _decided(group.rules, target, name)

    def crawl_delay(self, agent: str) -> float | None:
        """The strictest of the groups we obey, within 1–60 s (P-047); None when none asks for one."""
        groups = [self._groups.get(name) for name in (agent.lower(), EVERYBODY, NEARLY_EVERYBODY)]
        delays = [group.delay_s for group in groups if group is not None and group.delay_s is not None]
        return min(max(max(delays), _MIN_DELAY_S), _MAX_DELAY_S) if delays else None


def _decided(rules: list[RobotsRule], target: str, name: str) -> RobotsDecision:
    if target.partition("?")[0] == "/robots.txt":
        return _ALLOWED  # RFC 9309 §2.2.2: always allowed
    rule = best_rule(rules, target)
    return _ALLOWED if rule is None else RobotsDecision(rule.allow, str(rule), name)


def parse(body: bytes) -> RobotsRules:
    """The first 500 KiB; a line cut there is dropped (R-22)."""
    return RobotsRules(*read_groups(_head(body)))


def _head(body: bytes) -> bytes:
    if len(body) <= MAX_BYTES or body[MAX_BYTES] in b"\r\n":
        return body[:MAX_BYTES]
    head = body[:MAX_BYTES]
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]


def robots_url(origin: str) -> str:
    """`origin` is scheme://host[:port]: robots.txt is per origin (RFC 9309 §2.3)."""
    return f"{origin.rstrip('/')}/robots.txt"


def state_of(result: FetchResult, *, missing_blocks: bool = False) -> RobotsState:
    """What this answer to robots.txt means. Neither clearly rules nor clearly none is unreachable."""
    if result.outcome is Outcome.OK and result.body is not None:
        return RobotsState(RobotsKind.RULES, "ok", _head(result.body))
    reason = result.error_class or result.outcome.value
    if _means_no_file(result):
        kind = RobotsKind.UNREACHABLE if missing_blocks else RobotsKind.ALLOW_ALL  # PN-08
        return RobotsState(kind, reason)
    return RobotsState(RobotsKind.UNREACHABLE, reason, retry_after_s=result.retry_after_s)


def _means_no_file(result: FetchResult) -> bool:
    status = result.status_code or 0
    return result.ended_by_status and 400 <= status < 500 and status not in _NOT_AN_ANSWER


def refresh_in_s(state: RobotsState, failures: int) -> float:
    """How long this state holds. `failures` counts unreachable answers in a row, this one included: two quick
    retries (P-048's three tries), then 5 min doubled up to an hour, and never before Retry-After."""
    if state.kind is not RobotsKind.UNREACHABLE:
        return CACHE_S
    if failures < FIRST_TRIES:
        wait = _FIRST_RETRY_S * 2.0 ** max(failures - 1, 0)
    else:
        wait = min(_RETRY_S * 2.0 ** min(failures - FIRST_TRIES, 10), _MAX_RETRY_S)
    return min(max(wait, state.retry_after_s or 0.0), CACHE_S)
