"""`winnow products …` and `winnow corrections …`."""

from __future__ import annotations

from tests.cli.conftest import Winnow, fetch
from tests.searchable import index_offers


def stock(database_url: str) -> tuple[int, int]:
    for statement in (
        "INSERT INTO retailers (name) VALUES ('shop') RETURNING id",
        "INSERT INTO sources (name, url, domain, retailer_id, adapter_id) "
        "SELECT 'shop', 'https://s.test/', 's.test', id, 'generic' FROM retailers RETURNING id",
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, sku) "
        "SELECT id, 'SKU', 'T-1', 'Dome tent', 'https://s.test/1', 'T-1' FROM sources RETURNING id",
        "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
        "ingestion_run_type) "
        "SELECT id, 1999, 'EUR', 'IN_STOCK', true, now(), 'SCRAPE' FROM source_products RETURNING id",
        "INSERT INTO products (name, gtin) VALUES ('Tent', '04006381333931') RETURNING id",
    ):
        made = fetch(database_url, statement)
    index_offers(database_url)
    return int(fetch(database_url, "SELECT id FROM source_products")[0][0]), int(made[0][0])


def test_products_are_searched_linked_and_shown(winnow: Winnow, database_url: str) -> None:
    offer, product = stock(database_url)
    found = winnow("search", "dome", "tents", "--json").data
    (hit,) = found["hits"]
    assert (hit["source_product_id"], hit["amount"], hit["product_id"]) == (offer, "19.99", None)
    assert "Dome tent" in winnow("search", "dmoe tent").out, "a typing error"
    assert "nothing found" in winnow("search", "zebra").out
    assert winnow("products", "link", str(offer), str(product), "--reason", "it is").code == 0
    shown = winnow("products", "show", str(product), "--json").data
    assert [o["source_product_id"] for o in shown["offers"]] == [offer]
    assert winnow("products", "unlink", str(offer)).code == 0
    assert winnow("products", "conflicts", "--json").data == []
    assert winnow("products", "link", str(offer), "999").code == 1
    assert winnow("products", "show", "999").code == 1


def test_prices_are_corrected_and_shown_again(winnow: Winnow, database_url: str) -> None:
    offer, _ = stock(database_url)
    made = winnow("corrections", "add", "--offer", str(offer), "--multiply", "0.5", "--reason", "pairs", "--json")
    assert made.code == 0, made.err
    assert winnow("prices", "--offer", str(offer), "--json").data[0]["amount"] == "10.00"
    assert winnow("corrections", "list", "--json").data[0]["reason"] == "pairs"
    assert winnow("corrections", "revoke", str(made.data["id"])).code == 0
    assert winnow("prices", "--offer", str(offer), "--json").data[0]["amount"] == "19.99"
    assert winnow("corrections", "add", "--reason", "x").code == 1
    assert winnow("corrections", "add", "--reason", "x", "--offer", "1", "--multiply", "much").code == 1
    actions = [row[0] for row in fetch(database_url, "SELECT action FROM audit_log ORDER BY id")]
    assert actions == ["correction.added", "correction.revoked"]
