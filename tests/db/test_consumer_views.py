"""What consumers may see: the rules of visibility stand in the views, not in the code that reads them."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.db import schema_rows as rows
from tests.db.schema_rows import one

Conn = psycopg.Connection[Any]


def shown(conn: Conn) -> list[int]:
    """Prices of the offers consumers see."""
    return [row[0] for row in conn.execute("SELECT amount_minor FROM consumer_offers ORDER BY amount_minor")]


def history(conn: Conn) -> list[int]:
    return [row[0] for row in conn.execute("SELECT amount_minor FROM consumer_prices ORDER BY amount_minor")]


# --- scraped prices (P-092)


@pytest.fixture
def direct(conn: Conn) -> tuple[int, int]:
    """A direct source and its offer."""
    source_id = rows.source(conn, rows.retailer(conn))
    return source_id, rows.offer(conn, source_id)


def test_p092_scraped_prices_are_hidden_until_the_source_is_eligible(conn: Conn, direct: tuple[int, int]) -> None:
    source_id, offer_id = direct
    rows.price(conn, offer_id, 100)
    assert shown(conn) == history(conn) == []
    rows.eligible(conn, source_id)
    assert shown(conn) == history(conn) == [100]


def test_p092_a_source_without_a_trust_row_is_not_eligible(conn: Conn, direct: tuple[int, int]) -> None:
    rows.price(conn, direct[1])
    conn.execute("DELETE FROM source_trust_config")
    assert shown(conn) == history(conn) == []


def test_pn15_prices_without_a_run_type_stay_visible(conn: Conn, direct: tuple[int, int]) -> None:
    rows.price(conn, direct[1], 100, ingestion_run_type=None)
    assert shown(conn) == history(conn) == [100]


def test_p092_a_newer_scraped_price_does_not_stand_in_for_a_visible_one(conn: Conn, direct: tuple[int, int]) -> None:
    source_id, offer_id = direct
    rows.price(conn, offer_id, 100, ingestion_run_type="MANUAL", created_at="2026-01-01T00:00:00Z")
    rows.price(conn, offer_id, 90, created_at="2026-01-02T00:00:00Z")
    assert shown(conn) == history(conn) == [100]
    rows.eligible(conn, source_id)
    assert shown(conn) == [90]
    assert history(conn) == [90, 100]


def test_consumers_see_decimals_of_the_currency(conn: Conn, direct: tuple[int, int]) -> None:
    source_id, offer_id = direct
    rows.eligible(conn, source_id)
    rows.price(conn, offer_id, 1999)
    rows.price(conn, rows.offer(conn, source_id, "2"), 1500, currency="JPY", exponent=0)
    found = conn.execute("SELECT price::text, currency FROM consumer_offers ORDER BY 2").fetchall()
    assert found == [("1500", "JPY"), ("19.99", "USD")]


def test_an_offer_of_an_expiring_source_is_hidden_once_unseen(conn: Conn, direct: tuple[int, int]) -> None:
    source_id, offer_id = direct
    rows.eligible(conn, source_id)
    rows.price(conn, offer_id, 100)
    conn.execute("UPDATE source_trust_config SET expiry_hours = 24")
    assert shown(conn) == []
    seen(conn, offer_id, "23 hours")
    assert shown(conn) == [100]
    conn.execute("UPDATE source_product_presence SET last_seen_success_at = now() - interval '25 hours'")
    assert shown(conn) == []


# --- affiliate offers (F-108, F-109)


def seen(conn: Conn, offer_id: int, ago: str | None) -> None:
    conn.execute("INSERT INTO source_product_presence VALUES (%s, now(), now() - %s::interval)", (offer_id, ago))


def affiliate(
    conn: Conn, retailer_id: int, *, amount: int = 200, primary: bool = True, promoted: str | None = "1 hour"
) -> int:
    source_id = rows.source(conn, retailer_id, source_kind="AFFILIATE_FEED", is_display_primary=primary)
    rows.feed(conn, source_id)
    offer_id = rows.offer(conn, source_id, identity_type="IMPACT_ITEM_ID")
    rows.price(conn, offer_id, amount, ingestion_run_type="AFFILIATE_FEED")
    seen(conn, offer_id, promoted)
    return offer_id


@pytest.mark.parametrize(
    ("given", "visible"),
    [
        ({}, True),
        ({"promoted": None}, False),
        ({"primary": False}, False),
        ({"promoted": "48 hours"}, True),  # F-029: the boundary is active
        ({"promoted": "48 hours 1 second"}, False),
    ],
)
def test_f108_an_affiliate_offer_is_promoted_fresh_and_primary(
    conn: Conn, given: dict[str, Any], visible: bool
) -> None:
    affiliate(conn, rows.retailer(conn), **given)
    assert shown(conn) == ([200] if visible else [])


def test_f108_without_a_feed_or_without_presence_nothing_is_shown(conn: Conn) -> None:
    affiliate(conn, rows.retailer(conn))
    with conn.transaction(force_rollback=True):
        conn.execute("DELETE FROM affiliate_feeds")
        assert shown(conn) == []
    conn.execute("DELETE FROM source_product_presence")
    assert shown(conn) == []


def test_f036_the_feeds_expiry_acts_at_once(conn: Conn) -> None:
    affiliate(conn, rows.retailer(conn), promoted="30 hours")
    conn.execute("UPDATE affiliate_feeds SET expiry_hours = 24")
    assert shown(conn) == []


def test_fn18_scraped_rows_of_an_affiliate_offer_are_ignored(conn: Conn) -> None:
    offer_id = affiliate(conn, rows.retailer(conn))
    rows.eligible(conn, one(conn, "SELECT source_id FROM source_products"))
    rows.price(conn, offer_id, 1, created_at="2099-01-01T00:00:00Z")
    assert shown(conn) == history(conn) == [200]


def choices(conn: Conn) -> dict[int, bool]:
    return dict(conn.execute("SELECT amount_minor, is_retailer_choice FROM consumer_offers").fetchall())


def test_f109_a_direct_source_is_visible_whatever_the_flag_and_the_primary_wins(conn: Conn) -> None:
    retailer_id = rows.retailer(conn)
    offer_id = rows.offer(conn, rows.source(conn, retailer_id))
    rows.price(conn, offer_id, 100, ingestion_run_type="MANUAL")
    affiliate(conn, retailer_id, primary=False)
    assert choices(conn) == {100: True}
    conn.execute("UPDATE sources SET is_display_primary = true WHERE source_kind = 'AFFILIATE_FEED'")
    assert choices(conn) == {100: False, 200: True}


# --- corrections (ADR-015)


@pytest.fixture
def priced(conn: Conn, direct: tuple[int, int]) -> list[int]:
    """An eligible offer that cost 100, 110 and then, wrongly, 1."""
    source_id, offer_id = direct
    rows.eligible(conn, source_id)
    days = enumerate((100, 110, 1), start=1)
    return [
        rows.price(conn, offer_id, amount, ingestion_run_id=run, observed_at=f"2026-01-0{day}T00:00:00Z",
                   created_at=f"2026-01-0{day}T00:00:00Z")
        for day, amount in days
        for run in [one(conn, "INSERT INTO scrape_runs (adapter_id, source_id, status) VALUES ('shop', %s, 'SUCCESS') "
                              "RETURNING id", source_id)]
    ]  # fmt: skip


def correct(conn: Conn, **values: Any) -> None:
    given = {"action": "IGNORE", "reason": "wrong unit", "created_by": "ada"}
    rows.insert(conn, "price_corrections", **given | values)


def test_p082_an_ignored_run_uncovers_the_price_before_it(conn: Conn, priced: list[int]) -> None:
    correct(conn, scrape_run_id=one(conn, "SELECT ingestion_run_id FROM prices WHERE id = %s", priced[2]))
    assert shown(conn) == [110]
    assert history(conn) == [100, 110]
    conn.execute("UPDATE price_corrections SET revoked_at = now(), revoked_by = 'ada'")
    assert shown(conn) == [1]


def test_a_correction_scales_prices_of_its_window_only(conn: Conn, priced: list[int]) -> None:
    source_id = one(conn, "SELECT source_id FROM source_products")
    correct(conn, action="MULTIPLY", factor=100, source_id=source_id, observed_from="2026-01-03T00:00:00Z")
    assert shown(conn) == [100]
    assert history(conn) == [100, 100, 110]


def test_the_history_itself_keeps_what_was_observed(conn: Conn, priced: list[int]) -> None:
    correct(conn, price_id=priced[2])
    assert one(conn, "SELECT amount_minor FROM prices WHERE id = %s", priced[2]) == 1


def test_the_run_of_a_correction_is_not_cleaned_up(conn: Conn, priced: list[int]) -> None:
    correct(conn, scrape_run_id=one(conn, "SELECT max(id) FROM scrape_runs"))
    with pytest.raises(errors.RestrictViolation):
        conn.execute("DELETE FROM scrape_runs")


def test_a_correction_of_everything_is_refused(conn: Conn) -> None:
    with pytest.raises(errors.CheckViolation, match="price_corrections_scope_check"):
        correct(conn)
