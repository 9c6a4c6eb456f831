"""The whole story in one command, as a newcomer runs it: drift, auto-disable, review, replay, recovery (P-107)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from winnow.demo.catalogue import make_catalogue
from winnow.demo.pages import Shelf, Template, product_page
from winnow.demo.redesign import NEXT, SELECTORS
from winnow.extract.adapters.selectors import parse_adapter


@pytest.mark.slow
def test_p107_drift_auto_disable_and_recovery_are_shown_end_to_end(tmp_path: Path):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WINNOW_")}
    done = subprocess.run(
        [sys.executable, "-m", "winnow", "demo", "--break-template", "--fast"],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("✓") == 6
    for claim in ("P1 alert", "quarantined", "reviewed", "replayed", "recovered"):
        assert claim in done.stdout
    assert "Traceback" not in done.stderr


def test_both_versions_of_the_demo_adapter_are_adapters():
    live, candidate = (parse_adapter(text, Path("fernweh/live.toml")) for text in (SELECTORS, NEXT))
    assert (live.id, live.version, candidate.version) == ("fernweh", "1.0.0", "1.1.0")


def test_half_a_redesign_shows_zero_on_some_pages_and_nothing_on_the_others():
    catalogue = make_catalogue(48, 7)
    pages = [
        product_page(Shelf(p, p.base_cents), (), "http://shop", Template.HALF).split("<footer")[0] for p in catalogue
    ]
    zero = [page for page in pages if "$0.00" in page]
    assert len(zero) >= 5
    assert all("$" not in page for page in pages if page not in zero)
