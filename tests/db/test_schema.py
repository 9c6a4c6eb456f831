"""The declared schema is what migrations make, and it keeps the lists' promises about names and keys."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from tests.db.schema_snapshot import snapshot
from winnow.db import baseline, migrate
from winnow.db.tables import write_baseline
from winnow.db.tables.objects import metadata
from winnow.errors import ConfigError
from winnow.extract.draft import Strategy
from winnow.fetch.outcome import Outcome
from winnow.judge.verdict import Decision
from winnow.normalise.money import currencies
from winnow.normalise.record import Availability

VERSIONS = Path(migrate.__file__).with_name("migrations") / "versions"


@contextmanager
def empty_database(server_url: str, owner: str | None = None) -> Iterator[str]:
    name = sql.Identifier(f"winnow_schema_{secrets.token_hex(4)}")
    owned = sql.SQL("OWNER {}").format(sql.Identifier(owner)) if owner else sql.SQL("")
    with psycopg.connect(server_url, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE DATABASE {} {}").format(name, owned))
        try:
            yield make_conninfo(server_url, dbname=name.as_string().strip('"'))
        finally:
            conn.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@pytest.fixture(scope="module")
def migrated_url(server_url: str, template_database: str) -> str:
    return make_conninfo(server_url, dbname=template_database)


@pytest.fixture(scope="module")
def migrated(migrated_url: str) -> dict[str, Any]:
    return snapshot(migrated_url)


def test_declared_tables_functions_triggers_and_views_are_what_migrations_make(
    server_url: str, migrated: dict[str, Any]
) -> None:
    with empty_database(server_url) as address:
        engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(address), poolclass=NullPool)
        metadata.create_all(engine)
        declared = snapshot(address)
    for what, objects in declared.items():
        assert migrated[what] == objects, what


def test_c060_every_migration_downgrades_and_upgrades_again(server_url: str) -> None:
    with empty_database(server_url) as address:
        asyncio.run(walk(address))


async def walk(address: str) -> None:
    revisions = (await migrate.status(address)).pending
    at: dict[str, dict[str, Any]] = {}
    for revision in revisions:
        await migrate.upgrade(address, revision)
        at[revision] = snapshot(address)
    for revision in reversed(revisions[:-1]):
        await migrate.downgrade(address, "-1")
        assert snapshot(address) == at[revision], f"after downgrading to {revision}"
    await migrate.downgrade(address, "base")
    left = snapshot(address)
    assert {what: objects for what, objects in left.items() if objects and what != "extensions"} == {}
    await migrate.upgrade(address)
    assert snapshot(address) == at[revisions[-1]]


@contextmanager
def ordinary_role(server_url: str) -> Iterator[str]:
    name = f"owner_{secrets.token_hex(4)}"
    with psycopg.connect(server_url, autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'owner'").format(sql.Identifier(name)))
        try:
            yield name
        finally:
            conn.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


async def test_an_ordinary_owner_can_migrate(server_url: str) -> None:
    """Your own server (WINNOW_DATABASE_URL) need not give Winnow a superuser: of what Winnow needs only
    earthdistance has to be installed by one; pgvector is done without."""
    with ordinary_role(server_url) as role, empty_database(server_url, role) as address:
        with psycopg.connect(address) as administrator:
            administrator.execute("CREATE EXTENSION earthdistance CASCADE")
        await migrate.upgrade(make_conninfo(address, user=role, password="owner"))
        assert len(snapshot(address)["tables"]) == len(metadata.tables)


async def test_an_owner_who_may_not_install_earthdistance_is_told_so(server_url: str) -> None:
    with ordinary_role(server_url) as role, empty_database(server_url, role) as address:
        with pytest.raises(ConfigError, match="earthdistance"):
            await migrate.upgrade(make_conninfo(address, user=role, password="owner"))


def test_nothing_needs_pgvector(server_url: str) -> None:
    """DESIGN §9: without it only semantic deduplication is off. RESTRICT: the drop fails if anything uses it."""
    with empty_database(server_url) as address:
        asyncio.run(migrate.upgrade(address))
        with psycopg.connect(address) as conn:
            conn.execute("DROP EXTENSION IF EXISTS vector RESTRICT")


def test_the_tables_of_the_baseline_are_those_of_the_models() -> None:
    """After a change of a model: `make baseline`."""
    written = {script.path: script.text for script in baseline.scripts() if is_written(script.path)}
    assert written == write_baseline.render()


def is_written(path: str) -> bool:
    return path.startswith(baseline.TABLES) or path == baseline.FOREIGN_KEYS


def test_migrations_are_history_and_read_nothing_of_today() -> None:
    """The first one reads the baseline's files and nothing else of Winnow."""
    for path in VERSIONS.glob("*.py"):
        text = path.read_text()
        assert "create_all" not in text, path.name
        imported = set(re.findall(r"^\s*((?:from|import) winnow.*)$", text, re.M))
        assert imported <= ({"from winnow.db import baseline"} if path.name == "0001_baseline.py" else set()), path.name


def test_no_file_of_the_baseline_is_longer_than_a_module_may_be() -> None:
    long = {script.path: lines for script in baseline.scripts() if (lines := script.text.count("\n")) > 400}
    assert long == {}


def test_every_time_has_a_zone(migrated: dict[str, Any]) -> None:
    types = {column: row[0] for column, row in migrated["columns"].items()}
    assert not [column for column, kind in types.items() if kind.startswith("timestamp") and "with time" not in kind]
    assert sum(kind == "timestamp with time zone" for kind in types.values()) > 100


def test_f034_prices_has_one_unique_index_besides_its_key(migrated_url: str) -> None:
    query = """SELECT relname FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
               WHERE indrelid = 'prices'::regclass AND indisunique AND NOT indisprimary"""
    with psycopg.connect(migrated_url) as conn:
        assert conn.execute(query).fetchall() == [("prices_affiliate_dedupe",)]


def test_f034_prices_has_no_unique_constraint(migrated_url: str) -> None:
    query = "SELECT conname FROM pg_constraint WHERE conrelid = 'prices'::regclass AND contype IN ('u', 'x')"
    with psycopg.connect(migrated_url) as conn:
        assert conn.execute(query).fetchall() == []


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        ("idx_scrape_targets_source", r"\(source_id\)$"),  # P-059
        ("idx_scrape_targets_adapter", r"\(adapter_id\)$"),
        ("idx_scrape_targets_status", r"\(status\)$"),
        ("idx_scrape_targets_schedule", r"\(schedule\) WHERE enabled$"),
        ("idx_scrape_runs_adapter", r"\(adapter_id\)$"),  # P-064
        ("idx_scrape_runs_source", r"\(source_id\)$"),
        ("idx_scrape_runs_retailer", r"\(retailer_id\)$"),
        ("idx_scrape_runs_status", r"\(status\)$"),
        ("idx_scrape_runs_started", r"\(started_at\)$"),
        ("idx_domains_domain_name", r"^CREATE UNIQUE .*\(domain_name\)$"),  # C-027
        ("idx_domains_is_active", r"\(is_active\)$"),
        ("idx_images_product_id", r"\(product_id\)$"),  # C-036
        ("idx_proxies_is_active", r"\(is_active\)$"),  # C-039
        ("idx_proxies_last_used_at", r"\(last_used_at\)$"),
        ("idx_proxies_failure_count", r"\(failure_count\)$"),
        ("idx_pages_content_hash", r"\(source_id, content_hash\)$"),  # E-102
        ("affiliate_feed_runs_feed_status_started_idx", r"\(feed_id, status, started_at\)$"),  # F-018
        ("sources_retailer_id_idx", r"\(retailer_id\)$"),  # F-020
        ("sources_one_primary_per_retailer", r"^CREATE UNIQUE .*\(retailer_id\) WHERE is_display_primary$"),  # F-022
        ("source_products_source_identity_key_unique", r"^CREATE UNIQUE .*\(source_id, identity_key\)$"),  # P-061
        ("sp_source_id_id_idx", r"\(source_id, id\) INCLUDE \(feed_run_id\)$"),  # F-024
        ("spp_last_seen_success_at_idx", r"\(last_seen_success_at\)$"),  # F-026
        (
            "prices_affiliate_dedupe",  # F-032
            r"^CREATE UNIQUE .*\(source_product_id, affiliate_feed_run_id, price_signature_hash\) "
            r"WHERE \(affiliate_feed_run_id IS NOT NULL\)$",
        ),
        ("prices_source_product_latest", r"\(source_product_id, created_at DESC\)$"),  # F-033
    ],
)
def test_indexes_have_the_names_and_shapes_of_the_lists(migrated: dict[str, Any], index: str, shape: str) -> None:
    assert re.search(shape, migrated["indexes"][index][0])


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        ("pages.pages_outcome_check", Outcome),
        ("prices.prices_availability_check", Availability),
        ("records.records_verdict_check", Decision),
        ("drafts.drafts_strategy_check", Strategy),
        ("sources.sources_preferred_method_check", Strategy),
    ],
)
def test_checks_allow_exactly_the_words_of_the_code(
    migrated: dict[str, Any], constraint: str, words: type[StrEnum]
) -> None:
    allowed = re.findall(r"'(\w+)'::text", migrated["constraints"][constraint][0])
    assert sorted(allowed) == sorted(words)


def test_the_database_knows_the_same_decimals_as_the_code(migrated_url: str) -> None:
    codes = sorted(currencies.CODES)
    with psycopg.connect(migrated_url) as conn:
        rows = conn.execute("SELECT c, currency_exponent(c) FROM unnest(%s::text[]) c", (codes,)).fetchall()
    assert rows == [(code, currencies.exponent(code)) for code in codes]
