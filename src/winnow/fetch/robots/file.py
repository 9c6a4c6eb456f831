"""The robots.txt format: lines to groups of rules, and which rule wins. Pure.

Follows RFC 9309 and the parser Google publishes, down to what it forgives: a missing colon, misspelled
keys, half a byte order mark. Bytes are kept as bytes (decoded as Latin-1) because rules are compared in
their percent-encoded form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

EVERYBODY = "*"
NEARLY_EVERYBODY = "*?"  # "*" followed by other characters: Google matches no agent, its author meant all
MAX_LINE = 2_083 * 8 - 1  # where Google's parser cuts a line
_MAX_DELAY = 1e6

# A key counts when it begins with one of these, which is how Google reads them; misspellings included.
_KEYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("agent", ("user-agent", "useragent", "user agent")),
    ("allow", ("allow",)),
    ("disallow", ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")),
    ("sitemap", ("sitemap", "site-map")),
    ("delay", ("crawl-delay", "crawldelay", "crawl delay")),
)
_WHITE = " \t\n\v\f\r"
_LINE_END = re.compile(r"\r\n|\r|\n")
_BLANKS = re.compile(r"[ \t]+")
_UNREAD = re.compile(r"[#\x00]")  # where a comment begins; a NUL ends the line for Google
_TOKEN = re.compile(r"[A-Za-z_-]+", re.A)  # RFC 9309 §2.2.1 product token
_WORD = re.compile(r"[^\s/]+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})", re.A)
_HIGH = re.compile(r"[\x80-\xff]")
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+", re.A)
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")  # RFC 3986 §2.3


class RobotsRule(msgspec.Struct, frozen=True):
    allow: bool
    pattern: str  # percent-encoded
    head: str  # up to the first star
    rest: tuple[str, ...]  # between the stars
    anchored: bool  # ends in "$"

    def matches(self, target: str) -> bool:
        """Leftmost finds are enough: what a star skips too little of, the next one can still skip."""
        if not target.startswith(self.head):
            return False
        at, rest = len(self.head), self.rest
        if not rest:
            return not self.anchored or at == len(target)
        for part in rest[:-1]:
            at = target.find(part, at)
            if at < 0:
                return False
            at += len(part)
        if self.anchored:
            return target.endswith(rest[-1]) and len(target) - len(rest[-1]) >= at
        return target.find(rest[-1], at) >= 0

    def __str__(self) -> str:
        return f"{'allow' if self.allow else 'disallow'}: {self.pattern}"


class RobotsGroup(msgspec.Struct):
    """`rules` as Google reads them, `plain_rules` as RFC 9309 does; sorted so that the first match wins."""

    rules: list[RobotsRule] = []
    plain_rules: list[RobotsRule] = []
    delay_s: float | None = None

    def add(self, allow: bool, pattern: str) -> None:
        self.rules.append(_rule(allow, pattern))
        self.plain_rules.append(_rule(allow, plain(pattern)))
        directory, slash, page = pattern.rpartition("/")
        if allow and slash and page.startswith("index.htm"):  # Google: the directory's page is its index
            self.rules.append(_rule(True, directory + "/$"))

    def sort(self) -> None:
        for rules in (self.rules, self.plain_rules):
            rules.sort(key=lambda rule: (-len(rule.pattern), not rule.allow))
        if self.plain_rules == self.rules:
            self.plain_rules = self.rules  # the usual case: both readings are one


def best_rule(rules: list[RobotsRule], target: str) -> RobotsRule | None:
    """The longest match; Allow wins a tie (RFC 9309 §2.2.2). `rules` come sorted that way."""
    for rule in rules:
        if target.startswith(rule.head) and rule.matches(target):
            return rule
    return None


def read_groups(body: bytes) -> tuple[dict[str, RobotsGroup], list[str]]:
    """Groups by lower-case agent name, and the sitemaps."""
    groups: dict[str, RobotsGroup] = {}
    sitemaps: list[str] = []
    current = _Current(groups)
    for key, value in _directives(body):
        if key == "sitemap" and value:
            sitemaps.append(value.encode("latin-1").decode("utf-8", "replace"))
        elif key != "sitemap":
            current.take(key, value)
    for group in groups.values():
        group.sort()
    return groups, sitemaps


class _Current:
    """The groups the next line belongs to. Only Allow and Disallow end a list of agents: unknown lines and
    sitemaps do not (Google). A Crawl-delay is for the agents named since the last rule or delay."""

    def __init__(self, groups: dict[str, RobotsGroup]) -> None:
        self._groups = groups
        self._agents: list[RobotsGroup] = []
        self._delayed: list[RobotsGroup] = []
        self._closed = self._delay_closed = False

    def take(self, key: str, value: str) -> None:
        if key == "agent":
            self._take_agent(value)
        elif key == "delay":
            self._take_delay(value)
        else:
            self._closed = self._delay_closed = True
            for group in self._agents if value else []:
                group.add(key == "allow", escaped(value))

    def _take_agent(self, value: str) -> None:
        if self._closed:
            self._agents, self._closed = [], False
        if self._delay_closed:
            self._delayed, self._delay_closed = [], False
        named = [self._groups.setdefault(name, RobotsGroup()) for name in _agent_names(value)]
        self._agents += [group for group in named if not any(group is other for other in self._agents)]
        self._delayed += named

    def _take_delay(self, value: str) -> None:
        self._delay_closed = True
        number = _NUMBER.match(value)
        for group in self._delayed if number else []:
            delay = min(float(number[0]), _MAX_DELAY) if number else 0.0
            group.delay_s = max(delay, group.delay_s or 0.0)


def _agent_names(value: str) -> set[str]:
    """`*`, the product token (what Google compares), and the whole first word for names with digits."""
    if value[:1] == "*" and (len(value) == 1 or value[1] in _WHITE):
        return {EVERYBODY}
    found = (_TOKEN.match(value), _WORD.match(value))
    names = {match[0].lower() for match in found if match}
    return {NEARLY_EVERYBODY} if names == {EVERYBODY} else names


_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def _directives(body: bytes) -> Iterator[tuple[str, str]]:
    if body.startswith(_WIDE_MARKS):  # saved as "Unicode": not to be read as no rules at all
        body = body.decode("utf-16", "replace").encode("utf-8", "replace")
    bom = b"\xef\xbb\xbf"
    skip = next(n for n in (3, 2, 1, 0) if body.startswith(bom[:n]))
    for line in _LINE_END.split(body[skip:].decode("latin-1")):
        key, value = _split(_UNREAD.split(line[:MAX_LINE], 1)[0].strip(_WHITE))
        for name, spellings in _KEYS:
            if key.lower().startswith(spellings):
                yield name, value
                break


def _split(line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        words = _BLANKS.split(line)
        if len(words) != 2:  # "Disallow /x" is forgiven, prose is not
            return "", ""
        key, value = words
    return key.strip(_WHITE), value.strip(_WHITE)


def escaped(pattern: str) -> str:
    """Bytes beyond ASCII percent-encoded, escapes in upper case: how rules are compared."""
    pattern = _ESCAPE.sub(lambda m: m[0].upper(), pattern)
    return _HIGH.sub(lambda m: f"%{ord(m[0]):02X}", pattern)


def plain(target: str) -> str:
    """RFC 9309 §2.2.2: escapes of unreserved characters undone, others in upper case, non-ASCII and spaces encoded."""
    target = target.replace(" ", "%20")
    if not target.isascii():
        target = "".join(
            c if c < "\x80" else "".join(f"%{b:02X}" for b in c.encode("utf-8", "replace")) for c in target
        )
    return _ESCAPE.sub(_undone, target) if "%" in target else target


def _undone(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if character in _UNRESERVED else escape[0].upper()


def _rule(allow: bool, pattern: str) -> RobotsRule:
    anchored = pattern.endswith("$")
    head, *rest = (pattern[:-1] if anchored else pattern).split("*")
    return RobotsRule(allow, pattern, head, tuple(rest), anchored)
