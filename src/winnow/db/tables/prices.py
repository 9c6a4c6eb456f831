"""What offers cost: the history that only grows. Written by `store/`, and by `feeds/` for its own sources.

A price is integer minor units + ISO currency + the currency's exponent (DESIGN §11.6); DECIMAL
exists in views only.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CHAR,
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Numeric,
    SmallInteger,
    desc,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table

AVAILABILITIES = "'IN_STOCK','OUT_OF_STOCK','BACKORDER','UNKNOWN'"
RUN_TYPES = "'SCRAPE','AFFILIATE_FEED','MANUAL','IMPORT'"


class PriceColumns:
    """What an observation says. `in_stock` follows from `availability`; feeds read the one, pages the
    other, and the check keeps them the same."""

    amount_minor: Mapped[int] = mapped_column(BigInteger)
    currency: Mapped[str] = mapped_column(CHAR(3))
    exponent: Mapped[int] = mapped_column(SmallInteger, server_default="2")
    list_price_minor: Mapped[int | None] = mapped_column(BigInteger)
    shipping_minor: Mapped[int | None] = mapped_column(BigInteger)
    availability: Mapped[str]
    in_stock: Mapped[bool]
    observed_at: Mapped[Moment]
    ingestion_run_type: Mapped[str | None]
    price_signature_hash: Mapped[str | None]


class Price(PriceColumns, Table):
    """The price history: append-only, by trigger (baseline: prices_append_only.sql).

    The run references may be nulled by clean-up, nothing else ever changes. F-034: besides its
    primary key the table has exactly one unique index, because feeds insert ON CONFLICT DO NOTHING;
    a second observation by the same task is refused by the writer (PN-12), not by an index.
    `ingestion_run_type` NULL: from before runs were recorded; consumers see those (PN-15).
    """

    __tablename__ = "prices"

    id: Mapped[Serial]
    # No foreign keys: the two checks cost as much as the append itself. Triggers keep what they promised
    # (baseline: source_products_forget.sql, affiliate_feed_runs_forget.sql).
    source_product_id: Mapped[int] = mapped_column(BigInteger)
    tax_included: Mapped[bool | None]
    promo: Mapped[dict[str, Any] | None]
    ingestion_run_id: Mapped[int | None] = mapped_column(BigInteger)
    affiliate_feed_run_id: Mapped[int | None] = mapped_column(BigInteger)
    task_id: Mapped[UUID | None]
    page_id: Mapped[UUID | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        # P-034: a price of zero is never written. P-033 bounds US dollars only (DESIGN §11.6).
        CheckConstraint("amount_minor >= 1", name="amount_minor"),
        CheckConstraint("currency <> 'USD' OR amount_minor <= 99999999", name="amount_usd"),
        CheckConstraint("list_price_minor >= 1 AND shipping_minor >= 0", name="other_amounts"),
        # The usual ones first: a pattern and a function call per row cost a third of an append.
        CheckConstraint("currency IN ('USD','EUR','GBP') OR currency ~ '^[A-Z]{3}$'", name="currency"),
        CheckConstraint(
            "(currency IN ('USD','EUR','GBP') AND exponent = 2) OR exponent = currency_exponent(currency)",
            name="exponent",
        ),
        CheckConstraint(f"availability IN ({AVAILABILITIES})", name="availability"),
        CheckConstraint("in_stock = (availability = 'IN_STOCK')", name="in_stock"),
        CheckConstraint(f"ingestion_run_type IN ({RUN_TYPES})", name="ingestion_run_type"),
        # P-090: what a page does not say about stock is never accepted.
        CheckConstraint(
            "ingestion_run_type IS DISTINCT FROM 'SCRAPE' OR availability <> 'UNKNOWN'", name="scraped_stock"
        ),
        # F-030: only the affiliate pipeline names a feed run.
        CheckConstraint(
            "affiliate_feed_run_id IS NULL OR ingestion_run_type IS NOT DISTINCT FROM 'AFFILIATE_FEED'",
            name="feed_run",
        ),
        Index(
            "prices_affiliate_dedupe",
            "source_product_id",
            "affiliate_feed_run_id",
            "price_signature_hash",
            unique=True,
            postgresql_where=text("affiliate_feed_run_id IS NOT NULL"),
        ),
        Index("prices_source_product_latest", "source_product_id", desc("created_at")),
        # What was recorded since the last export: the history lies in that order.
        Index(
            "idx_prices_created_at",
            "created_at",
            postgresql_using="brin",
            postgresql_with={"pages_per_range": 32},
        ),
        # DESIGN §11.8: clean-up and corrections look prices up by run.
        Index(
            "idx_prices_ingestion_run_id",
            "ingestion_run_id",
            postgresql_where=text("ingestion_run_id IS NOT NULL"),
        ),
        Index(
            "idx_prices_affiliate_feed_run_id",
            "affiliate_feed_run_id",
            postgresql_using="brin",  # the prices of a run lie together
            postgresql_with={"pages_per_range": 16},
        ),
    )


class LatestPrice(PriceColumns, Table):
    """The newest price of each offer, copied by a trigger on every append (F-138, DESIGN §7).

    Feed and page keep a row each, because an affiliate's current price ignores scraped rows (FN-18).
    """

    __tablename__ = "latest_prices"

    source_product_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    scraped: Mapped[bool] = mapped_column(primary_key=True)
    price_id: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[Moment]

    # Without an index on what changes with every price, a new one takes the place of the old in its page.
    __table_args__ = ({"postgresql_with": {"fillfactor": "70"}},)


class PriceCorrection(Table):
    """An overlay on the history, which itself never changes (ADR-015, P-082).

    Matches prices by every scope that is set, within the window; IGNORE hides them, MULTIPLY scales
    them. The runs it names are kept by clean-up: their references would be nulled and the wrong
    prices come back.
    """

    __tablename__ = "price_corrections"

    id: Mapped[Serial]
    action: Mapped[str]
    factor: Mapped[Decimal | None] = mapped_column(Numeric)
    price_id: Mapped[int | None] = mapped_column(ForeignKey("prices.id"))
    source_product_id: Mapped[int | None] = mapped_column(ForeignKey("source_products.id"))
    source_id: Mapped[int | None] = mapped_column(ForeignKey("sources.id"))
    scrape_run_id: Mapped[int | None] = mapped_column(ForeignKey("scrape_runs.id", ondelete="RESTRICT"))
    affiliate_feed_run_id: Mapped[int | None] = mapped_column(ForeignKey("affiliate_feed_runs.id", ondelete="RESTRICT"))
    observed_from: Mapped[datetime | None]
    observed_until: Mapped[datetime | None]
    reason: Mapped[str]
    created_at: Mapped[Moment]
    created_by: Mapped[str]
    revoked_at: Mapped[datetime | None]
    revoked_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("action IN ('IGNORE','MULTIPLY')", name="action"),
        CheckConstraint("(action = 'MULTIPLY') = (factor IS NOT NULL) AND factor > 0", name="factor"),
        CheckConstraint(
            "num_nonnulls(price_id, source_product_id, source_id, scrape_run_id, affiliate_feed_run_id) >= 1",
            name="scope",
        ),
        CheckConstraint("observed_from < observed_until", name="window"),
        Index("idx_price_corrections_active", "id", postgresql_where=text("revoked_at IS NULL")),
    )
