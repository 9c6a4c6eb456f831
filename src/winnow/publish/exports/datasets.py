"""What can be exported: four sets of rows with fixed columns, and who sees which of them.

Consumers see what their views show (P-092), operators everything that is stored. Columns are never renamed, and
new ones come after those of their audience.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from winnow.errors import InvalidInput


class Type(StrEnum):
    INTEGER = "integer"
    NUMBER = "number"
    AMOUNT = "decimal"
    TEXT = "text"
    FLAG = "boolean"
    MOMENT = "timestamp"
    DAY = "date"
    JSON = "json"


class Audience(StrEnum):
    CONSUMER = "consumer"
    OPERATOR = "operator"


class Column(msgspec.Struct, frozen=True):
    """`minor`: the column of minor units an amount is made from, with the row's `exponent` (DESIGN §11.6)."""

    name: str
    type: Type
    description: str
    minor: str = ""


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """`key` identifies a row and orders the export. `for_operators` are columns that consumers do not see."""

    name: str
    description: str
    key: str
    columns: tuple[Column, ...]
    for_operators: tuple[Column, ...] = ()

    def seen_by(self, audience: Audience) -> tuple[Column, ...]:
        return self.columns + self.for_operators if audience is Audience.OPERATOR else self.columns


CHANGED_AT = Column("changed_at", Type.MOMENT, "When the row was recorded or last changed; what `since` compares.")
_EXPONENT = Column("exponent", Type.INTEGER, "Decimals of the currency.")
_CURRENCY = Column("currency", Type.TEXT, "ISO 4217.")
_PRICE = (
    Column("amount", Type.AMOUNT, "The price as a decimal.", minor="amount_minor"),
    Column("amount_minor", Type.INTEGER, "The price in minor units."),
    _CURRENCY,
    _EXPONENT,
    Column("list_price_minor", Type.INTEGER, "The price before a reduction, in minor units."),
    Column("shipping_minor", Type.INTEGER, "Cost of shipping, in minor units."),
)
_STOCK = (
    Column("availability", Type.TEXT, "IN_STOCK, OUT_OF_STOCK, BACKORDER or UNKNOWN."),
    Column("in_stock", Type.FLAG, "Whether availability is IN_STOCK."),
    Column("observed_at", Type.MOMENT, "When the price was seen."),
)

PRICES = Dataset(
    name="prices",
    description="The price history: one row for each observation, with corrections applied.",
    key="id",
    columns=(
        Column("id", Type.INTEGER, "Identifies the observation."),
        Column("source_product_id", Type.INTEGER, "The offer; `id` of the offers."),
        Column("source_id", Type.INTEGER, "The source that lists it."),
        *_PRICE,
        *_STOCK,
        Column("created_at", Type.MOMENT, "When it was stored."),
        Column("ingestion_run_type", Type.TEXT, "SCRAPE, AFFILIATE_FEED, MANUAL or IMPORT; empty before runs existed."),
        CHANGED_AT,
    ),
    for_operators=(
        Column("ingestion_run_id", Type.INTEGER, "The run that brought it."),
        Column("affiliate_feed_run_id", Type.INTEGER, "The feed run that brought it."),
        Column("page_id", Type.TEXT, "The page it was read on."),
        Column("recorded_minor", Type.INTEGER, "The price as it was recorded, before any correction."),
        Column("correction_id", Type.INTEGER, "The correction that applies."),
        Column("ignored", Type.FLAG, "Whether a correction hides it."),
    ),
)
OFFERS = Dataset(
    name="offers",
    description="Offers with their current price: each product as one source lists it.",
    key="id",
    columns=(
        Column("id", Type.INTEGER, "Identifies the offer."),
        Column("source_id", Type.INTEGER, "The source that lists it."),
        Column("source_name", Type.TEXT, "Its name."),
        Column("product_id", Type.INTEGER, "The product it is an offer of, where that is proved."),
        Column("title", Type.TEXT, "As the source writes it."),
        Column("url", Type.TEXT, "Its page."),
        Column("image_url", Type.TEXT, "Its picture."),
        Column("brand", Type.TEXT, "As the source writes it."),
        Column("category", Type.TEXT, "As the source writes it."),
        Column("sku", Type.TEXT, "The source's own number."),
        *_PRICE,
        *_STOCK,
        Column("priced_at", Type.MOMENT, "When that price was stored."),
        Column("last_seen_at", Type.MOMENT, "When the offer was last seen; of a feed, by a promoted run."),
        Column("unavailable_since", Type.MOMENT, "Since when it is sold out, gone or forbidden."),
        Column("unavailable_reason", Type.TEXT, "sold_out, gone or forbidden."),
        Column("unconfirmed_since", Type.MOMENT, "Last seen at this moment, too long ago to be believed."),
        CHANGED_AT,
    ),
    for_operators=(
        Column("identity_key", Type.TEXT, "What identifies it within its source."),
        Column("mpn", Type.TEXT, "Part number of the manufacturer."),
        Column("gtin", Type.TEXT, "The GTIN a feed states."),
        Column("rating", Type.NUMBER, "Average rating, 0 to 5."),
        Column("review_count", Type.INTEGER, "Number of ratings."),
        Column("description", Type.TEXT, "As the source writes it."),
        Column("attributes", Type.JSON, "Further attributes."),
        Column("created_at", Type.MOMENT, "When it was first stored."),
    ),
)
PRODUCTS = Dataset(
    name="products",
    description="Canonical products: one thing that is sold, whoever sells it.",
    key="id",
    columns=(
        Column("id", Type.INTEGER, "Identifies the product."),
        Column("name", Type.TEXT, "Its name."),
        Column("brand", Type.TEXT, "Its brand."),
        Column("mpn", Type.TEXT, "Part number of the manufacturer."),
        Column("gtin", Type.TEXT, "GTIN with 14 digits."),
        Column("category", Type.TEXT, "Its category."),
        Column("description", Type.TEXT, "Its description."),
        Column("image_url", Type.TEXT, "Its picture."),
        Column("offers", Type.INTEGER, "How many offers of it there are."),
        Column("created_at", Type.MOMENT, "When it was first stored."),
        CHANGED_AT,
    ),
)
EVENTS = Dataset(
    name="events",
    description="Events, each once, whichever of its sources lists it.",
    key="id",
    columns=(
        Column("id", Type.INTEGER, "Identifies the event."),
        Column("source_id", Type.INTEGER, "The source that lists it."),
        Column("source_name", Type.TEXT, "Its name."),
        Column("title", Type.TEXT, "Its title."),
        Column("description", Type.TEXT, "Its description."),
        Column("event_date", Type.DAY, "The local day."),
        Column("event_time", Type.TEXT, "The local hour, HH:MM; TBD where the source states none."),
        Column("starts_at", Type.MOMENT, "Local midnight where event_time is TBD."),
        Column("ends_at", Type.MOMENT, "Its end, where stated."),
        Column("end_date", Type.DAY, "Its last day, where it has several."),
        Column("time_zone", Type.TEXT, "IANA name of the zone."),
        Column("category", Type.TEXT, "One of ten."),
        Column("event_status", Type.TEXT, "scheduled, cancelled, postponed, …"),
        Column("sold_out", Type.FLAG, "Whether it is sold out, where stated."),
        Column("venue_id", Type.INTEGER, "Its venue."),
        Column("venue_name", Type.TEXT, "Name of the venue."),
        Column("location", Type.JSON, "Street, postal code, town and country, as far as known."),
        Column("latitude", Type.NUMBER, "Degrees north."),
        Column("longitude", Type.NUMBER, "Degrees east."),
        Column("precision", Type.TEXT, "How near the coordinates are: exact, street, postcode or town."),
        Column("organiser", Type.TEXT, "Who organises it."),
        Column("performers", Type.JSON, "Who performs."),
        Column("price_low", Type.AMOUNT, "The lowest price as a decimal.", minor="price_low_minor"),
        Column("price_high", Type.AMOUNT, "The highest price as a decimal.", minor="price_high_minor"),
        Column("price_low_minor", Type.INTEGER, "The lowest price in minor units."),
        Column("price_high_minor", Type.INTEGER, "The highest price in minor units."),
        _CURRENCY,
        _EXPONENT,
        Column("image_url", Type.TEXT, "Its picture."),
        Column("url", Type.TEXT, "Its page."),
        Column("ticket_url", Type.TEXT, "Where tickets are sold."),
        Column("language", Type.TEXT, "Language of its text."),
        Column("confidence", Type.NUMBER, "How sure the reading is, 0 to 1."),
        Column("missing_since", Type.MOMENT, "Its source stopped listing it; nobody said why."),
        Column("created_at", Type.MOMENT, "When it was first stored."),
        CHANGED_AT,
    ),
    for_operators=(
        Column("status", Type.TEXT, "Its state in the store."),
        Column("merged_into", Type.INTEGER, "The event it is shown as."),
        Column("source_key", Type.TEXT, "What identifies it within its source."),
    ),
)
DATASETS = {dataset.name: dataset for dataset in (PRICES, OFFERS, PRODUCTS, EVENTS)}


def find(name: str) -> Dataset:
    try:
        return DATASETS[name]
    except KeyError:
        raise InvalidInput(f"what can be exported is {', '.join(DATASETS)}", field="dataset") from None
