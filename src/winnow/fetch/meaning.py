"""The columns of the table in fetch/failure.py, and its usual rows by cause."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from winnow.errors import (
    TaskTimedOut,
    WinnowError,
)


class Outcome(StrEnum):
    """How a fetch ended (P-037)."""

    OK = "ok"
    ERROR = "error"
    BLOCKED = "blocked"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    ROBOTS_BLOCKED = "robots_blocked"
    INCOMPLETE = "incomplete"
    REFUSED = "refused"


class Fault(StrEnum):
    """DOMAIN: its server failed or does not want us. PAGE: the server answered, and this is what it has. OURS: our
    browser, scraping API, disk or code; neither the site nor the page had a part in it. PROXY: the way out. NOBODY:
    it was not tried, because of a turn, robots.txt, the egress guard or a person's order."""

    DOMAIN = "domain"
    PAGE = "page"
    OURS = "ours"
    PROXY = "proxy"
    NOBODY = "nobody"


class OtherWay(StrEnum):
    """AT_ONCE: the same again will not help. AFTER_RETRIES: three of them in a row, then the next way (E-034)."""

    NO = "no"
    AT_ONCE = "at_once"
    AFTER_RETRIES = "after_retries"


class ErrorKind(StrEnum):
    """C-067's three classes, and two for what is ours. A task that was not wanted any more, or waits, is no error."""

    NETWORK = "network"
    PARSE = "parse"
    VALIDATION = "validation"
    STORAGE = "storage"
    INTERNAL = "internal"


class LetterType(StrEnum):
    """The four types of errors of a dead letter (E-087)."""

    TIMEOUT = "timeout"
    RATE_LIMIT = "rate_limit"
    PARSE_ERROR = "parse_error"
    DB_ERROR = "db_error"


class FailureMeaning(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the table without its word; the columns are explained above."""

    sentence: str
    fault: Fault
    outcome: Outcome = Outcome.ERROR
    may_pass: bool = False
    other_way: OtherWay = OtherWay.NO
    unsent: bool = False
    postpone_s: float | None = None
    absent: bool = False
    review: str | None = None
    kind: ErrorKind | None = None
    letter_type: LetterType | None = None
    raises: type[WinnowError] | None = None


_BLOCKED_STATUS = frozenset({401, 403, 407, 451})  # the site says no; whether it is a challenge is asked elsewhere
_RETRYABLE_STATUS = frozenset({429, 500, 502, 503, 504})  # P-039
_OTHER_WAY_STATUS = frozenset({403, 429})  # E-034
_ABSENT_STATUS = frozenset({404, 410})
_TOO_MANY_REQUESTS = 429


def of_status(status: int) -> FailureMeaning:
    """A domain is healthy when it answers: a 404 is an answer; 5xx, 429 and blocks are failures (S-063)."""
    blocked, limited = status in _BLOCKED_STATUS, status == _TOO_MANY_REQUESTS
    return FailureMeaning(
        sentence=f"the server answered {status}",
        fault=Fault.DOMAIN if blocked or limited or status >= 500 else Fault.PAGE,
        outcome=Outcome.BLOCKED if blocked else Outcome.ERROR,
        may_pass=status in _RETRYABLE_STATUS,
        other_way=OtherWay.AFTER_RETRIES if status in _OTHER_WAY_STATUS else OtherWay.NO,
        absent=status in _ABSENT_STATUS,
        kind=ErrorKind.NETWORK,
        letter_type=LetterType.RATE_LIMIT if limited else None,
    )


def domain(
    sentence: str,
    outcome: Outcome = Outcome.ERROR,
    *,
    may_pass: bool = True,
    review: str | None = None,
    raises: type[WinnowError] | None = None,
) -> FailureMeaning:
    return FailureMeaning(
        sentence=sentence,
        fault=Fault.DOMAIN,
        outcome=outcome,
        may_pass=may_pass,
        review=review,
        raises=raises,
        kind=ErrorKind.NETWORK,
    )


def timeout(sentence: str, fault: Fault = Fault.DOMAIN, *, may_pass: bool = True) -> FailureMeaning:
    """Trying again takes twice the time (E-040); three in a row lead to another way (E-034)."""
    other_way = OtherWay.AFTER_RETRIES if may_pass else OtherWay.NO
    return FailureMeaning(
        sentence=sentence,
        fault=fault,
        outcome=Outcome.TIMEOUT,
        may_pass=may_pass,
        other_way=other_way,
        kind=ErrorKind.NETWORK,
        letter_type=LetterType.TIMEOUT,
        raises=TaskTimedOut,
    )


def page(sentence: str, outcome: Outcome = Outcome.ERROR, kind: ErrorKind = ErrorKind.NETWORK) -> FailureMeaning:
    letter_type = LetterType.PARSE_ERROR if kind is ErrorKind.PARSE else None
    return FailureMeaning(sentence=sentence, fault=Fault.PAGE, outcome=outcome, kind=kind, letter_type=letter_type)


def blocked_by_site(sentence: str, fault: Fault, other_way: OtherWay = OtherWay.NO) -> FailureMeaning:
    """PAGE: the domain answered, and no visitor of its kind would have got another answer."""
    return FailureMeaning(
        sentence=sentence, fault=fault, outcome=Outcome.BLOCKED, other_way=other_way, kind=ErrorKind.NETWORK
    )


def failed_here(
    sentence: str,
    *,
    may_pass: bool = False,
    review: str | None = None,
    letter_type: LetterType | None = None,
) -> FailureMeaning:
    return FailureMeaning(
        sentence=sentence,
        fault=Fault.OURS,
        may_pass=may_pass,
        review=review,
        letter_type=letter_type,
        kind=ErrorKind.INTERNAL,
    )


def proxy(sentence: str, *, may_pass: bool = True, raises: type[WinnowError] | None = None) -> FailureMeaning:
    return FailureMeaning(
        sentence=sentence, fault=Fault.PROXY, may_pass=may_pass, raises=raises, kind=ErrorKind.NETWORK
    )


def postponed(
    sentence: str,
    wait: float = 0.0,
    fault: Fault = Fault.NOBODY,
    *,
    unsent: bool = True,
    kind: ErrorKind | None = None,
) -> FailureMeaning:
    return FailureMeaning(sentence=sentence, fault=fault, unsent=unsent, postpone_s=wait, kind=kind)


def storage(sentence: str, wait: float = 5.0, *, may_pass: bool = False) -> FailureMeaning:
    return FailureMeaning(
        sentence=sentence,
        fault=Fault.OURS,
        may_pass=may_pass,
        postpone_s=wait,
        kind=ErrorKind.STORAGE,
        letter_type=LetterType.DB_ERROR,
    )


def not_tried(
    sentence: str,
    outcome: Outcome = Outcome.ERROR,
    *,
    kind: ErrorKind | None = None,
    raises: type[WinnowError] | None = None,
) -> FailureMeaning:
    """A person, a rule or a caller did not want it, or did not give what it needs."""
    return FailureMeaning(sentence=sentence, fault=Fault.NOBODY, outcome=outcome, kind=kind, raises=raises)
