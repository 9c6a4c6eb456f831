"""Recorded pages: a page as it was, when it was read, and what it says. One folder per case, frozen for good.

pages/in-stock/page.html      the bytes as they came
pages/in-stock/case.json      url, fetched_at, charset, currency, locale, timezone, and what is expected of each field
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.extract.adapter import Adapter, Context
from winnow.extract.page import Page
from winnow.judge.compare import Difference, Facts, PageFacts, differences
from winnow.kinds.assess import assess
from winnow.kinds.facts import facts_of
from winnow.kinds.registry import all_kinds

PAGES = "pages"
BODY, CASE = "page.html", "case.json"


class Case(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A recorded page without its bytes. `expected` has every field that is on it."""

    url: str
    fetched_at: datetime
    expected: Facts
    final_url: str | None = None
    charset: str = "utf-8"
    content_type: str = "text/html"
    status_code: int = 200
    currency: str | None = None
    locale: str | None = None
    timezone: str | None = None


class CaseResult(msgspec.Struct, frozen=True):
    name: str
    found: Facts
    differences: list[Difference]


def cases(home: Path) -> Iterator[Path]:
    """The cases of an adapter's folder, in order."""
    pages = home / PAGES
    yield from sorted(path for path in pages.iterdir() if (path / CASE).is_file()) if pages.is_dir() else ()


def run_case(folder: Path, adapter: Adapter) -> CaseResult:
    case, page = load(folder)
    kind = all_kinds().get(adapter.kind)
    found = single(facts_of(assess(page, adapter, kind, context_of(case)), kind))
    return CaseResult(folder.name, found, differences(case.expected, found))


def single(facts: PageFacts) -> Facts:
    """The facts of a page with one record; of a list, each field with the key of its record before it."""
    if len(facts) == 1:
        return next(iter(facts.values()))
    return {f"{key}.{name}": value for key, own in sorted(facts.items()) for name, value in own.items()}


def load(folder: Path) -> tuple[Case, Page]:
    try:
        case = msgspec.json.decode((folder / CASE).read_bytes(), type=Case)
        body = (folder / BODY).read_bytes()
    except FileNotFoundError as missing:
        raise NotFound(f"the recorded page {folder.name} has no {Path(missing.filename).name}") from None
    except msgspec.DecodeError as wrong:
        raise InvalidInput(f"{folder / CASE} cannot be read: {wrong}") from None
    page = Page(case.final_url or case.url, body, case.fetched_at, case.charset, case.content_type, case.status_code)
    return case, page


def context_of(case: Case) -> Context:
    return Context(source_id="", retailer_id="", run_id="", target_id="", url=case.url, now=case.fetched_at,
                   currency=case.currency, locale=case.locale, timezone=case.timezone)  # fmt: skip


def record(folder: Path, case: Case, body: bytes) -> None:
    """Write a new case; an existing one is never overwritten."""
    if folder.exists():
        raise Conflict(f"there is a recorded page {folder} already")
    folder.mkdir(parents=True)
    (folder / BODY).write_bytes(body)
    freeze(folder, case)


def freeze(folder: Path, case: Case) -> None:
    (folder / CASE).write_bytes(msgspec.json.format(msgspec.json.encode(case), indent=2) + b"\n")
