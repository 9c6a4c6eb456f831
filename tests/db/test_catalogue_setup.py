"""How the catalogue is set up and laid out (C-058, C-061, C-062)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import psycopg
import yaml

ROOT = Path(__file__).parents[2]


def test_c058_layers_are_kept_apart_by_a_contract() -> None:
    """API above queries, those above actions, workers, parsers, tables; extractors know no database."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    layers, parser = project["tool"]["importlinter"]["contracts"][:2]
    order = [name for row in layers["layers"] for name in row.split(" | ")]
    wanted = [
        "winnow.api",
        "winnow.queries",
        "winnow.actions",
        "winnow.run",
        "winnow.store",
        "winnow.extract",
        "winnow.db",
    ]
    assert [name for name in order if name in wanted] == wanted
    assert "winnow.db" in parser["forbidden_modules"]
    assert "lint-imports" in (ROOT / "Makefile").read_text()


def test_c061_a_migrated_database_has_the_search_index(database_url: str) -> None:
    with psycopg.connect(database_url) as conn:
        found = conn.execute("SELECT indexname FROM pg_indexes WHERE tablename = 'search_documents'").fetchall()
        version = conn.execute("SELECT count(*) FROM alembic_version").fetchall()
    assert {"idx_search_documents_document", "idx_search_documents_product_name"} <= {name for (name,) in found}
    assert version == [(1,)]


def test_c061_c062_the_delivered_files_are_there_and_start_a_database_of_that_name() -> None:
    for name in ("deploy/Dockerfile", "requirements.lock", "README.md", ".env.example", "alembic.ini"):
        assert (ROOT / name).is_file(), name
    compose: dict[str, Any] = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text())
    databases = [service.get("environment", {}).get("POSTGRES_DB") for service in compose["services"].values()]
    assert "winnow" in databases
    assert "pytest" in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    for name in ("api", "run", "store", "extract"):
        assert any((ROOT / "tests" / name).rglob("test_*.py")), name
