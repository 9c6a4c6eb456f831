"""The search index inside PostgreSQL. Written by `store/`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Index
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Table


class SearchDocument(Table):
    """One offer as search sees it: the fields of C-051, and the words of name and description (C-053).

    A table of its own, brought up to date by upkeep, as an external search engine would be: text
    indexes on `source_products` itself would more than double the cost of loading a feed (measured:
    200 000 rows in 12 s with, 5 s without). `indexed_at` is the offer's `updated_at` it was made from.
    `document` is never NULL, so match and rank are null-safe.
    """

    __tablename__ = "search_documents"

    product_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    product_name: Mapped[str]
    brand: Mapped[str | None]
    category: Mapped[str | None]
    domain_name: Mapped[str | None]
    created_at: Mapped[datetime]
    document: Mapped[Any] = mapped_column(TSVECTOR)
    indexed_at: Mapped[Moment]

    __table_args__ = (
        Index("idx_search_documents_document", "document", postgresql_using="gin"),
        Index(
            "idx_search_documents_product_name",
            "product_name",
            postgresql_using="gin",
            postgresql_ops={"product_name": "gin_trgm_ops"},
        ),
        # C-035: what listings filter and sort by; the price stands in latest_prices.
        Index("idx_search_documents_brand", "brand"),
        Index("idx_search_documents_category", "category"),
        Index("idx_search_documents_domain_name", "domain_name"),
        Index("idx_search_documents_created_at", "created_at"),
    )
