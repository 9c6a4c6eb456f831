"""The search index inside PostgreSQL, what has to be brought up to date in it, and the indexes of a search server that
follow it. Written by `store/search/`; `search_changes` by triggers (baseline: search_changes.sql)."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ARRAY, CHAR, BigInteger, CheckConstraint, Index, Numeric, Text, text
from sqlalchemy.dialects.postgresql import TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class SearchDocument(Table):
    """One offer as search sees it: the fields of C-051, the words of name and description (C-053), and what it is
    filtered and counted by.

    A table of its own, brought up to date by upkeep, as an external search engine would be: text
    indexes on `source_products` itself would more than double the cost of loading a feed (measured:
    200 000 rows in 12 s with, 5 s without). `document` is never NULL, so match and rank are null-safe.
    `price`, `currency` and `availability` are what operators see; those that begin with `shown_` what consumers see
    (P-092), NULL where they see nothing. `shown_until`: hidden after that moment. `recheck_at`: when time alone changes
    it; 'infinity' never, NULL once that has happened. `version` grows with every change, in the order of the commits.
    """

    __tablename__ = "search_documents"

    product_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    source_id: Mapped[int] = mapped_column(BigInteger)
    product_name: Mapped[str]
    brand: Mapped[str | None]
    category: Mapped[str | None]
    domain_name: Mapped[str | None]
    created_at: Mapped[datetime]
    language: Mapped[str]
    codes: Mapped[list[str]] = mapped_column(ARRAY(Text), server_default=text("'{}'::text[]"))
    document: Mapped[Any] = mapped_column(TSVECTOR)
    rating: Mapped[Decimal | None] = mapped_column(Numeric(3, 2))
    price: Mapped[Decimal | None] = mapped_column(Numeric)
    currency: Mapped[str | None] = mapped_column(CHAR(3))
    availability: Mapped[str | None]
    shown_price: Mapped[Decimal | None] = mapped_column(Numeric)
    shown_currency: Mapped[str | None] = mapped_column(CHAR(3))
    shown_availability: Mapped[str | None]
    shown_until: Mapped[datetime | None]
    recheck_at: Mapped[datetime | None] = mapped_column(server_default=text("'infinity'::timestamptz"))
    version: Mapped[int] = mapped_column(BigInteger, server_default=text("nextval('search_version')"))
    indexed_at: Mapped[Moment]

    __table_args__ = (
        Index("idx_search_documents_document", "document", postgresql_using="gin"),
        Index("idx_search_documents_codes", "codes", postgresql_using="gin"),
        # C-035: what listings filter and sort by.
        Index("idx_search_documents_product_name", "product_name"),
        Index("idx_search_documents_brand", "brand"),
        Index("idx_search_documents_category", "category"),
        Index("idx_search_documents_domain_name", "domain_name"),
        Index("idx_search_documents_created_at", "created_at"),
        Index("idx_search_documents_price", "price"),
        Index("idx_search_documents_shown_price", "shown_price"),
        Index("idx_search_documents_availability", "availability"),
        Index("idx_search_documents_shown_availability", "shown_availability"),
        Index("idx_search_documents_rating", "rating"),
        Index("idx_search_documents_language", "language"),
        Index("idx_search_documents_version", "version"),
        Index("idx_search_documents_source_id", "source_id", "product_id"),
        Index("idx_search_documents_recheck_at", "recheck_at", postgresql_where=text("recheck_at < 'infinity'")),
    )


class SearchWord(Table):
    """A word of a name or brand, as it is written but in lower case: what a mistyped word may have meant."""

    __tablename__ = "search_words"

    word: Mapped[str] = mapped_column(primary_key=True)

    __table_args__ = (
        CheckConstraint("char_length(word) BETWEEN 3 AND 40", name="word"),
        Index("idx_search_words_word", "word", postgresql_using="gin", postgresql_ops={"word": "gin_trgm_ops"}),
    )


class SearchChange(Table):
    """An offer, or a source, whose documents have to be looked at again. Rows are added in the transaction of the
    change and never updated, so that no writer waits for another. `hides`: consumers find nothing of the source until
    it is done, because what they may see has changed."""

    __tablename__ = "search_changes"

    id: Mapped[Serial]
    product_id: Mapped[int | None] = mapped_column(BigInteger)
    source_id: Mapped[int | None] = mapped_column(BigInteger)
    hides: Mapped[bool] = mapped_column(server_default=text("false"))
    changed_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("num_nonnulls(product_id, source_id) = 1", name="one"),
        Index("idx_search_changes_source_id", "source_id", postgresql_where=text("source_id IS NOT NULL")),
    )


class SearchWalk(Table):
    """A source whose documents are all looked at again, up to `after_id` so far. `finished_version`: the version after
    the last of them; a search server that has not got that far still shows the source as it was."""

    __tablename__ = "search_walks"

    source_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    after_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    hides: Mapped[bool]
    finished_version: Mapped[int | None] = mapped_column(BigInteger)
    requested_at: Mapped[datetime]


class SearchDeletion(Table):
    """A document that is gone, until every index has heard of it."""

    __tablename__ = "search_deletions"

    product_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    version: Mapped[int] = mapped_column(BigInteger, server_default=text("nextval('search_version')"))
    deleted_at: Mapped[Moment]

    __table_args__ = (Index("idx_search_deletions_version", "version"),)


class SearchIndex(Table):
    """An index of a search server (C-052): it has every document up to `version`. The live one is searched; one that is
    built anew takes its place when it has caught up."""

    __tablename__ = "search_indexes"

    name: Mapped[str] = mapped_column(primary_key=True)
    live: Mapped[bool] = mapped_column(server_default=text("false"))
    version: Mapped[int] = mapped_column(BigInteger, server_default="0")
    documents: Mapped[int] = mapped_column(BigInteger, server_default="0")
    caught_up_at: Mapped[datetime | None]
    last_error: Mapped[str | None]
    failed_at: Mapped[datetime | None]
    created_at: Mapped[Moment]

    __table_args__ = (Index("search_indexes_live_key", "live", unique=True, postgresql_where=text("live")),)
