"""What is generated from CLDR is what the script writes today."""

from __future__ import annotations

from tools.cldr import generated
from tools.vocabulary import DATA, formatted


def test_the_files_of_cldr_are_up_to_date() -> None:
    files = {path.stem: path.read_text(encoding="utf-8") for path in (DATA / "cldr").glob("*.json")}
    assert files == {subject: formatted(content) for subject, content in generated().items()}, (
        "run python -m tools.cldr"
    )
