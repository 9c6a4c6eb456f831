"""The table of failures: every code for why a visit gave no record, and the consequences of each code.

A failure is a member of `FailureCode`, so a word that is not in the table is an error of mypy or a ValueError, never a
silent "no retry, healthy domain, the source's fault". The words stand in `tasks.reason`, `tasks.outcome`,
`pages.error_class` and `dead_letters.error_type`; what they mean is asked here and nowhere else:

    outcome      how a fetch that failed this way ended
    sentence     for a person; it never names an address (R-10)
    fault        whose it is: decides about the health of domains, proxies, sources and targets
    may_pass     the same request may succeed later (P-039)
    other_way    whether a browser or the scraping API may get the page instead (E-034)
    unsent       nothing was sent: the grant and the proxy are given back, and no page is noted
    postpone_s   how long the task waits when it goes back to the queue through no fault of its own
    absent       the server says that there is no such page
    review       what a person has to look at in the source (E-041 … E-043)
    kind         C-067's class of errors
    letter_type  E-087's word for a dead letter, where one of its four fits
    raises       what whoever waits for the task is answered with (S-080, S-081, S-083)

`http_NNN` is a family with rules instead of rows: `FailureCode("http_503")`, `of_status(503)`.
"""

from __future__ import annotations

import re
from enum import StrEnum

from winnow.errors import (
    CircuitOpen,
    CredentialNotAllowed,
    CredentialNotFound,
    CredentialsUnavailable,
    NoHealthyProxies,
    TaskTimedOut,
)
from winnow.fetch import meaning as rows
from winnow.fetch.meaning import ErrorKind, FailureMeaning, Fault, LetterType, OtherWay, Outcome

_HTTP = re.compile(r"http_(\d{1,3})")


class FailureCode(StrEnum):
    """A word and its row."""

    _value_: str
    meaning: FailureMeaning

    def __new__(cls, word: str, meaning: FailureMeaning | None = None) -> FailureCode:
        if meaning is None:
            raise TypeError(f"the failure {word} has no row")
        member = str.__new__(cls, word)
        member._value_, member.meaning = word, meaning
        return member

    # The network. A name that does not resolve is tried again within the same few attempts before E-041's alert,
    # because name servers fail for minutes and domains move once. TLS is not: a person has to look (E-042).
    DNS = (
        "dns",
        rows.domain("the host name could not be resolved", review="its name does not resolve: has the domain changed?"),
    )
    TLS = (
        "tls",
        rows.domain(
            "no secure connection could be made",
            may_pass=False,
            review="no secure connection can be made: its certificate needs a look",
        ),
    )
    CONNECT = "connect", rows.domain("no connection could be made")
    RESET = "reset", rows.domain("the connection broke")
    PROTOCOL = "protocol", rows.domain("the server does not speak proper HTTP", may_pass=False)
    INCOMPLETE = "incomplete", rows.domain("the page ended before it was complete", Outcome.INCOMPLETE)
    CONNECT_TIMEOUT = "connect_timeout", rows.timeout("no connection in time")
    IDLE_TIMEOUT = "idle_timeout", rows.timeout("the server stopped sending")
    TOTAL_TIMEOUT = "total_timeout", rows.timeout("the page did not arrive in time")
    PROXY = "proxy", rows.proxy("the proxy could not be used")
    PROXY_SILENT = "proxy_silent", rows.proxy("the proxy did not answer in time")
    REFUSED = "refused", rows.not_tried("the URL may not be fetched", Outcome.REFUSED, kind=ErrorKind.VALIDATION)

    # What the server sent.
    TOO_LARGE = "too_large", rows.page("the page is larger than allowed", Outcome.TOO_LARGE)
    ENCODING = "encoding", rows.page("the page is not encoded as it says", kind=ErrorKind.PARSE)
    DOWNLOAD = "download", rows.page("the URL is a download, not a page", kind=ErrorKind.PARSE)
    REDIRECT_LOOP = "redirect_loop", rows.page("the page redirects in a circle")
    TOO_MANY_REDIRECTS = "too_many_redirects", rows.page("too many redirects")

    # Walls in the place of the page (E-039): the words of blocked/marks.Kind.
    CHALLENGE = (
        "challenge",
        rows.blocked_by_site("the site answered with a challenge instead of the page", Fault.DOMAIN, OtherWay.AT_ONCE),
    )
    CAPTCHA = (
        "captcha",
        rows.blocked_by_site("the site asks for a captcha instead of showing the page", Fault.DOMAIN, OtherWay.AT_ONCE),
    )
    ACCESS_DENIED = (
        "access_denied",
        rows.blocked_by_site("the site denies access to the page", Fault.DOMAIN, OtherWay.AFTER_RETRIES),
    )
    LOGIN_WALL = "login_wall", rows.blocked_by_site("the site asks to log in instead of showing the page", Fault.PAGE)
    CONSENT_WALL = (
        "consent_wall",
        rows.blocked_by_site("the site asks for consent instead of showing the page", Fault.PAGE),
    )
    EMPTY_SHELL = (
        "empty_shell",
        rows.blocked_by_site("the page is an empty shell that only scripts can fill", Fault.PAGE, OtherWay.AT_ONCE),
    )

    # Our browser and our scraping API. What is not there now may be later, so such tasks become dead letters.
    BROWSER_MISSING = "browser_missing", rows.failed_here("there is no browser on this machine")
    BROWSER_LAUNCH = "browser_launch", rows.failed_here("the browser does not start")
    BROWSER_CRASHED = "browser_crashed", rows.failed_here("the browser crashed on this page", may_pass=True)
    BROWSER = "browser", rows.failed_here("the browser could not show the page", may_pass=True)
    API_MISSING = "api_missing", rows.failed_here("no scraping API is set up")
    API_KEY = (
        "api_key",
        rows.failed_here(
            "the scraping API does not accept the key", review="it needs the scraping API, whose key is not accepted"
        ),
    )
    API_QUOTA = (
        "api_quota",
        rows.failed_here(
            "the scraping API's quota is used up",
            letter_type=LetterType.RATE_LIMIT,
            review="it needs the scraping API, whose quota is used up",
        ),
    )
    API_BUSY = (
        "api_busy",
        rows.failed_here(
            "the scraping API takes no more requests at once", may_pass=True, letter_type=LetterType.RATE_LIMIT
        ),
    )
    API_ERROR = "api_error", rows.failed_here("the scraping API did not fetch the page", may_pass=True)

    # Not now: the task goes back to the queue.
    GRANT_EXPIRED = "grant_expired", rows.postponed("the grant ran out unused")
    POOL_EXHAUSTED = "pool_exhausted", rows.postponed("every browser is busy", 2.0, Fault.OURS, kind=ErrorKind.INTERNAL)
    HOP_BUSY = "hop_busy", rows.postponed("redirected to a busy domain", 1.0, unsent=False)
    ROBOTS_UNKNOWN = "robots_unknown", rows.postponed("robots.txt is being fetched", 1.0, unsent=False)
    ROBOTS_BEING_FETCHED = "robots_being_fetched", rows.postponed("another worker fetches robots.txt", 0.5)
    ROBOTS_FETCHED = "robots_fetched", rows.postponed("its turn was used for robots.txt", unsent=False)
    ROBOTS_RETRY = "robots_retry", rows.postponed("robots.txt could not be read and is asked for again later")
    PROXY_FAILED = (
        "proxy_failed",
        rows.postponed("robots.txt could not be fetched through the proxy", 1.0, Fault.PROXY, unsent=False),
    )
    PROXIES_COOLING = (
        "proxies_cooling",
        rows.postponed("every proxy was used for this domain a moment ago", fault=Fault.PROXY),
    )
    ADAPTER_DISABLED = "adapter_disabled", rows.postponed("its adapter is disabled", 60.0)
    PAGE_LOST = "page_lost", rows.storage("the archived page is gone", 0.0)
    DATABASE_UNAVAILABLE = "database_unavailable", rows.storage("the database is away")

    # For good, without an answer of the site.
    ROBOTS = "robots", rows.not_tried("robots.txt forbids the page", Outcome.ROBOTS_BLOCKED)
    CIRCUIT_OPEN = (
        "circuit_open",
        rows.domain("Circuit breaker open for target domain", may_pass=False, raises=CircuitOpen),
    )
    NO_HEALTHY_PROXIES = "no_healthy_proxies", rows.proxy("no proxy is healthy", raises=NoHealthyProxies)
    CREDENTIAL_NOT_FOUND = (
        "credential_not_found",
        rows.not_tried("the backend has no credential for it", raises=CredentialNotFound),
    )
    CREDENTIAL_NOT_ALLOWED = (
        "credential_not_allowed",
        rows.not_tried("the credential may not be sent to this host", raises=CredentialNotAllowed),
    )
    CREDENTIALS_UNAVAILABLE = (
        "credentials_unavailable",
        rows.not_tried("the backend gives no credential right now", raises=CredentialsUnavailable),
    )
    ARCHIVE = "archive", rows.storage("the page could not be kept or read back", may_pass=True)
    ARCHIVE_FULL = "archive_full", rows.storage("the archive's disk is full", may_pass=True)
    TASK_TIMEOUT = "task_timeout", rows.timeout("the page did not answer in time", Fault.PAGE, may_pass=False)
    ADAPTER_UNKNOWN = "adapter_unknown", rows.failed_here("no such adapter is registered")
    WORKER_LOST = "worker_lost", rows.failed_here("it lost too many workers")
    INTERNAL = "internal", rows.failed_here("an error of ours")  # tasks.reason then names the exception

    # The page came and gave no record; tasks.reason then says why (extract/draft.Reason, judge/verdict).
    EXTRACT_FAILED = "extract_failed", rows.page("the page could not be read", kind=ErrorKind.PARSE)
    NOT_A_PICTURE = "not_a_picture", rows.page("the response is not an image", kind=ErrorKind.PARSE)
    HELD = "held", rows.page("the record waits for a person", kind=ErrorKind.VALIDATION)
    REJECTED = "rejected", rows.page("the record was rejected", kind=ErrorKind.VALIDATION)
    ROBOTS_BLOCKED = "robots_blocked", rows.not_tried("robots.txt forbids it", Outcome.ROBOTS_BLOCKED)

    # Taken out of the queue.
    CANCELLED = "cancelled", rows.not_tried("it was cancelled")
    STALE = "stale", rows.not_tried("it waited too long in the queue")
    TARGET_PAUSED = "target_paused", rows.not_tried("its target was paused")
    TARGET_REMOVED = "target_removed", rows.not_tried("its target was removed")
    NOT_AWAITED = (
        "the caller stopped waiting",
        rows.not_tried("it was not begun in time and is cancelled", raises=TaskTimedOut),
    )

    @classmethod
    def _missing_(cls, value: object) -> FailureCode | None:
        """The family http_NNN: its members are made when they are first asked for."""
        found = _HTTP.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            return None
        member = str.__new__(cls, found[0])
        member._name_, member._value_ = found[0].upper(), found[0]
        member.meaning = rows.of_status(int(found[1]))
        return cls._value2member_map_.setdefault(found[0], member)  # type: ignore[return-value]

    @property
    def is_status(self) -> bool:
        """Whether the status of the answer is the failure, not a hop on the way to it."""
        return _HTTP.fullmatch(self) is not None

    @property
    def keeps_letter(self) -> bool:
        """Whether a task whose fetch ended so is kept as a dead letter: it may pass, or something of ours is missing
        and may be there later."""
        return self.meaning.may_pass or self.meaning.fault is Fault.OURS


def of_status(status: int) -> FailureCode:
    return FailureCode(f"http_{status}")


def find(word: str | None) -> FailureCode | None:
    """The failure a stored word stands for; None: it is a verdict's reason, an exception's name, or of an older
    version."""
    try:
        return None if word is None else FailureCode(word)
    except ValueError:
        return None


def of_task(outcome: str | None, reason: str | None) -> FailureCode | None:
    """What a task ended with. The reason decides; where it is not a word of the table, the outcome does."""
    return find(reason) or find(outcome)


def sentence_of(word: str | None) -> str:
    """The sentence of a stored word, for a person who asks later."""
    found = find(word)
    return word or "no answer" if found is None else found.meaning.sentence
