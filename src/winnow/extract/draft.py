"""Raw extracted values, each with where it came from, before anything is interpreted.

A draft guesses nothing: it lists every candidate in the order the strategy trusts them, as the
text that stood on the page. `normalise/` reads them, `judge/` decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from winnow.extract.selector_set import SelectorSet

MAX_BLOCK = 20_000  # characters of one draft's block
MAX_BLOCKS = 2_000_000  # of all blocks of a page: they cross from the parser's process and are stored for 30 days


class Strategy(StrEnum):
    """Which kind of evidence a value came from, in waterfall order (DESIGN §6)."""

    ADAPTER = "adapter"
    HYDRATION = "hydration"
    JSON_LD = "json_ld"
    MICRODATA = "microdata"
    FEED = "feed"
    DOM = "dom"


class Reason(StrEnum):
    """Why a page gave no draft (P-010)."""

    SELECTOR_NOT_FOUND = "SELECTOR_NOT_FOUND"
    PRICE_NOT_FOUND = "PRICE_NOT_FOUND"
    TITLE_NOT_FOUND = "TITLE_NOT_FOUND"
    PAGE_STRUCTURE_CHANGED = "PAGE_STRUCTURE_CHANGED"
    BLOCKED_PAGE = "BLOCKED_PAGE"
    EMPTY_PAGE = "EMPTY_PAGE"
    OOS_NO_PRICE = "OOS_NO_PRICE"


class Value(msgspec.Struct, frozen=True, gc=False):
    """One candidate: the text as it stood, the strategy that found it, and the place on the page.

    `numeric` says the raw text was a number of a data format (a JSON number), whose dot can only be
    the decimal point; written text such as "1.299" can mean a thousand. `currency` is the currency
    stated together with this very price, so that offers in two currencies cannot be mixed up.
    """

    raw: str
    strategy: Strategy
    path: str
    numeric: bool = False
    currency: str = ""


class Draft(msgspec.Struct, frozen=True):
    """Candidates per field. Offer fields: title, price, list_price, currency, availability, sku,
    product_id, gtin, mpn, brand, image, description, url, category, condition, shipping; of the catalogue also
    image_alt (at the path of its image), rating, rating_best, review_count, breadcrumb (one for each step).

    Several candidates of `price` all claim to be the selling price. What is on the page but is not a
    selling price has a field of its own: `price_from` (the lowest of many) and `price_unit` (per kilo,
    per round). `lang` is the page's language, `attribute.<name>` a property the page lists.

    `block` is the part of the page the draft was read from, as it stood (E-103); `limit_blocks` keeps it short."""

    kind: str
    values: dict[str, list[Value]]
    block: str = ""

    def first(self, field: str) -> Value | None:
        found = self.values.get(field)
        return found[0] if found else None


def limit_blocks(drafts: Sequence[Draft]) -> list[Draft]:
    """Shorten each block, and drop those of later drafts when the page's are too many."""
    left, kept = MAX_BLOCKS, []
    for draft in drafts:
        block = draft.block[: min(MAX_BLOCK, left)].replace("\0", "")  # PostgreSQL stores no NUL in text
        left -= len(block)
        kept.append(draft if block == draft.block else msgspec.structs.replace(draft, block=block))
    return kept


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """One strategy tried on a page: what the insight's trace is made of (E-055)."""

    strategy: Strategy
    drafts: int
    note: str = ""


class Role(StrEnum):
    """What a link of a page leads to (DESIGN §11.28)."""

    NEXT_PAGE = "next_page"  # the next page of the same list
    DETAIL = "detail"  # the page of one entry of a list
    FEED = "feed"  # RSS, Atom, ICS, or data of the same list
    ITEM = "item"  # a page of its own that the run was not asked for by name
    IMAGE = "image"
    # What only a crawl follows: pages that other pages link to, not those that an adapter names (extract/links/).
    SITEMAP = "sitemap"
    LISTING = "listing"  # a list of products
    PAGE = "page"  # a page of the site of which nothing is known
    VARIANT = "variant"  # a page with unknown parameters: perhaps another view of a known one


class Link(msgspec.Struct, frozen=True):
    """A further page to visit. `draft` is the position of the draft a detail page completes; `seed` is that draft,
    which travels with the follow-up. `listed`, of a further page or view of a list: a digest of the products on the
    page before it; of a sitemap: in how many indexes it stands."""

    url: str
    role: Role
    draft: int | None = None
    seed: Draft | None = None
    listed: str | None = None


class Extracted(msgspec.Struct, frozen=True, tag="extracted"):
    """`empty` quotes the page where it says itself that there is nothing to list; `cut` counts what a limit of the
    reader left out; `cms` is the system the page was made with (E-052),
    `selectors` what matches the entries of its list (E-058)."""

    drafts: list[Draft]
    strategy: Strategy
    trace: list[Attempt] = []
    links: list[Link] = []
    empty: str | None = None
    cut: int = 0
    cms: str = ""
    selectors: SelectorSet | None = None


class Failure(msgspec.Struct, frozen=True, tag="failure"):
    reason: Reason
    details: str = ""
    trace: list[Attempt] = []


Extraction = Extracted | Failure
