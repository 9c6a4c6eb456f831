"""Which column of which network means what (F-076 … F-080, F-134).

A role is what a value is for; each has its column names in order of preference (`vocabulary/data/columns.json`). Names
are compared without case; a second look ignores spaces, underscores and other signs too, so `Sale Price`, `sale_price`
and `SALEPRICE` are one. The names of the feed's own network come first, then the standard ones, then those of other
networks, shop systems and languages: a file in another network's layout is still read.
"""

from __future__ import annotations

from collections.abc import Collection

from winnow.vocabulary.columns import PRICE_WITH_TAX, column_names

VERSION = 8  # F-134: raised when a priority changes, so that a run can say by which table it was mapped

ROLES = (
    "item_id", "sku", "name", "url", "tracking_url", "sale_price", "price", "list_price", "currency", "stock",
    "gtin", "mpn", "brand", "image_url", "category", "description", "condition", "sale_dates", "sale_begins",
    "sale_ends", "status", "handle", "deleted", "action",
)  # fmt: skip

_NAMES = column_names()
NETWORKS = _NAMES.networks
POSITIONS = _NAMES.positions
PRICE_PAID, PRICE_LAST = _NAMES.price_paid, _NAMES.price_last
PRICE_OF_LAST_RESORT, NAME_OF_LAST_RESORT = _NAMES.price_of_last_resort, _NAMES.name_of_last_resort
# Where a file has the price both without and with tax, the second is what is paid: it stands before every other.
PRICES_WITH_TAX = tuple(_NAMES.in_languages(PRICE_WITH_TAX))
_TABLES = NETWORKS | {name: NETWORKS[known.network] | known.columns for name, known in _NAMES.layouts.items()}


def layout_of(names: Collection[str], network: str) -> str:
    """The layout that the names of the columns identify, else that of the feed's network."""
    last_steps = {name.rpartition("/")[2] for name in names}.union(names)
    return next((name for name, known in _NAMES.layouts.items() if known.shown_by <= last_steps), network)


def ignored_columns(layout: str) -> frozenset[str]:
    """Columns without a meaning in this layout: Daisycon's `name` is that of the advertiser's programme."""
    return _NAMES.layouts[layout].ignored if layout in _NAMES.layouts else frozenset()


def priorities(network: str, role: str) -> list[str]:
    """Column names of a role, best first, each once."""
    tables = [_TABLES.get(network, {}), _NAMES.standard]
    tables += [table for name, table in NETWORKS.items() if name != network] + [_NAMES.generic]
    tables += _NAMES.languages.values()
    names = dict.fromkeys(name for table in tables for name in table.get(role, ()))
    own = tables[0].get(role, ())
    return sorted(names, key=lambda name: name in _NAMES.network_words and name not in own)
