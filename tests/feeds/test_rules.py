"""The pure rules: identity, signature, gates, tracking."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from winnow.errors import InvalidInput
from winnow.feeds import admin
from winnow.feeds.promote.breaker import Block, PromotionCounts, block
from winnow.feeds.read.digest import Digests
from winnow.feeds.read.identity import normalised, resolve, url_hash, without_tracking
from winnow.feeds.read.signature import LastPrice, PriceReason, should_write, signature, signatures
from winnow.feeds.tracking import build_tracking_url

NOW = datetime(2026, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("item", "sku", "kind"), [("9", "s", "IMPACT_ITEM_ID"), (None, "s", "SKU"), (None, None, "URL_HASH")]
)
def test_f038_the_best_id_is_the_identity(item: str | None, sku: str | None, kind: str) -> None:
    assert resolve(item, sku, "h")[0] == kind


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://Shop.Test/P/Case/", "shop.test/P/Case"),
        ("HTTP://shop.test/p?b=2&a=1", "shop.test/p?a=1&b=2"),
        ("https://shop.test/p?utm_source=x&ref=1&affid=2&affiliate_x=3&clickid=4", "shop.test/p"),
        ("https://shop.test/p?click_id=5&subid=6&sub_id=7", "shop.test/p"),
        ("https://shop.test/p?color=red&irclickid=9", "shop.test/p?color=red"),
        ("https://shop.test/p#part", "shop.test/p"),
        ("https://shop.test", "shop.test"),
    ],
)  # fmt: skip
def test_f040_what_is_hashed_of_an_address(url: str, kept: str) -> None:
    assert normalised(url) == kept
    assert url_hash(url) == sha256(kept.encode()).hexdigest()


def test_f137_path_case_is_ignored_only_where_the_feed_says_so() -> None:
    assert url_hash("https://s.test/A") != url_hash("https://s.test/a")
    assert url_hash("https://s.test/A", lowercase_path=True) == url_hash("https://s.test/a", lowercase_path=True)


def test_f023_the_kept_address_does_not_track() -> None:
    assert without_tracking("https://s.test/p?id=1&utm_source=x&aff=2#top") == "https://s.test/p?id=1#top"
    assert without_tracking("https://s.test/p?ref=2") == "https://s.test/p"


def test_f031_the_signature_is_a_hash_of_canonical_json() -> None:
    told = json.dumps(
        {"amount": 1599, "currency": "USD", "in_stock": True, "promo": {"list_price": 1899}}, separators=(",", ":")
    )
    assert signature(1599, "USD", 1899, True) == sha256(told.encode()).hexdigest()[:32]
    assert len({signature(1, "USD", None, True), signature(1, "EUR", None, True), signature(2, "USD", None, True),
                signature(1, "USD", None, False), signature(1, "USD", 3, True)}) == 5  # fmt: skip


def test_f031_signatures_of_columns_are_those_of_rows() -> None:
    amounts, units, listed, stocks = (1599, 1, 1, 20), ("USD", "EUR", "USD", "JPY"), (1899, None, 3, None), (1, 0, 0, 1)
    stock = [bool(word) for word in stocks]
    stated = [*zip(units, stock, strict=True)]
    assert signatures(amounts, stated, listed) == [*map(signature, amounts, units, listed, stock)]
    assert signatures([], [], []) == []


@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (None, PriceReason.NEW),
        (LastPrice("other", NOW), PriceReason.CHANGED),
        (LastPrice("same", NOW - timedelta(hours=24)), PriceReason.HEARTBEAT),
        (LastPrice("same", NOW - timedelta(hours=23, minutes=59)), None),
    ],
)
def test_f045_when_a_price_is_written(last: LastPrice | None, reason: PriceReason | None) -> None:
    assert should_write(last, "same", NOW, timedelta(hours=24)) is reason


def counts(active: int, seen: int, upserted: int = 100, url_hashes: int = 0) -> PromotionCounts:
    return PromotionCounts(active=active, seen=seen, upserted=upserted, url_hash=url_hashes)


@pytest.mark.parametrize(
    ("given", "blocked"),
    [
        (counts(0, 0), None),  # F-085: the first run always passes
        (counts(100, 70), None),  # exactly 30 %
        (counts(100, 69), Block.SPIKE),
        (counts(20, 11), None),  # 45 %, but fewer than 10
        (counts(20, 10), Block.SPIKE),
        (counts(10_000, 9_501), None),
        (counts(10_000, 9_500), Block.SPIKE),  # 500, whatever the share
        (counts(10, 12), None),  # F-085: never negative
    ],
)
def test_f085_f086_spikes_at_their_boundaries(given: PromotionCounts, blocked: Block | None) -> None:
    assert block(given) is blocked


@pytest.mark.parametrize(
    ("upserted", "url_hashes", "blocked"),
    [(100, 50, None), (100, 51, Block.URL_HASH), (5_000, 1_000, None), (5_000, 1_001, Block.URL_HASH), (0, 0, None)],
)
def test_f042_the_gate_of_ids_at_its_boundaries(upserted: int, url_hashes: int, blocked: Block | None) -> None:
    assert block(counts(0, 0, upserted, url_hashes)) is blocked


def test_fn19_the_gate_of_ids_is_told_first() -> None:
    assert block(counts(100, 0, 100, 100)) is Block.URL_HASH


@pytest.mark.parametrize("hours", [0, 169, -1, 1.5, "48", True])
def test_f035_expiry_hours_have_a_range(hours: object) -> None:
    with pytest.raises(InvalidInput, match="between 1 and 168"):
        admin.check({"expiry_hours": hours, "path": "/f"}, allow_plain_ftp=True, confirmed_insecure=True)


@pytest.mark.parametrize("hours", [0, 3, 5, 48])
def test_f037_only_some_frequencies(hours: int) -> None:
    with pytest.raises(InvalidInput, match="1, 2, 4, 6, 12, 24"):
        admin.check(
            {"schedule_frequency_hours": hours, "path": "/f", "host": "h"},
            allow_plain_ftp=True,
            confirmed_insecure=True,
        )


def test_f093_plain_ftp_needs_permission_and_confirmation() -> None:
    given = {"transport": "FTP", "host": "h", "path": "/f"}
    with pytest.raises(InvalidInput, match="not allowed"):
        admin.check(given, allow_plain_ftp=False, confirmed_insecure=True)
    with pytest.raises(InvalidInput, match="insecure"):
        admin.check(given, allow_plain_ftp=True, confirmed_insecure=False)
    admin.check(given, allow_plain_ftp=True, confirmed_insecure=True)


@pytest.mark.parametrize(
    ("template", "built"),
    [
        (None, "https://s.test/p?a=1"),
        ("https://go.test/?u={url}&i={item_id}", "https://go.test/?u=https%3A%2F%2Fs.test%2Fp%3Fa%3D1&i=9"),
        ("{url}&aff=7", "https://s.test/p?a=1&aff=7"),
        ("javascript:alert(1)", "https://s.test/p?a=1"),
    ],
)
def test_f112_the_tracking_address(template: str | None, built: str) -> None:
    offer = {"url": "https://s.test/p?a=1", "impact_item_id": "9", "sku": "s"}
    assert build_tracking_url(offer, {"affiliate_tracking_template": template}) == built


def test_records_that_differ_only_in_where_a_separator_stands_differ() -> None:
    assert Digests().of_cells(["a\x1fb", "c"]) != Digests().of_cells(["a", "b\x1fc"])
