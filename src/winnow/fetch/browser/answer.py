"""The response to a document request of the main frame, and whether the page is worth rendering. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from winnow.fetch.failure import FailureCode, of_status
from winnow.fetch.http.headers import content_type_of, is_text
from winnow.fetch.outcome import FetchRequest

MAX_ENCODINGS = 2
_ENCODINGS = frozenset({"gzip", "x-gzip", "deflate", "br", "zstd", "identity"})
_HTML = frozenset({"", "text/html", "application/xhtml+xml"})


class NavigationOver(Exception):
    """Nothing more is expected of the navigation."""


class NavigationFailed(NavigationOver):
    """It failed, and this is how."""

    def __init__(self, failure: FailureCode, error: str | None = None, retry_after_s: float | None = None) -> None:
        super().__init__(error or failure.meaning.sentence)
        self.failure = failure
        self.retry_after_s = retry_after_s


class Unchanged(NavigationOver):
    """The server says that the page is the one we have (304)."""

    def __init__(self, answer: BrowserAnswer) -> None:
        super().__init__("not modified")
        self.answer = answer


class BrowserAnswer:
    """The response to the newest document request of the main frame."""

    def __init__(self, status: int, headers: Mapping[str, str]) -> None:
        self.status = status
        self.headers = headers
        self.media, self.charset = content_type_of(headers.get("content-type", ""))

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_page(self) -> bool:
        return self.media in _HTML

    @property
    def is_download(self) -> bool:
        return "attachment" in self.headers.get("content-disposition", "")[:64].lower() or not is_text(self.media)


def check(answer: BrowserAnswer, request: FetchRequest) -> None:
    """Ended when nothing of this answer is wanted."""
    _check_status(answer, request)
    _check_body(answer, request)


def _check_status(answer: BrowserAnswer, request: FetchRequest) -> None:
    status = answer.status
    if status == 304 and (request.etag or request.last_modified):
        raise Unchanged(answer)
    if status == 206:  # no range was requested
        raise NavigationFailed(FailureCode.INCOMPLETE)
    if status in (204, 205, 304):  # a browser stays where it is
        raise NavigationFailed(of_status(status))


def _check_body(answer: BrowserAnswer, request: FetchRequest) -> None:
    headers = answer.headers
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) > request.max_bytes:
        raise NavigationFailed(FailureCode.TOO_LARGE)
    encodings = [name.strip().lower() for name in headers.get("content-encoding", "").split(",") if name.strip()]
    if len(encodings) > MAX_ENCODINGS or not _ENCODINGS.issuperset(encodings):
        raise NavigationFailed(FailureCode.ENCODING)
    if length and "transfer-encoding" in headers:
        raise NavigationFailed(FailureCode.PROTOCOL)
    if answer.is_download and answer.ok:
        raise NavigationFailed(FailureCode.DOWNLOAD)
