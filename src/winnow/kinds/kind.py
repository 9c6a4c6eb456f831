"""A kind: the pure functions that turn a page into records, and the name of the writer that stores them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import xxhash
from pydantic import BaseModel

from winnow.errors import InvalidInput
from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.judge.compare import Facts
from winnow.judge.verdict import Verdict

RESULTS_WRITER = "winnow.kinds.writers.results:ResultsWriter"
NAME_PATTERN = "[a-z][a-z_]{0,31}"  # the same as the CHECK of the columns called `kind`


class FieldProblem(msgspec.Struct, frozen=True, gc=False):
    """Why a value that the page states could not be read; `details` quotes what stood there."""

    why: str
    details: str = ""


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """A record as it is kept: its JSON, and what stands beside it. Two records with one `digest` say the same."""

    payload: bytes
    digest: str
    provenance: dict[str, str] = {}
    problems: dict[str, FieldProblem] = {}
    confidence: float = 1.0


Payload = Mapping[str, Any]  # the JSON of a record, decoded


def no_fast_reading(_page: Page, _ctx: Context) -> Extraction | None:
    """The answer of a kind that cannot be read without a DOM."""
    return None


def content_of_struct(record: Any, _ctx: Context) -> Content:
    """Content of a record that is a msgspec Struct."""
    payload = msgspec.json.encode(record)
    return Content(payload=payload, digest=digest(payload))


def digest(payload: bytes) -> str:
    return xxhash.xxh3_128_hexdigest(payload)


def facts_of_payload(payload: Payload) -> Facts:
    """Every stated field as text, for comparing two readings."""
    stated = {name: value for name, value in payload.items() if value not in (None, "", [], {})}
    return {n: v if isinstance(v, str) else msgspec.json.encode(v).decode() for n, v in stated.items()}


def no_correction(payload: Payload, values: Payload) -> Payload:
    """The correction of a kind whose records a person can only accept or reject."""
    if values:
        raise InvalidInput(f"a record of this kind has no {next(iter(values))} that could be corrected")
    return payload


def no_gauges(_verdict: Verdict) -> tuple[str, ...]:
    return ()


def never_defers(_verdict: Verdict) -> bool:
    return False


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """`adapter_id` names the generic adapter that reads pages of this kind where a site has none of its own.

    `read` and `fast` find drafts, links, and whether the page is empty; `fast` needs no DOM and answers None where only
    `read` can tell. `normalise` gives the record of a draft, `judge` its verdict, `key` what identifies it within its
    source and kind ("" where nothing does), `content` what is kept of it.

    Of a stored record, `facts` says what is compared in a replay, `corrected` what a person's correction makes of it,
    and `judge_stored` its verdict without a history, for the currency its source sells in. `gauges` names the counters
    a verdict adds to, `defers` whether the detail page may supply what the verdict misses.

    `target_type` is the name under which the scraping service offers it, `model` the schema of its result;
    `personal` kinds keep only their result;
    `wait_for` (a CSS selector) and `scrolls`: what a browser does on a page of it (S-051);
    `needs_price`: adapters refuse pages without one (P-010);
    `blames_adapter`: unreadable pages speak of the adapter, not of the source (P-084);
    `holds_pages`: its writer looks at whole pages before their records, and may hold one as a whole (DESIGN §11.31).
    """

    name: str
    version: str
    read: Callable[[Page, Context], Extraction]
    normalise: Callable[[Draft, Context], Any]
    judge: Callable[[Any, Draft, Context], Verdict]
    key: Callable[[Any, Context], str]
    fields: tuple[str, ...] = ()
    adapter_id: str = ""
    fast: Callable[[Page, Context], Extraction | None] = no_fast_reading
    content: Callable[[Any, Context], Content] = content_of_struct
    facts: Callable[[Payload], Facts] = facts_of_payload
    corrected: Callable[[Payload, Payload], Payload] = no_correction
    judge_stored: Callable[[Payload, str | None], Verdict] | None = None
    gauges: Callable[[Verdict], tuple[str, ...]] = no_gauges
    defers: Callable[[Verdict], bool] = never_defers
    writer: str = RESULTS_WRITER
    target_type: str | None = None
    model: type[BaseModel] | None = None
    personal: bool = False
    needs_browser: bool = False
    wait_for: str = ""
    scrolls: int = 0
    needs_retailer: bool = False
    needs_price: bool = False
    blames_adapter: bool = False
    holds_pages: bool = False

    @property
    def generic_adapter(self) -> str:
        return self.adapter_id or self.target_type or self.name
