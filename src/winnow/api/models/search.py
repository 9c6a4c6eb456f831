"""What a search asks and finds."""

from __future__ import annotations

from pydantic import Field

from winnow.api.models.fields import ResponseModel
from winnow.api.models.products import SearchHit
from winnow.queries.search.request import SearchPage


class FacetCount(ResponseModel):
    value: str
    count: int


class PriceRangeCount(ResponseModel):
    """From `low` to below `high`; null: without an end."""

    currency: str
    low: int | None
    high: int | None
    count: int


class SearchFacets(ResponseModel):
    """The most frequent values among the matches, with the filters applied."""

    brand: list[FacetCount]
    category: list[FacetCount]
    domain: list[FacetCount]
    availability: list[FacetCount]
    price: list[PriceRangeCount]


class SearchResponse(ResponseModel):
    hits: list[SearchHit]
    total: int = Field(description="Matches that were counted.")
    capped: bool = Field(description="There are more: `total` and the facets count the first of them.")
    facets: SearchFacets
    corrected: dict[str, list[str]] = Field(description="Words nothing has, and what was searched instead.")
    backend: str = Field(description="Who answered: postgresql or search_server.")
    note: str | None = Field(description="Why another one answered than usual.")

    @classmethod
    def of_page(cls, page: SearchPage) -> SearchResponse:
        found = page.found
        return cls(
            hits=[SearchHit.of(row) for row in page.offers],
            total=found.total,
            capped=found.capped,
            facets=SearchFacets.model_validate(found.facets, from_attributes=True),
            corrected=found.corrected,
            backend=page.backend,
            note=page.note,
        )
