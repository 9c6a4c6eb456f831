"""The table of failures: every word with every column, and that no other word is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import winnow
from winnow.errors import (
    ArchiveError,
    ArchiveFull,
    CircuitOpen,
    CredentialNotAllowed,
    CredentialNotFound,
    CredentialsUnavailable,
    DatabaseUnavailable,
    NoHealthyProxies,
    ProxiesCooling,
    TaskTimedOut,
    WinnowError,
)
from winnow.extract.draft import Reason
from winnow.fetch.blocked.marks import WallKind
from winnow.fetch.browser.chromium import ChromiumMissing
from winnow.fetch.browser.pool import PoolExhausted
from winnow.fetch.browser.process import LaunchFailed
from winnow.fetch.failure import FailureCode, find, of_status, of_task, sentence_of
from winnow.fetch.outcome import FetchResult, Outcome
from winnow.judge.verdict import Hold, Reject

SRC = Path(winnow.__file__).parent
Row = tuple[str, str, str, str, float | None, str | None, str | None, type[WinnowError] | None]

# outcome, whose fault, flags, another way, postponed for, C-067's class, E-087's word, what a waiting caller is told
TABLE: dict[str, Row] = {
    "dns": ("error", "domain", "may_pass review letter", "no", None, "network", None, None),
    "tls": ("error", "domain", "review", "no", None, "network", None, None),
    "connect": ("error", "domain", "may_pass letter", "no", None, "network", None, None),
    "reset": ("error", "domain", "may_pass letter", "no", None, "network", None, None),
    "protocol": ("error", "domain", "", "no", None, "network", None, None),
    "incomplete": ("incomplete", "domain", "may_pass letter", "no", None, "network", None, None),
    "connect_timeout": (
        "timeout",
        "domain",
        "may_pass letter",
        "after_retries",
        None,
        "network",
        "timeout",
        TaskTimedOut,
    ),
    "idle_timeout": ("timeout", "domain", "may_pass letter", "after_retries", None, "network", "timeout", TaskTimedOut),
    "total_timeout": (
        "timeout",
        "domain",
        "may_pass letter",
        "after_retries",
        None,
        "network",
        "timeout",
        TaskTimedOut,
    ),
    "proxy": ("error", "proxy", "may_pass letter", "no", None, "network", None, None),
    "proxy_silent": ("error", "proxy", "may_pass letter", "no", None, "network", None, None),
    "refused": ("refused", "nobody", "", "no", None, "validation", None, None),
    "too_large": ("too_large", "page", "", "no", None, "network", None, None),
    "encoding": ("error", "page", "", "no", None, "parse", "parse_error", None),
    "download": ("error", "page", "", "no", None, "parse", "parse_error", None),
    "redirect_loop": ("error", "page", "", "no", None, "network", None, None),
    "too_many_redirects": ("error", "page", "", "no", None, "network", None, None),
    "challenge": ("blocked", "domain", "", "at_once", None, "network", None, None),
    "captcha": ("blocked", "domain", "", "at_once", None, "network", None, None),
    "access_denied": ("blocked", "domain", "", "after_retries", None, "network", None, None),
    "login_wall": ("blocked", "page", "", "no", None, "network", None, None),
    "consent_wall": ("blocked", "page", "", "no", None, "network", None, None),
    "empty_shell": ("blocked", "page", "", "at_once", None, "network", None, None),
    "browser_missing": ("error", "ours", "letter", "no", None, "internal", None, None),
    "browser_launch": ("error", "ours", "letter", "no", None, "internal", None, None),
    "browser_crashed": ("error", "ours", "may_pass letter", "no", None, "internal", None, None),
    "browser": ("error", "ours", "may_pass letter", "no", None, "internal", None, None),
    "api_missing": ("error", "ours", "letter", "no", None, "internal", None, None),
    "api_key": ("error", "ours", "review letter", "no", None, "internal", None, None),
    "api_quota": ("error", "ours", "review letter", "no", None, "internal", "rate_limit", None),
    "api_busy": ("error", "ours", "may_pass letter", "no", None, "internal", "rate_limit", None),
    "api_error": ("error", "ours", "may_pass letter", "no", None, "internal", None, None),
    "grant_expired": ("error", "nobody", "unsent", "no", 0.0, None, None, None),
    "pool_exhausted": ("error", "ours", "unsent letter", "no", 2.0, "internal", None, None),
    "hop_busy": ("error", "nobody", "", "no", 1.0, None, None, None),
    "robots_unknown": ("error", "nobody", "", "no", 1.0, None, None, None),
    "robots_being_fetched": ("error", "nobody", "unsent", "no", 0.5, None, None, None),
    "robots_fetched": ("error", "nobody", "", "no", 0.0, None, None, None),
    "robots_retry": ("error", "nobody", "unsent", "no", 0.0, None, None, None),
    "proxy_failed": ("error", "proxy", "", "no", 1.0, None, None, None),
    "proxies_cooling": ("error", "proxy", "unsent", "no", 0.0, None, None, None),
    "adapter_disabled": ("error", "nobody", "unsent", "no", 60.0, None, None, None),
    "page_lost": ("error", "ours", "letter", "no", 0.0, "storage", "db_error", None),
    "database_unavailable": ("error", "ours", "letter", "no", 5.0, "storage", "db_error", None),
    "robots": ("robots_blocked", "nobody", "", "no", None, None, None, None),
    "circuit_open": ("error", "domain", "", "no", None, "network", None, CircuitOpen),
    "no_healthy_proxies": ("error", "proxy", "may_pass letter", "no", None, "network", None, NoHealthyProxies),
    "credential_not_found": ("error", "nobody", "", "no", None, None, None, CredentialNotFound),
    "credential_not_allowed": ("error", "nobody", "", "no", None, None, None, CredentialNotAllowed),
    "credentials_unavailable": ("error", "nobody", "", "no", None, None, None, CredentialsUnavailable),
    "archive": ("error", "ours", "may_pass letter", "no", 5.0, "storage", "db_error", None),
    "archive_full": ("error", "ours", "may_pass letter", "no", 5.0, "storage", "db_error", None),
    "task_timeout": ("timeout", "page", "", "no", None, "network", "timeout", TaskTimedOut),
    "adapter_unknown": ("error", "ours", "letter", "no", None, "internal", None, None),
    "worker_lost": ("error", "ours", "letter", "no", None, "internal", None, None),
    "internal": ("error", "ours", "letter", "no", None, "internal", None, None),
    "extract_failed": ("error", "page", "", "no", None, "parse", "parse_error", None),
    "not_a_picture": ("error", "page", "", "no", None, "parse", "parse_error", None),
    "held": ("error", "page", "", "no", None, "validation", None, None),
    "rejected": ("error", "page", "", "no", None, "validation", None, None),
    "robots_blocked": ("robots_blocked", "nobody", "", "no", None, None, None, None),
    "cancelled": ("error", "nobody", "", "no", None, None, None, None),
    "stale": ("error", "nobody", "", "no", None, None, None, None),
    "target_paused": ("error", "nobody", "", "no", None, None, None, None),
    "target_removed": ("error", "nobody", "", "no", None, None, None, None),
    "the caller stopped waiting": ("error", "nobody", "", "no", None, None, None, TaskTimedOut),
}
STATUSES: dict[str, Row] = {
    "http_204": ("error", "page", "", "no", None, "network", None, None),
    "http_302": ("error", "page", "", "no", None, "network", None, None),
    "http_400": ("error", "page", "", "no", None, "network", None, None),
    "http_401": ("blocked", "domain", "", "no", None, "network", None, None),
    "http_403": ("blocked", "domain", "", "after_retries", None, "network", None, None),
    "http_404": ("error", "page", "absent", "no", None, "network", None, None),
    "http_407": ("blocked", "domain", "", "no", None, "network", None, None),
    "http_410": ("error", "page", "absent", "no", None, "network", None, None),
    "http_429": ("error", "domain", "may_pass letter", "after_retries", None, "network", "rate_limit", None),
    "http_451": ("blocked", "domain", "", "no", None, "network", None, None),
    "http_500": ("error", "domain", "may_pass letter", "no", None, "network", None, None),
    "http_502": ("error", "domain", "may_pass letter", "no", None, "network", None, None),
    "http_503": ("error", "domain", "may_pass letter", "no", None, "network", None, None),
    "http_504": ("error", "domain", "may_pass letter", "no", None, "network", None, None),
    "http_520": ("error", "domain", "", "no", None, "network", None, None),
    "http_999": ("error", "domain", "", "no", None, "network", None, None),
}


def row_of(failure: FailureCode) -> Row:
    meaning = failure.meaning
    flags = {
        "may_pass": meaning.may_pass,
        "unsent": meaning.unsent,
        "absent": meaning.absent,
        "review": meaning.review is not None,
        "letter": failure.keeps_letter,
    }
    told = " ".join(name for name, said in flags.items() if said)
    return (meaning.outcome, meaning.fault, told, meaning.other_way, meaning.postpone_s, meaning.kind,
            meaning.letter_type, meaning.raises)  # fmt: skip


@pytest.mark.parametrize("word", [*TABLE, *STATUSES])
def test_c067_e087_every_word_has_its_row(word: str) -> None:
    assert row_of(FailureCode(word)) == (TABLE | STATUSES)[word]


def test_the_table_of_this_test_is_complete() -> None:
    assert list(TABLE) == [failure.value for failure in FailureCode]


@pytest.mark.parametrize("word", ["dsn", "", "http_", "http_50x", "http_5033", "HTTP_503", "http_-12"])
def test_a_word_that_is_not_in_the_table_cannot_be_used(word: str) -> None:
    with pytest.raises(ValueError, match="not a valid FailureCode"):
        FailureCode(word)
    assert find(word) is None


def test_a_row_cannot_be_left_out() -> None:
    with pytest.raises(TypeError, match="no row"):

        class Failing(FailureCode.__base__):  # type: ignore[name-defined, misc]
            __new__ = FailureCode._new_member_  # type: ignore[assignment]
            DNS = "dns"


def test_a_result_says_one_thing() -> None:
    given: dict[str, Any] = {"url": "u", "final_url": "u", "duration_ms": 1}
    for outcome, failure in ((Outcome.OK, FailureCode.DNS), (Outcome.ERROR, None), (Outcome.ERROR, of_status(403))):
        with pytest.raises(ValueError, match="does not end"):
            FetchResult(outcome=outcome, error_class=failure, **given)


def test_a_status_is_the_same_failure_each_time() -> None:
    assert of_status(503) is FailureCode("http_503")
    assert of_status(503).is_status
    assert not FailureCode.DNS.is_status
    assert [f"{of_status(503)}", repr(of_status(503).value)] == ["http_503", "'http_503'"]


def test_r10_sentences_are_for_people() -> None:
    for failure in FailureCode:
        sentence = failure.meaning.sentence
        assert len(sentence) > 10, failure
        assert not sentence.endswith("."), failure
        assert not re.search(r"https?:|\d+\.\d+|_", sentence), failure
    assert sentence_of("http_404") == "the server answered 404"
    assert [sentence_of(None), sentence_of("of_old")] == ["no answer", "of_old"]


def test_the_reason_of_a_task_decides_and_else_its_outcome() -> None:
    assert of_task("error", "dns") is FailureCode.DNS
    assert of_task("internal", "KeyError") is FailureCode.INTERNAL
    assert of_task("extract_failed", Reason.PRICE_NOT_FOUND) is FailureCode.EXTRACT_FAILED
    assert of_task("circuit_open", "domain circuit open") is FailureCode.CIRCUIT_OPEN
    assert of_task("accepted", None) is None


def test_verdicts_have_words_of_their_own() -> None:
    assert [word for kind in (Reason, Hold, Reject) for word in kind if find(word) is not None] == []


@pytest.mark.parametrize(
    "code",
    [
        *[error.code for error in (ChromiumMissing, LaunchFailed, PoolExhausted)],
        *[error.code for error in (ArchiveError, ArchiveFull, DatabaseUnavailable, NoHealthyProxies, ProxiesCooling)],
        *[error.code for error in (CredentialNotFound, CredentialsUnavailable)],
        *WallKind,
    ],
)
def test_what_becomes_a_failure_by_its_name_is_in_the_table(code: str) -> None:
    assert FailureCode(code) == code


# --- that nobody keeps words of his own ---------------------------------------------------------------------

WORDS = {"reason", "error_class", "error_type"}
MAKES_ENDS = {"Ending", "Settlement", "Refusal", "FetchResult", "Letter", "withdraw"}
# A feed's run has codes of its own (feeds/failures.py).
OTHERS = {"run/feed_runs.py"}


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(SRC.rglob("*.py")):
        place = path.relative_to(SRC).as_posix()
        if place not in OTHERS and not place.startswith("db/migrations/"):
            yield place, ast.parse(path.read_text())


def _called(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def test_whoever_ends_a_task_uses_a_word_of_the_table() -> None:
    unknown = [
        f"{place}:{word.value.lineno} {word.arg}={word.value.value!r}"
        for place, tree in _sources()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and _called(call) in MAKES_ENDS
        for word in call.keywords
        if word.arg in WORDS and isinstance(word.value, ast.Constant) and word.value.value is not None
        if find(word.value.value) is None
    ]
    assert unknown == []


def test_nobody_compares_a_failure_with_a_string() -> None:
    literal = [
        f"{place}:{node.lineno}"
        for place, tree in _sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and _word_of(node.left) in WORDS
        for other in node.comparators
        if any(isinstance(part, ast.Constant) and isinstance(part.value, str) for part in ast.walk(other))
    ]
    assert literal == []


def _word_of(node: ast.expr) -> object:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value
    return None


def test_the_words_of_the_queues_sql_are_in_the_table() -> None:
    found = {
        (path.name, *said)
        for path in (SRC / "schedule").rglob("*.sql")
        for said in re.findall(r"\b(outcome|reason) = '([^']+)'", path.read_text())
    }
    assert ("rescue.sql", "reason", "worker_lost") in found
    # The outcome says it; the reason beside it is older than the table and stays as callers know it.
    assert {word for *_, word in found if find(word) is None} == {"domain circuit open"}
