"""The right to send one request to a domain, now.

`good_until` is the holder's own monotonic clock, read before the grant was asked for, plus 100 ms: an upper bound of
its age that needs no clock of anybody else. So a grant means nothing in another process and never travels to one:
there it is exchanged for a new one (`Ledger.exchange`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime
from typing import NoReturn

GRANT_SECONDS = 0.1  # a grant is for sending within 100 ms (DESIGN §11.11)


@dataclass(frozen=True, slots=True)
class Grant:
    """`granted_at` and `stamp` are the moments it was written under in PostgreSQL's log and in that of another ledger
    (None and 0: not there), by which it can be given back. Without `good_until` it can only be given back."""

    lane: str
    granted_at: datetime | None
    stamp: int = 0
    good_until: float = -math.inf

    def __reduce__(self) -> NoReturn:
        raise TypeError("a grant is good only in the process that holds it")
