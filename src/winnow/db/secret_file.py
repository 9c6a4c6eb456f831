"""A secret that is made in the data folder when nobody gave one (DESIGN §11.20)."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def make(file: Path, word: str) -> None:
    """For its owner only, whole or not at all; when two processes make one, both use the first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    proposal = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(proposal, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(word + "\n")
        out.flush()
        os.fsync(out.fileno())
    try:
        os.link(proposal, file)
    except FileExistsError:
        pass
    finally:
        proposal.unlink()
