"""Prices only ever grow in number, say nothing impossible, and the newest of each offer is known."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.db import schema_rows as rows
from tests.db.schema_rows import one
from winnow.db.tables.objects import metadata

Conn = psycopg.Connection[Any]


# --- prices is append-only (P-005, F-002, R-03, DESIGN §11.8)

OTHER_VALUES = {
    "source_product_id": "source_product_id + 1",
    "amount_minor": "amount_minor + 1",
    "currency": "'EUR'",
    "list_price_minor": "5000",
    "shipping_minor": "1",
    "availability": "'OUT_OF_STOCK'",
    "in_stock": "NOT in_stock",
    "observed_at": "observed_at + interval '1 second'",
    "created_at": "created_at - interval '1 second'",
    "ingestion_run_type": "NULL",
    "price_signature_hash": "'x'",
    "tax_included": "true",
    "promo": "'{}'",
    "task_id": "gen_random_uuid()",
    "page_id": "gen_random_uuid()",
    "exponent": "3",
    "id": "id + 1000000",
    "ingestion_run_id": "ingestion_run_id + 1",
    "affiliate_feed_run_id": "1",
}


def test_no_column_of_prices_is_forgotten_below() -> None:
    assert set(OTHER_VALUES) == set(metadata.tables["prices"].columns.keys())


@pytest.mark.parametrize("column", OTHER_VALUES)
def test_r03_no_value_of_a_price_can_be_changed(conn: Conn, offer_id: int, column: str) -> None:
    rows.price(conn, offer_id, ingestion_run_id=7)
    with pytest.raises(errors.RestrictViolation, match="append-only"):
        conn.execute(f"UPDATE prices SET {column} = {OTHER_VALUES[column]}")


@pytest.mark.parametrize(
    "statement", ["DELETE FROM prices", "TRUNCATE prices CASCADE", "TRUNCATE source_products CASCADE"]
)
def test_r03_no_price_can_be_removed(conn: Conn, offer_id: int, statement: str) -> None:
    rows.price(conn, offer_id)
    with pytest.raises(errors.RestrictViolation, match="is append-only"):
        conn.execute(statement)


def test_an_offer_with_a_price_stays(conn: Conn, offer_id: int) -> None:
    rows.price(conn, offer_id)
    with pytest.raises(errors.ForeignKeyViolation):
        conn.execute("DELETE FROM source_products")


def test_f114_deleting_a_run_only_nulls_the_reference(conn: Conn, feed_offer: tuple[int, int]) -> None:
    offer_id, run_id = feed_offer
    given: dict[str, Any] = {"ingestion_run_type": "AFFILIATE_FEED", "price_signature_hash": "abc"}
    rows.price(conn, offer_id, affiliate_feed_run_id=run_id, **given)
    before = one(conn, "SELECT to_jsonb(prices) - 'affiliate_feed_run_id' FROM prices")
    conn.execute("DELETE FROM affiliate_feed_runs")
    assert one(conn, "SELECT affiliate_feed_run_id FROM prices") is None
    assert one(conn, "SELECT to_jsonb(prices) - 'affiliate_feed_run_id' FROM prices") == before


def test_a_scrape_run_reference_may_be_nulled_but_not_come_back(conn: Conn, offer_id: int) -> None:
    rows.price(conn, offer_id, ingestion_run_id=7)
    conn.execute("UPDATE prices SET ingestion_run_id = NULL")
    assert one(conn, "SELECT ingestion_run_id FROM prices") is None
    with pytest.raises(errors.RestrictViolation):
        conn.execute("UPDATE prices SET ingestion_run_id = 7")


def test_f032_a_retried_chunk_adds_no_price(conn: Conn, feed_offer: tuple[int, int]) -> None:
    offer_id, run_id = feed_offer
    statement = """
        INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at,
                            ingestion_run_type, affiliate_feed_run_id, price_signature_hash)
        VALUES (%s, 100, 'USD', 'IN_STOCK', true, now(), 'AFFILIATE_FEED', %s, %s)
        ON CONFLICT (source_product_id, affiliate_feed_run_id, price_signature_hash)
        WHERE affiliate_feed_run_id IS NOT NULL DO NOTHING"""
    added = [conn.execute(statement, (offer_id, run_id, hash_)).rowcount for hash_ in ("a", "a", "b")]
    assert added == [1, 0, 1]


# --- what a price may say


@pytest.mark.parametrize(
    ("wrong", "check"),
    [
        ({"amount": 0}, "prices_amount_minor_check"),  # P-034
        ({"amount": 100_000_000}, "prices_amount_usd_check"),  # P-033
        ({"currency": "usd"}, "prices_currency_check"),
        ({"currency": "JPY"}, "prices_exponent_check"),  # the yen has no decimals
        ({"availability": "UNKNOWN"}, "prices_scraped_stock_check"),  # P-090
        ({"availability": "MAYBE"}, "prices_availability_check"),
        ({"ingestion_run_type": "GUESS"}, "prices_ingestion_run_type_check"),
        ({"list_price_minor": 0}, "prices_other_amounts_check"),
    ],
)
def test_a_price_that_cannot_be_true_is_refused(conn: Conn, offer_id: int, wrong: dict[str, Any], check: str) -> None:
    with pytest.raises(errors.CheckViolation) as refused:
        rows.price(conn, offer_id, **wrong)
    assert refused.value.diag.constraint_name == check


def test_prices_outside_the_dollar_have_their_own_bounds(conn: Conn, offer_id: int) -> None:
    rows.price(conn, offer_id, 250_000_000, currency="JPY", exponent=0)
    rows.price(conn, offer_id, 1_999, currency="KWD", exponent=3)


def test_stock_is_said_once(conn: Conn, offer_id: int) -> None:
    with pytest.raises(errors.CheckViolation, match="prices_in_stock_check"):
        conn.execute(
            "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at) "
            "VALUES (%s, 1, 'USD', 'BACKORDER', true, now())",
            (offer_id,),
        )


# --- latest_prices follows every append (F-138)


def latest(conn: Conn) -> list[Any]:
    return conn.execute("SELECT scraped, amount_minor FROM latest_prices ORDER BY scraped").fetchall()


def test_f050_the_newest_price_is_kept_for_feed_and_page(conn: Conn, offer_id: int) -> None:
    rows.price(conn, offer_id, 100, created_at="2026-01-01T00:00:00Z")
    rows.price(conn, offer_id, 300, created_at="2026-01-03T00:00:00Z")
    rows.price(conn, offer_id, 200, created_at="2026-01-02T00:00:00Z")  # committed late
    rows.price(conn, offer_id, 50, created_at="2026-01-01T00:00:00Z", ingestion_run_type="MANUAL")
    assert latest(conn) == [(False, 50), (True, 300)]


def test_of_prices_written_at_the_same_moment_the_last_one_is_newest(conn: Conn, offer_id: int) -> None:
    conn.execute(
        "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
        "ingestion_run_type) SELECT %s, amount, 'USD', 'IN_STOCK', true, now(), 'SCRAPE' "
        "FROM unnest(ARRAY[100, 300, 200]) amount",
        (offer_id,),
    )
    assert latest(conn) == [(True, 200)]


def test_latest_prices_is_what_the_history_says(conn: Conn, offer_id: int) -> None:
    other = rows.offer(conn, one(conn, "SELECT source_id FROM source_products"), "2")
    for n in range(20):
        rows.price(conn, (offer_id, other)[n % 2], 100 + n, created_at=f"2026-01-{1 + n * 7 % 20:02}T00:00:00Z")
    query = """SELECT DISTINCT ON (source_product_id) source_product_id, id, amount_minor FROM prices
               ORDER BY source_product_id, created_at DESC, id DESC"""
    kept = "SELECT source_product_id, price_id, amount_minor FROM latest_prices ORDER BY 1"
    assert conn.execute(kept).fetchall() == conn.execute(query).fetchall()
