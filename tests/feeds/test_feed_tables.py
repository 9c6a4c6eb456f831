"""The tables of feeds as the list describes them (F-003 … F-030, FN-08, FN-15)."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.feeds.shop import Shop, row
from winnow.errors import Conflict
from winnow.feeds import admin

OF_PAGES = {"price_currency", "price_minor", "price_withheld"}
COLUMNS = """
SELECT column_name, is_nullable = 'YES', column_default, data_type
FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = %s
"""


async def columns(shop: Shop, table: str) -> dict[str, tuple[bool, str, str]]:
    """name -> (may be null, default, type)"""
    return {name: (null, str(default), kind) for name, null, default, kind in await shop.rows(COLUMNS, table)}


async def test_f003_a_source_has_one_feed(shop: Shop) -> None:
    async with shop.database.transaction() as conn:
        with pytest.raises(Conflict):
            await admin.add(conn, "ada", shop.source_id, {"transport": "FILE", "path": "other.csv"})
    with pytest.raises(psycopg.errors.UniqueViolation):
        await shop.rows("INSERT INTO affiliate_feeds (source_id) VALUES (%s) RETURNING 1", shop.source_id)
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        await shop.rows("INSERT INTO affiliate_feeds (source_id) VALUES (999999) RETURNING 1")


async def test_f005_f006_f007_f009_what_a_feed_begins_with(shop: Shop) -> None:
    source = await shop.value(
        "INSERT INTO sources (name, url, domain, retailer_id, source_kind) SELECT 'bare', url, domain, retailer_id,"
        " 'AFFILIATE_FEED' FROM sources WHERE id = %s RETURNING id", shop.source_id,
    )  # fmt: skip
    feed = await shop.value("INSERT INTO affiliate_feeds (source_id) VALUES (%s) RETURNING id", source)
    made: dict[str, Any] = await shop.value("SELECT to_jsonb(f) FROM affiliate_feeds f WHERE id = %s", feed)
    empty = ("schedule_frequency_hours", "next_run_at", "last_run_at", "host", "port", "path", "username",
             "secret_ciphertext", "secret_key_id", "last_remote_mtime", "last_remote_size", "last_content_hash",
             "max_file_size_bytes", "max_row_count", "created_by")  # fmt: skip
    assert {made[name] for name in empty} == {None}
    told = ("status", "transport", "expiry_hours", "consecutive_failures", "manual_run_pending", "secret_version")
    assert [made[name] for name in told] == ["DRAFT", "SFTP", 48, 0, False, 1]
    assert (await columns(shop, "affiliate_feeds"))["last_remote_size"][2] == "bigint"
    assert made["created_at"]
    assert made["updated_at"]
    assert (await shop.feed_row())["created_by"] == "ada"


async def test_f007_f072_a_limit_that_is_not_set_is_the_usual_one(shop: Shop) -> None:
    async with shop.database.connection() as conn:
        feed = await admin.feeds.get(conn, shop.feed_id)
    assert (feed.max_bytes, feed.parse_settings(None).max_rows) == (500_000_000, 500_000)


async def test_f010_the_database_backs_the_window_up(shop: Shop) -> None:
    for hours in (0, 169, -1):
        with pytest.raises(psycopg.errors.CheckViolation, match="expiry_hours_range"):
            await shop.rows("UPDATE affiliate_feeds SET expiry_hours = %s RETURNING 1", hours)
    assert await shop.rows("UPDATE affiliate_feeds SET expiry_hours = 168 RETURNING expiry_hours") == [(168,)]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("affiliate_feed_runs_feed_started_idx", "(feed_id, started_at)"),
        ("affiliate_feed_runs_feed_trigger_started_idx", "(feed_id, trigger, started_at)"),
        ("affiliate_feed_runs_feed_status_started_idx", "(feed_id, status, started_at)"),
        ("sp_source_id_id_idx", "(source_id, id)"),
        ("source_products_source_identity_key_unique", "(source_id, identity_key)"),
        ("prices_source_product_latest", "(source_product_id, created_at DESC)"),
    ],
)
async def test_f018_f024_f033_the_indexes_that_are_asked_for(shop: Shop, name: str, columns: str) -> None:
    made = await shop.value("SELECT indexdef FROM pg_indexes WHERE indexname = %s", name)
    assert columns in made


async def test_f011_f012_f014_f015_f017_what_a_run_begins_with(shop: Shop) -> None:
    run_id = await shop.value(
        "INSERT INTO affiliate_feed_runs (feed_id, source_id) VALUES (%s, %s) RETURNING id",
        shop.feed_id,
        shop.source_id,
    )
    run = await shop.run_row(run_id)
    assert (run["trigger"], run["status"], run["source_id"]) == ("SCHEDULED", "RUNNING", shop.source_id)
    assert run["started_at"]
    no = ("expiry_blocked", "is_partial", "expiry_step_failed")
    zero = ("error_count", "duplicate_key_count")
    nothing = ("finished_at", "duration_ms", "download_bytes", "rows_read", "rows_parsed", "products_upserted",
               "products_expired", "products_rejected", "prices_written", "url_hash_fallback_count", "active_count_before",
               "seen_success_count", "would_expire_count", "expiry_blocked_reason", "expiry_approved_at",
               "expiry_approved_by", "skipped_reason", "artifact_url")  # fmt: skip
    assert ({run[n] for n in no}, {run[n] for n in zero}, {run[n] for n in nothing}) == ({False}, {0}, {None})


async def test_f011_f014_a_finished_run_has_its_figures(shop: Shop) -> None:
    run = await shop.load(
        [row(1), row(2), row(2, "9.00"), row(3, price="free"), ",,Bare,https://shop.test/b,1.00,USD,Y"]
    )
    took = await shop.value(
        "SELECT extract(epoch FROM finished_at - started_at) * 1000 FROM affiliate_feed_runs WHERE id = %s", run["id"]
    )
    assert run["duration_ms"] == pytest.approx(float(took), abs=2)
    assert run["download_bytes"] == (shop.folder / "catalogue.csv").stat().st_size
    figures = ("rows_read", "rows_parsed", "products_upserted", "products_expired", "products_rejected", "prices_written",
               "error_count", "duplicate_key_count", "url_hash_fallback_count")  # fmt: skip
    assert [run[name] for name in figures] == [5, 4, 3, 0, 1, 3, 1, 1, 1]
    assert run["is_partial"]  # F-017


async def test_f016_blocked_stays_blocked_after_approval(shop: Shop) -> None:
    from winnow.feeds.promote import approval

    await shop.load(row(n) for n in range(1, 41))
    run = await shop.load([row(1)])
    assert (run["expiry_blocked"], run["expiry_approved_at"]) == (True, None)  # pending
    await approval.approve(shop.database, run["id"], "ada")
    after = await shop.run_row(run["id"])
    assert (after["expiry_blocked"], after["expiry_approved_at"] is not None) == (True, True)  # approved
    with pytest.raises(psycopg.errors.CheckViolation):
        await shop.rows("UPDATE affiliate_feed_runs SET expiry_blocked = false WHERE id = %s RETURNING 1", run["id"])


async def test_f021_f022_a_source_says_what_it_is_and_a_retailer_has_one_primary(shop: Shop) -> None:
    found = await columns(shop, "sources")
    assert "false" in found["is_display_primary"][1]
    assert "DIRECT" in found["source_kind"][1]
    assert all(found[name][0] for name in ("affiliate_network", "affiliate_account_id", "affiliate_account_name"))
    with pytest.raises(psycopg.errors.CheckViolation):
        await shop.rows("UPDATE sources SET source_kind = 'RUMOUR' RETURNING 1")
    with pytest.raises(psycopg.errors.UniqueViolation):
        await shop.rows(
            "INSERT INTO sources (name, url, domain, retailer_id, is_display_primary) SELECT 'two', url, domain,"
            " retailer_id, true FROM sources RETURNING 1"
        )


async def test_f025_an_offer_of_a_feed_has_no_status_and_no_price(shop: Shop) -> None:
    """The price columns are those of catalogue products (C-031), what their page said last."""
    names = set(await columns(shop, "source_products"))
    assert {name for name in names if "status" in name or "price" in name or "active" in name} == OF_PAGES
    await shop.load([row("a", "1.00")])
    said = ", ".join(sorted(OF_PAGES | {"availability"}))
    assert await shop.rows(f"SELECT DISTINCT {said} FROM source_products") == [(None, None, None, None)]


async def test_f027_f071_phase_1_sees_and_phase_2_activates(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    from winnow.feeds.promote import phase2

    async def broken(*_: Any) -> None:
        raise RuntimeError("no")

    states = "SELECT last_seen_at IS NOT NULL, last_seen_success_at FROM offer_presence"
    with monkeypatch.context() as patched:
        patched.setattr(phase2, "decide", broken)
        await shop.load([row(1)])
    assert await shop.rows(states) == [(True, None)]  # pending-new
    await shop.load([row(1), ""])
    before = await shop.rows("SELECT last_seen_at, last_seen_success_at FROM offer_presence")
    with monkeypatch.context() as patched:
        patched.setattr(phase2, "decide", broken)
        await shop.load([row(1), "", ""])
    after = await shop.rows("SELECT last_seen_at, last_seen_success_at FROM offer_presence")
    assert after[0][0] > before[0][0]  # pending-update: seen again,
    assert after[0][1] == before[0][1]  # and not activated


async def test_f030_prices_of_feeds_carry_their_run_and_signature(shop: Shop) -> None:
    found = await columns(shop, "prices")
    assert all(found[name][0] for name in ("affiliate_feed_run_id", "price_signature_hash"))
    run = await shop.load([row(1)])
    kept = "SELECT affiliate_feed_run_id, length(price_signature_hash), ingestion_run_type FROM prices"
    assert await shop.rows(kept) == [(run["id"], 32, "AFFILIATE_FEED")]  # FN-18
    await shop.rows("UPDATE affiliate_feeds SET promoted_run_id = NULL, current_seen_run_id = NULL RETURNING 1")
    await shop.rows("DELETE FROM affiliate_feed_runs RETURNING 1")
    assert await shop.rows(kept) == [(None, 32, "AFFILIATE_FEED")]  # ON DELETE SET NULL


async def test_f034_fn08_prices_have_one_unique_index_besides_their_key(shop: Shop) -> None:
    found = await shop.rows(
        "SELECT i.relname FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid"
        " WHERE x.indrelid = 'prices'::regclass AND x.indisunique AND NOT x.indisprimary"
    )
    assert found == [("prices_affiliate_dedupe",)]
    assert (
        await shop.rows("SELECT conname FROM pg_constraint WHERE conrelid = 'prices'::regclass AND contype = 'u'") == []
    )


async def test_fn15_every_field_of_the_mapping_has_a_place(shop: Shop) -> None:
    header = "CatalogItemId,SKU,Name,Url,Price,OriginalPrice,Currency,StockAvailability,Gtin,Brand,Description,Category,ImageUrl"
    line = "i,s,Tent,https://shop.test/1,15.99,18.99,EUR,n,020892215513,Acme,Warm,Outdoor,https://shop.test/1.jpg"
    shop.write([line], header=header)
    assert (await shop.run()).word == "succeeded"
    offer = "SELECT brand, description, category, image_url, impact_item_id, sku FROM source_products"
    assert await shop.rows(offer) == [("Acme", "Warm", "Outdoor", "https://shop.test/1.jpg", "i", "s")]
    assert await shop.rows("SELECT type, value FROM source_product_identifiers") == [("GTIN", "020892215513")]
    price = "SELECT amount_minor, list_price_minor, trim(currency), in_stock FROM prices"
    assert await shop.rows(price) == [(1599, 1899, "EUR", False)]
