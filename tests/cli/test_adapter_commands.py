"""`winnow adapters new | record | test` and `winnow quarantine`, as a person uses them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.cli.conftest import Winnow

PAGE = b"""<html lang="en"><body><main><h1>Tent</h1><p class="price">$19.99</p><p class="stock">In stock</p></main>
</body></html>"""


class Shop(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = b"User-agent: *\nDisallow:\n" if self.path == "/robots.txt" else PAGE
        self.send_response(200)
        self.send_header("Content-Type", "text/plain" if self.path == "/robots.txt" else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Shop)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("WINNOW_EGRESS_ALLOW", "127.0.0.0/8")
    monkeypatch.setenv("SCRAPER_RATE_LIMIT_TOKENS", "100")
    monkeypatch.setenv("SCRAPER_RATE_LIMIT_INTERVAL_SECONDS", "1")
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_p007_a_new_site_is_a_file_a_recorded_page_and_a_test(winnow: Winnow, shop: str, tmp_path: Path) -> None:
    made = winnow("adapters", "new", "tent-shop", "--domain", "tents.example")
    assert made.code == 0, made.err
    folder = tmp_path / "adapters/tent-shop"
    assert (folder / "live.toml").is_file()
    assert winnow("adapters", "new", "tent-shop", "--domain", "tents.example").code == 1
    assert winnow("adapters", "test", str(folder)).code == 1, "nothing is recorded yet"

    kept = winnow("adapters", "record", f"{shop}/p/tent", "--adapter", str(folder), "--name", "In stock!",
                  "--currency", "USD", "--json")  # fmt: skip
    assert kept.code == 0, kept.err
    assert kept.data["expected"]["price"] == "19.99 USD"
    assert Path(kept.data["folder"]) == folder / "pages/in-stock"
    again = winnow("adapters", "record", f"{shop}/p/tent", "--adapter", str(folder), "--name", "in-stock")
    assert (again.code, "recorded page" in again.err) == (1, True)

    assert winnow("adapters", "test", str(folder)).code == 0
    file = folder / "live.toml"
    file.write_text(file.read_text().replace('".price"', '".stock"'))
    broken = winnow("adapters", "test", str(folder), "--json")
    assert broken.code == 1
    assert {d["field"] for d in broken.data["differences"]} >= {"price", "verdict"}
    shown = winnow("adapters", "test", str(folder))
    assert "19.99 USD" in shown.out
    assert "1 differ" in shown.out

    file.write_text("id = \n")
    sentence = winnow("adapters", "test", str(folder))
    assert (sentence.code, sentence.err.count("\n"), "Traceback" in sentence.err) == (1, 1, False)


def test_shipped_adapters_are_tested_by_name(winnow: Winnow) -> None:
    done = winnow("adapters", "test", "sgammo", "--json")
    assert (done.code, done.data["differing"]) == (0, 0)
    assert done.data["pages"] >= 5
    assert winnow("adapters", "test", "nobody").code == 1
    assert winnow("adapter", "test", "sgammo", "--json").out == done.out, "the earlier name still works"


def test_a_python_adapter_is_scaffolded_too(winnow: Winnow, tmp_path: Path) -> None:
    assert winnow("adapters", "new", "tent-shop", "--domain", "tents.example", "--python").code == 0
    code = (tmp_path / "adapters/tent_shop/__init__.py").read_text()
    compile(code, "tent_shop", "exec")
    assert "class TentShop" in code
    assert winnow("adapters", "new", "Tent Shop", "--domain", "tents.example").code == 1
    assert not (tmp_path / "adapters/Tent Shop").exists(), "nothing is left behind"


def test_a_broken_file_is_one_sentence_and_stops_no_command(
    winnow: Winnow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine/shop").mkdir(parents=True)
    (tmp_path / "mine/shop/live.toml").write_text("id = 3")
    monkeypatch.setenv("WINNOW_ADAPTERS_DIR", str(tmp_path / "mine"))
    done = winnow("adapters", "list", "--json")
    assert (done.code, done.err.count("\n"), "live.toml" in done.err) == (0, 1, True)
    assert "generic" in {row["id"] for row in done.data}
    found = {row["name"]: row for row in winnow("doctor", "--json").data}
    assert (found["adapters"]["state"], "live.toml" in found["adapters"]["says"]) == ("fail", True)
    assert winnow("targets", "add", "https://other.example.com/p/1").code == 0
    (tmp_path / "mine/shop/live.toml").write_text('id = "shop"\ndomain = "example.com"')
    refused = winnow("targets", "add", "https://shop.example.com/p/1")
    assert (refused.code, "the adapter of example.com cannot be used" in refused.err) == (1, True)
