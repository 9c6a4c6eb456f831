"""The failures of a feed run, and which of them are retried (F-116 … F-119).

    FeedFailure
    ├── Transient              network, server busy: tried again
    ├── Permanent              retried only after a person changed something
    │   ├── LoginRefused       user name or password
    │   ├── FileMissing, FileForbidden
    │   ├── BadFile            truncated, a bomb, not a catalogue
    │   └── LimitExceeded      FileSize…, RowCount…, UniqueProductLimitExceeded (actual, limit)
    └── Misconfigured          the feed's settings; `hint` says what to change
        └── HostKeyChanged

`code` goes into the run (error_code), `describe` is the text people read: what happened, and what helps.
Neither contains a secret.
"""

from __future__ import annotations

import errno
from enum import StrEnum

from winnow.errors import ConfigError, InvalidInput, WinnowError

MAX_ATTEMPTS = 3  # F-115, FN-10
HINT_SEND_WHOLE = "ask the shop to send it whole; the next run looks again"
HINT_NAME_COLUMN = "say which it is with `winnow feed change FEED --column FIELD=COLUMN`, or ask the shop to add it"
_MORE_ROWS = "if that is right, allow more with `winnow feed change FEED --max-rows N`"


class Retry(StrEnum):
    TRANSIENT = "transient"
    PERMANENT = "permanent"
    CONFIG = "config"


class FeedFailure(WinnowError):
    code = "FEED_FAILURE"
    retry = Retry.TRANSIENT
    hint: str | None = None

    def __init__(self, message: str, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.code
        self.hint = hint or self.hint

    def describe(self, feed: int, run: int) -> str:
        """In one line what happened and what helps, with commands that can be copied."""
        return f"{self}; {self.advice(feed, run)}" if self.hint else str(self)

    def advice(self, feed: int, run: int | None = None) -> str | None:
        return self.hint and self.hint.replace(" FEED ", f" {feed} ").replace(" RUN`", f" {run or 'RUN'}`")


class Transient(FeedFailure):
    code = "NETWORK_ERROR"


class Permanent(FeedFailure):
    code = "PERMANENT_ERROR"
    retry = Retry.PERMANENT


class FeedLoginRefused(Permanent):
    code = "AUTH_FAILED"
    hint = "say them again with `winnow feed change FEED --username NAME --password`"


class FileMissing(Permanent):
    code = "FILE_NOT_FOUND"
    hint = "ask the shop, or correct the path with `winnow feed change FEED --path PATH`"


class FileForbidden(Permanent):
    code = "PERMISSION_DENIED"
    hint = "ask the shop to let this user name read it"


class BadFile(Permanent):
    code = "PARSE_ERROR"


class LimitExceeded(Permanent):
    """A file with more bytes, rows or products than the feed may have (F-073)."""

    what = "limit"

    def __init__(self, actual: int, limit: int) -> None:
        super().__init__(f"{self.what}: {actual} is more than the limit of {limit}")
        self.actual, self.limit = actual, limit

    def __reduce__(self) -> tuple[type[LimitExceeded], tuple[int, int]]:  # it may cross from a parsing child
        return type(self), (self.actual, self.limit)


class FileSizeLimitExceeded(LimitExceeded):
    code = "FILE_SIZE_LIMIT_EXCEEDED"
    what = "bytes"
    hint = "if that is right, allow more with `winnow feed change FEED --max-bytes N`"


class RowCountLimitExceeded(LimitExceeded):
    code = "ROW_COUNT_LIMIT_EXCEEDED"
    what = "rows"
    hint = _MORE_ROWS


class UniqueProductLimitExceeded(LimitExceeded):
    code = "UNIQUE_PRODUCT_LIMIT_EXCEEDED"
    what = "products"
    hint = _MORE_ROWS


class Misconfigured(FeedFailure):
    code = "CONFIG_ERROR"
    retry = Retry.CONFIG


class HostKeyChanged(Misconfigured):
    code = "HOST_KEY_CHANGED"


class NonRetryableError(WinnowError):
    """F-119: ends the job at once; the message begins with [PERMANENT] or [CONFIG]."""

    def __init__(self, classification: Retry, original: BaseException) -> None:
        super().__init__(f"[{classification.upper()}] {original}")
        self.classification, self.original = classification, original
        self.code = getattr(original, "code", None) or "ERROR"


_TRANSIENT = {errno.ETIMEDOUT, errno.ECONNRESET, errno.EPIPE, errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ENETUNREACH}
_PERMANENT = {errno.EACCES, errno.ENOENT, errno.EPERM}
_CONFIG_WORDS = ("CERT", "TLS", "SSL", "VERIFY")
_PERMANENT_WORDS = ("parse", "validation")


def classify(wrong: BaseException) -> Retry:
    """Whether trying again may help. Our own failures say it themselves; others are told by errno and message
    (F-116 … F-118), and what nobody knows is tried again."""
    if isinstance(wrong, FeedFailure):
        return wrong.retry
    number = wrong.errno if isinstance(wrong, OSError) else None
    message = str(wrong)
    if isinstance(wrong, TimeoutError | ConnectionError) or number in _TRANSIENT:
        return Retry.TRANSIENT
    if number in _PERMANENT or isinstance(wrong, InvalidInput):
        return Retry.PERMANENT
    if isinstance(wrong, ConfigError) or any(word in message.upper() for word in _CONFIG_WORDS):
        return Retry.CONFIG
    return Retry.PERMANENT if any(word in message for word in _PERMANENT_WORDS) else Retry.TRANSIENT
