"""Offers, and whether their source is trusted. Written by `store/`, and by `feeds/` for its own sources.

The small rows around an offer (identifiers, presence, latest price, seen) have no foreign key to it: the
check costs 6 µs a row, a third of a feed's first load. They go with their offer by a trigger instead
(baseline: source_products_forget.sql).
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    ARRAY,
    CHAR,
    BigInteger,
    CheckConstraint,
    Computed,
    ForeignKey,
    Index,
    Numeric,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table

# P-023 for pages, F-023 for feeds; SKU is both. The hash of URL has 16 digits (P-024), that of
# URL_HASH 64 (F-040): different rules, so they are different types (FN-18).
IDENTITY_TYPES = "'PID','SKU','URL','IMPACT_ITEM_ID','URL_HASH'"


class SourceProduct(Table):
    """One offer: a product as one source lists it (F-023 … F-025, P-061, FN-15).

    Nothing here says whether it is active (derived from presence, F-029) or what it costs (F-050).
    `url_hash` is the catalogue's SHA-256 of the URL (C-041), `normalized_url_hash` the feed's (F-040).
    `content_hash` digests the extracted data: unchanged leaves `updated_at` alone (C-042).
    `resolve_requested_at` is the resolver's job (P-079), cleared when it has looked.
    """

    __tablename__ = "source_products"

    id: Mapped[Serial]
    # No foreign key: 17 µs a row of a feed's first load. A source with offers cannot be deleted all the same
    # (baseline: sources_keep_offers.sql).
    source_id: Mapped[int] = mapped_column(BigInteger)
    identity_type: Mapped[str]
    identity_value: Mapped[str]
    identity_key: Mapped[str] = mapped_column(Computed("identity_type || ':' || identity_value", persisted=True))
    title: Mapped[str]
    url: Mapped[str]
    url_hash: Mapped[str | None] = mapped_column(CHAR(64))
    domain: Mapped[str | None]
    image_url: Mapped[str | None]
    brand: Mapped[str | None]
    description: Mapped[str | None]
    category: Mapped[str | None]
    condition: Mapped[str | None]
    sku: Mapped[str | None]
    retailer_product_id: Mapped[str | None]
    mpn: Mapped[str | None]
    gtin: Mapped[str | None]  # what a feed says; codes of scraped offers are rows of source_product_codes
    impact_item_id: Mapped[str | None]
    normalized_url_hash: Mapped[str | None]
    rating: Mapped[Decimal | None] = mapped_column(Numeric(3, 2))
    review_count: Mapped[int | None]
    attributes: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    breadcrumbs: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    # What its page said last; NULL for offers of feeds, whose prices say it.
    availability: Mapped[str | None]
    price_minor: Mapped[int | None] = mapped_column(BigInteger)
    price_currency: Mapped[str | None] = mapped_column(CHAR(3))
    # Why a price that its page states is not believed.
    price_withheld: Mapped[str | None]
    # Of each field: where it was read and how sure that is (C-068); products of the catalogue only.
    field_sources: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    content_hash: Mapped[str | None] = mapped_column(CHAR(64))
    adapter_version: Mapped[str | None]
    created_by_run_id: Mapped[int | None] = mapped_column(BigInteger)
    # The feed run that brought it: since then it is in step with its feed (baseline: 7_views/03_offer_presence.sql).
    feed_run_id: Mapped[int | None] = mapped_column(BigInteger)
    last_updated_by_run_id: Mapped[int | None] = mapped_column(BigInteger)
    resolve_requested_at: Mapped[datetime | None]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        UniqueConstraint("source_id", "identity_key", name="source_products_source_identity_key_unique"),
        # F-024's key (source_id, identity_type, identity_value) is this one in other words: no type has a colon.
        CheckConstraint(f"identity_type IN ({IDENTITY_TYPES})", name="identity_type"),
        # P-025: not empty, at most 255 characters, and no colon where the key is split at it.
        CheckConstraint("char_length(identity_value) BETWEEN 1 AND 255", name="identity_value_length"),
        CheckConstraint(
            "identity_type NOT IN ('PID','URL') OR position(':' in identity_value) = 0",
            name="identity_value_colon",
        ),
        CheckConstraint("rating BETWEEN 0 AND 5", name="rating"),
        CheckConstraint("review_count >= 0", name="review_count"),
        CheckConstraint("(price_minor IS NULL) = (price_currency IS NULL)", name="price_pair"),
        CheckConstraint("availability IN ('IN_STOCK','OUT_OF_STOCK','BACKORDER','UNKNOWN')", name="availability"),
        # F-024 asks for an index on source_id as well: it is this one's first column.
        # With the run, so that counting the offers in step with a feed reads no offer.
        Index("sp_source_id_id_idx", "source_id", "id", postgresql_include=["feed_run_id"]),
        Index(
            "idx_source_products_impact_item_id",
            "impact_item_id",
            # Where it is the identity, the key above finds it.
            postgresql_where=text("impact_item_id IS NOT NULL AND identity_type <> 'IMPACT_ITEM_ID'"),
        ),
        # Nobody asks more than whether it is the same, and SKUs come in no order: a tree took half as long again.
        Index("idx_source_products_sku", "sku", postgresql_using="hash", postgresql_where=text("sku IS NOT NULL")),
        Index("idx_source_products_url_hash", "url_hash", postgresql_where=text("url_hash IS NOT NULL")),
        # C-035: what products of pages are listed by. Offers of feeds are not: each tree would cost their load a tenth.
        *(
            Index(f"idx_source_products_{name}", column, postgresql_where=text("feed_run_id IS NULL"))
            for name, column in (
                ("domain_id", "domain"),
                ("price", "price_minor"),
                ("availability", "availability"),
                ("created_at", "created_at"),
                ("brand", "brand"),
                ("category", "category"),
            )
        ),
        # What changed since the search index was last brought up to date.
        Index("idx_source_products_updated_at", "updated_at", postgresql_using="brin"),
        Index(
            "idx_source_products_unresolved",
            "resolve_requested_at",
            postgresql_where=text("resolve_requested_at IS NOT NULL"),
        ),
        {"postgresql_with": {"fillfactor": "85"}},
    )


class SourceProductCode(Table):
    """What a scraped source says the product is called elsewhere (P-016). Read it through the view
    `source_product_identifiers`, which has those of feeds as well."""

    __tablename__ = "source_product_codes"

    source_product_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    type: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str] = mapped_column(primary_key=True)
    created_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("type IN ('GTIN','UPC','EAN','ISBN','MPN','SKU','ASIN')", name="type"),
        CheckConstraint("char_length(value) BETWEEN 1 AND 255", name="value"),
        Index("idx_source_product_codes_value", "type", "value"),
    )


class SourceProductPresence(Table):
    """When the offer was seen, and when it was last promoted; NULL = never (F-026, F-027).

    States are derived when asked (F-029): there is no status column. An offer of a feed has no row here while
    every run sees it: it is in step with its feed. `left_by_run_id` is the first run that missed it, and
    `back_run_id` the one that saw it again. `removed_by_run_id` is the run whose file said that it is to be removed:
    hidden as soon as that run is promoted. Read it through the view `offer_presence`.
    `unavailable_since` and its reason are what a page or server stated last; being seen clears them. `target_id` is the
    target that saw it last: its `expected_every` decides when the offer counts as unconfirmed (DESIGN §11.33).
    """

    __tablename__ = "source_product_presence"

    source_product_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    last_seen_at: Mapped[datetime]
    last_seen_success_at: Mapped[datetime | None]
    left_by_run_id: Mapped[int | None] = mapped_column(BigInteger)
    back_run_id: Mapped[int | None] = mapped_column(BigInteger)
    removed_by_run_id: Mapped[int | None] = mapped_column(BigInteger)
    target_id: Mapped[int | None] = mapped_column(BigInteger)
    unavailable_since: Mapped[datetime | None]
    unavailable_reason: Mapped[str | None]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("unavailable_reason IN ('sold_out','gone','forbidden')", name="unavailable_reason"),
        CheckConstraint("(unavailable_since IS NULL) = (unavailable_reason IS NULL)", name="unavailable"),
        Index("spp_last_seen_success_at_idx", "last_seen_success_at"),
        # What one run moved: for taking it back (F-140) and for seeing identities change (F-039).
        Index("spp_left_by_run_idx", "left_by_run_id", postgresql_where=text("left_by_run_id IS NOT NULL")),
        Index("spp_back_run_idx", "back_run_id", postgresql_where=text("back_run_id IS NOT NULL")),
        {"postgresql_with": {"fillfactor": "80"}},
    )


class SourceTrust(Table):
    """May consumers see what was scraped from this source, and may its UPCs be believed (P-094).

    Every source gets its row, not eligible, when it is added (baseline: sources_default_trust.sql).
    `expiry_hours` hides offers of a source that is not a feed once unseen for so long; NULL = never.
    """

    __tablename__ = "source_trust_config"

    source_id: Mapped[int] = mapped_column(
        ForeignKey("sources.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    visibility_status: Mapped[str] = mapped_column(server_default="INELIGIBLE")
    upc_trusted: Mapped[bool] = mapped_column(server_default=text("false"))
    expiry_hours: Mapped[int | None]
    reviewed_at: Mapped[datetime | None]
    reviewed_by: Mapped[str | None]
    note: Mapped[str | None]
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("visibility_status IN ('ELIGIBLE','INELIGIBLE')", name="visibility_status"),
        CheckConstraint("expiry_hours >= 1", name="expiry_hours"),
    )
