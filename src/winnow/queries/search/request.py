"""A search, and what is found: the same for every backend."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal

from winnow.errors import InvalidInput

MAX_QUERY = 200  # characters
MAX_VALUES = 50  # of one filter
MAX_HITS = 1_000  # of one search, over all pages
MAX_FACET = 20  # values of one facet
# Ranked and counted: of a word that is in every name a million are not worth it, and each costs 3 µs.
MAX_MATCHES = 2_000

Sort = Literal["relevance", "newest", "price_asc", "price_desc"]
SORTS: tuple[Sort, ...] = ("relevance", "newest", "price_asc", "price_desc")
AVAILABILITIES = ("IN_STOCK", "OUT_OF_STOCK", "BACKORDER", "UNKNOWN")
# Where a range of prices ends and the next begins, whatever the currency.
PRICE_STEPS = (10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """`everything`: what is stored; otherwise what consumers may see, and be found by (P-092). Several values of one
    filter are alternatives. Prices are compared as numbers: give the currency they are meant in."""

    q: str
    everything: bool
    brand: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    domain: tuple[str, ...] = ()
    availability: tuple[str, ...] = ()
    source_id: int | None = None
    currency: str | None = None
    price_min: Decimal | None = None
    price_max: Decimal | None = None
    rating_min: Decimal | None = None
    sort: Sort = "relevance"
    after: int = 0
    limit: int = 50
    facets: bool = True

    @property
    def order(self) -> Sort:
        """Without words nothing is more relevant than another."""
        return "newest" if self.sort == "relevance" and not self.q else self.sort

    @property
    def is_past_the_end(self) -> bool:
        return self.after >= MAX_HITS

    @property
    def to_fetch(self) -> int:
        """One more than asked for, so that whoever cuts the page knows whether there are more."""
        return min(self.limit, MAX_HITS - self.after) + 1


def check(request: SearchRequest) -> SearchRequest:
    """The request with its words and currency tidied; InvalidInput for what no backend could answer."""
    if len(request.q) > MAX_QUERY:
        raise InvalidInput(f"a search has at most {MAX_QUERY} characters", field="q")
    if "\x00" in request.q:
        raise InvalidInput("a search has no NUL character", field="q")
    for name in ("brand", "category", "domain", "availability"):
        if len(getattr(request, name)) > MAX_VALUES:
            raise InvalidInput(f"at most {MAX_VALUES} values of {name}", field=name)
    if set(request.availability) - set(AVAILABILITIES):
        raise InvalidInput(f"availability is one of {', '.join(AVAILABILITIES)}", field="availability")
    if request.sort not in SORTS:
        raise InvalidInput(f"sort is one of {', '.join(SORTS)}", field="sort")
    if request.price_min is not None and request.price_max is not None and request.price_min > request.price_max:
        raise InvalidInput("price_min is above price_max", field="price_min")
    currency = None if request.currency is None else request.currency.strip().upper()
    return replace(request, q=" ".join(request.q.split()), currency=currency)


@dataclass(frozen=True, slots=True)
class FacetValue:
    value: str
    count: int


@dataclass(frozen=True, slots=True)
class PriceRange:
    """From `low` to below `high`; None: without an end."""

    currency: str
    low: int | None
    high: int | None
    count: int


@dataclass(frozen=True, slots=True)
class Facets:
    """The most frequent values of what was found, with the filters applied."""

    brand: list[FacetValue] = field(default_factory=list)
    category: list[FacetValue] = field(default_factory=list)
    domain: list[FacetValue] = field(default_factory=list)
    availability: list[FacetValue] = field(default_factory=list)
    price: list[PriceRange] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Found:
    """`hits`: offers and scores, best first, one more than a page when there are more. `capped`: there are more matches
    than were counted, so `total` and the counts of facets are of the first of them. `corrected`: words that nothing
    has, and those that were searched instead."""

    hits: list[tuple[int, float]] = field(default_factory=list)
    total: int = 0
    capped: bool = False
    facets: Facets = field(default_factory=Facets)
    corrected: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchPage:
    """One page of offers with their current prices. `note` says in a sentence why another backend answered."""

    offers: list[dict[str, Any]]
    following: str | None
    found: Found
    backend: str
    note: str | None = None


def price_range(currency: str, bucket: int, count: int) -> PriceRange:
    """The n-th range of PRICE_STEPS, counted from 0."""
    low = PRICE_STEPS[bucket - 1] if bucket > 0 else None
    high = PRICE_STEPS[bucket] if bucket < len(PRICE_STEPS) else None
    return PriceRange(currency, low, high, count)
