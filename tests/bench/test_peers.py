"""The peers live in an environment of their own, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.harness import BenchFailed
from bench.peers import REQUIREMENTS, peers_python


@pytest.mark.slow
def test_the_environment_is_made_once_and_again_when_the_list_changes(tmp_path: Path) -> None:
    wanted, folder = tmp_path / "peers.txt", tmp_path / ".peers"
    wanted.write_text("# nobody yet\n")
    python = peers_python(folder, wanted)
    assert python.exists()
    mark = folder / "mark"
    mark.touch()
    assert peers_python(folder, wanted) == python
    assert mark.exists(), "nothing changed, so nothing was made again"
    wanted.write_text(f"{tmp_path / 'nowhere'}\n")
    with pytest.raises(BenchFailed, match="could not be installed"):
        peers_python(folder, wanted)
    assert not mark.exists()
    assert not (folder / "installed").exists(), "a failed installation is no installation"


def test_peers_are_pinned_and_name_no_index() -> None:
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if line and not line.startswith("#")]
    assert lines
    assert all("==" in line and "://" not in line and not line.startswith("-") for line in lines)
