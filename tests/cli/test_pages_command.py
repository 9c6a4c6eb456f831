"""`winnow pages`: what was fetched, its text, and its body in a file."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from tests.cli.conftest import Winnow, one_line
from winnow.fetch.archive.archive import Archive

BODY = "<html><body><h1>Größe \x1b[31m</h1><script>no()</script><p>12,99 €</p></body></html>".encode("cp1252")


@pytest.fixture
def page_id(winnow: Winnow, database_url: str, tmp_path: Path) -> str:
    winnow("pages", "list")  # brings the database to the newest schema
    archive = Archive(None, tmp_path / "data" / "pages")
    stored = asyncio.run(archive.put(BODY))
    archive.close()
    page_id = uuid4()
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute(
            "INSERT INTO pages (id, url, final_url, outcome, status_code, fetch_duration_ms, content_hash, charset, "
            "content_type, body_bytes) VALUES (%s, 'https://a.example/', 'https://a.example/x', 'ok', 200, 5, %s, "
            "'windows-1252', 'text/html', %s)",
            (page_id, stored.hash, len(BODY)),
        )
    return str(page_id)


def test_a_page_is_listed_and_shown_as_text(winnow: Winnow, page_id: str) -> None:
    (listed,) = winnow("pages", "list", "--json").data
    assert (listed["id"], listed["outcome"], listed["kept"]) == (page_id, "ok", True)
    assert winnow("pages", "list", "--outcome", "timeout", "--json").data == []
    shown = winnow("pages", "show", page_id)
    assert "Größe" in shown.out
    assert "12,99 €" in shown.out
    assert "no()" not in shown.out
    assert "\x1b" not in shown.out
    assert "<h1>" in winnow("pages", "show", page_id, "--source").out


def test_a_page_is_written_to_a_file_as_it_came(winnow: Winnow, page_id: str) -> None:
    path = Path(winnow("pages", "open", page_id).out.strip())
    try:
        assert path.read_bytes() == BODY
        assert path.suffix == ".html"
        assert path.stat().st_mode & 0o077 == 0
    finally:
        path.unlink()


def test_a_body_that_is_gone_is_told(winnow: Winnow, page_id: str, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as conn:
        conn.execute("UPDATE pages SET body_deleted_at = now()")
    assert winnow("pages", "show", page_id, "--json").data["text"] is None
    one_line(winnow("pages", "open", page_id), "was not kept")
    one_line(winnow("pages", "show", str(uuid4())), "no page")
