"""Every error Winnow raises on purpose.

    WinnowError
    ├── ConfigError            the operator has to change something; the message says what
    ├── DatabaseUnavailable    no database right now; callers wait and go on
    ├── InvalidInput           a value given by a person or a caller is wrong (API: 422)
    ├── NotFound               the thing named does not exist (API: 404)
    ├── Conflict               it exists already, or changed meanwhile (API: 409)
    ├── QueueFull              no room for more work right now; carries when to ask again (API: 503)
    │   ├── CircuitOpen        … because the domain keeps failing (API: 503)
    │   └── Stopping           … because this process ends (API: 503)
    ├── TaskFailed             the task whose result a caller waited for failed (API: 502)
    │   └── TaskTimedOut       … or was not done in time (API: 504)
    ├── UrlRefused             the URL may not be stored or fetched (API: 422)
    ├── HostUnresolved         the name has no usable answer right now; nothing is dialled
    ├── ProxyFailed            a proxy is not there, does not let us in, or does not speak its protocol
    │   ├── ProxySilent        … accepted the connection and then did not answer in time
    │   └── NoTunnel           … speaks HTTP but makes no connection to this port
    ├── NoHealthyProxies       every proxy that may be used is down (API: 503)
    ├── ProxiesCooling         every one was used for this domain a moment ago; carries how long to wait
    ├── CredentialsUnavailable the backend gives no credential for a request right now (API: 502)
    │   ├── CredentialNotFound … because it has none for this workspace and provider (API: 502)
    │   └── CredentialNotAllowed … because the page's host is not listed for the provider (API: 422 or 502)
    ├── ServiceFailed          an outside service (a language model, a geocoder) gave no answer; carries why
    ├── SearchServerFailed     the search server gave no answer; carries its status
    ├── SealBroken             a stored secret cannot be opened: altered, moved, or its key is lost
    ├── ArchiveError           a page body could not be stored or read back
    │   └── ArchiveFull        … because the disk or quota is full; nothing half-written is left
    ├── StaleFence             this worker no longer owns the task it tried to write
    └── Defect                 an unexpected error; commands print it in one line

Each carries one sentence for a person. `code` is the stable word for machines. Commands print the
sentence and exit with 1; they never show a traceback for these.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class WinnowError(Exception):
    code = "error"


class ConfigError(WinnowError):
    code = "config"


class DatabaseUnavailable(WinnowError):
    code = "database_unavailable"


class InvalidInput(WinnowError):
    """Invalid input. Carries the field it is about, if any, and all further errors of the input."""

    code = "invalid"

    def __init__(self, message: str, field: str | None = None, further: Sequence[InvalidInput] = ()) -> None:
        super().__init__(message)
        self.field = field
        self.further = tuple(further)


class Forbidden(WinnowError):
    code = "forbidden"


class NotFound(WinnowError):
    code = "not_found"


class Conflict(WinnowError):
    """`existing` is the id of the existing object, so that a caller can use it (R-07)."""

    code = "conflict"

    def __init__(self, message: str, existing: str | None = None) -> None:
        super().__init__(message)
        self.existing = existing


class QueueFull(WinnowError):
    code = "queue_full"

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class CircuitOpen(QueueFull):
    code = "circuit_open"

    def __init__(self, message: str, retry_after_s: float = 60.0) -> None:  # half of the time one stays open (S-007)
        super().__init__(message, retry_after_s)


class Stopping(QueueFull):
    code = "stopping"


class TaskFailed(WinnowError):
    """`task_id` is the task to ask for, where there is one."""

    code = "task_failed"

    def __init__(self, message: str, task_id: str | None = None) -> None:
        super().__init__(message)
        self.task_id = task_id


class TaskTimedOut(TaskFailed):
    code = "timeout"


class UrlRefused(InvalidInput):
    code = "url_refused"

    def __init__(self, message: str) -> None:
        super().__init__(message, field="url")


class StaleFence(WinnowError):
    code = "stale_fence"


class Defect(WinnowError):
    code = "defect"


class HostUnresolved(WinnowError):
    code = "dns"


class ProxyFailed(WinnowError):
    code = "proxy"


class ProxySilent(ProxyFailed):
    code = "proxy_silent"


class NoTunnel(ProxyFailed):
    pass


class NoHealthyProxies(WinnowError):
    code = "no_healthy_proxies"


class ProxiesCooling(WinnowError):
    code = "proxies_cooling"

    def __init__(self, message: str, wait_seconds: float) -> None:
        super().__init__(message)
        self.wait_seconds = wait_seconds


class CredentialsUnavailable(WinnowError):
    code = "credentials_unavailable"


class CredentialNotFound(CredentialsUnavailable):
    code = "credential_not_found"


class CredentialNotAllowed(CredentialsUnavailable):
    code = "credential_not_allowed"


class Trouble(StrEnum):
    """Why an outside service gave no answer, and with it what to do: ask later (away, busy, spent), or change
    something (refused), or go on without (off, nonsense)."""

    OFF = "off"
    AWAY = "away"
    BUSY = "busy"
    SPENT = "spent"
    REFUSED = "refused"
    NONSENSE = "nonsense"


class ServiceFailed(WinnowError):
    code = "service_failed"

    def __init__(self, trouble: Trouble, message: str, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.trouble = trouble
        self.retry_after_s = retry_after_s


class SearchServerFailed(WinnowError):
    code = "search_server_failed"

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class SealBroken(WinnowError):
    code = "sealed"


class ArchiveError(WinnowError):
    code = "archive"


class ArchiveFull(ArchiveError):
    code = "archive_full"
