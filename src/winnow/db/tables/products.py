"""Canonical products, which offers are of them, and their pictures. Written by `store/`."""

from __future__ import annotations

from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    CHAR,
    BigInteger,
    CheckConstraint,
    Date,
    ForeignKey,
    Index,
    Integer,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class Product(Table):
    """One thing that is sold, whoever sells it (P-004, DESIGN §11.2).

    `gtin` has 14 digits, shorter codes padded with zeros. `brand_key` and `mpn_key` are brand and
    part number as the resolver compares them (case, spaces and punctuation away). A part number
    identifies a product only where no GTIN says otherwise.
    """

    __tablename__ = "products"

    id: Mapped[Serial]
    name: Mapped[str]
    brand: Mapped[str | None]
    mpn: Mapped[str | None]
    gtin: Mapped[str | None] = mapped_column(CHAR(14))
    brand_key: Mapped[str | None]
    mpn_key: Mapped[str | None]
    category: Mapped[str | None]
    description: Mapped[str | None]
    image_url: Mapped[str | None]
    attributes: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("gtin ~ '^[0-9]{14}$'", name="gtin"),
        CheckConstraint("(brand_key IS NULL) = (mpn_key IS NULL)", name="brand_mpn_pair"),
        CheckConstraint("gtin IS NOT NULL OR mpn_key IS NOT NULL", name="identified"),
        Index("products_gtin_key", "gtin", unique=True, postgresql_where=text("gtin IS NOT NULL")),
        Index(
            "products_brand_mpn_key",
            "brand_key",
            "mpn_key",
            unique=True,
            postgresql_where=text("gtin IS NULL"),
        ),
        Index("idx_products_brand_mpn", "brand_key", "mpn_key", postgresql_where=text("mpn_key IS NOT NULL")),
    )


class ProductLink(Table):
    """Which product an offer is of and what proved it; never fuzzy (DESIGN §7)."""

    __tablename__ = "product_links"

    source_product_id: Mapped[int] = mapped_column(
        ForeignKey("source_products.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    product_id: Mapped[int] = mapped_column(ForeignKey("products.id", ondelete="CASCADE"))
    method: Mapped[str]
    evidence: Mapped[str]
    linked_at: Mapped[Moment]
    linked_by: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("method IN ('gtin','brand_mpn','sku','manual')", name="method"),
        CheckConstraint("method <> 'manual' OR linked_by IS NOT NULL", name="manual"),
        Index("idx_product_links_product_id", "product_id"),
    )


class ProductConflict(Table):
    """An offer whose evidence is ambiguous: held for a person, who links it by hand (DESIGN §7)."""

    __tablename__ = "product_conflicts"

    source_product_id: Mapped[int] = mapped_column(
        ForeignKey("source_products.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    reason: Mapped[str]
    candidates: Mapped[list[int]] = mapped_column(ARRAY(BigInteger), server_default=text("'{}'::bigint[]"))
    evidence: Mapped[str]
    found_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("reason IN ('several_gtins','brand_differs','several_products')", name="reason"),
        Index("idx_product_conflicts_found_at", "found_at"),
    )


class Image(Table):
    """A picture of an offer (C-036). `product_id` is the catalogue's product: an offer (DESIGN §11.2)."""

    __tablename__ = "images"

    id: Mapped[Serial]
    product_id: Mapped[int] = mapped_column(ForeignKey("source_products.id", ondelete="CASCADE"))
    image_url: Mapped[str]
    image_path: Mapped[str | None]
    alt_text: Mapped[str | None]
    image_type: Mapped[str] = mapped_column(server_default="primary")
    position: Mapped[int] = mapped_column(server_default="0")
    # Whether its bytes are fetched too; of the others only the address is kept.
    wanted: Mapped[bool] = mapped_column(server_default=text("true"))
    width: Mapped[int | None]
    height: Mapped[int | None]
    file_size: Mapped[int | None] = mapped_column(BigInteger)
    content_hash: Mapped[str | None]
    content_type: Mapped[str | None]
    attempts: Mapped[int] = mapped_column(Integer, server_default="0")
    last_error: Mapped[str | None]
    task_id: Mapped[UUID | None]
    created_at: Mapped[Moment]

    __table_args__ = (
        UniqueConstraint("product_id", "image_url"),
        CheckConstraint("image_type IN ('primary','gallery','thumbnail')", name="image_type"),
        CheckConstraint("char_length(image_path) <= 512 AND char_length(alt_text) <= 512", name="lengths"),
        CheckConstraint("width > 0 AND height > 0 AND file_size >= 0", name="size"),
        Index("idx_images_product_id", "product_id"),
        Index(
            "idx_images_wanted",
            "id",
            postgresql_where=text("wanted AND content_hash IS NULL AND task_id IS NULL AND attempts < 3"),
        ),
        Index("idx_images_task_id", "task_id", postgresql_where=text("task_id IS NOT NULL")),
        Index("idx_images_image_url", "image_url", postgresql_where=text("content_hash IS NULL")),
        Index("idx_images_content_hash", "content_hash", postgresql_where=text("content_hash IS NOT NULL")),
    )


class OfferRead(Table):
    """How often an offer was asked for on a day, through the API and the console (C-021). No foreign key: it goes with
    its offer by a trigger (baseline: source_products_forget.sql)."""

    __tablename__ = "offer_reads"

    source_product_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    reads: Mapped[int] = mapped_column(server_default="0")
