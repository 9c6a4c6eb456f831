"""The secret of messages that have no receiver's own: callbacks of jobs (S-073)."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from winnow.publish.settings import PublishSettings

FILE = "webhook-secret"


def platform_secret(settings: PublishSettings, folder: Path) -> str:
    """SCRAPER_WEBHOOK_SECRET, else one that is made in the data folder (DESIGN §11.20)."""
    if settings.webhook_secret is not None:
        return settings.webhook_secret
    file = folder / FILE
    if not file.exists():
        _make(file)
    return file.read_text(encoding="ascii").strip()


def _make(file: Path) -> None:
    """For its owner only, whole or not at all; when two processes make one, both use the first."""
    file.parent.mkdir(parents=True, exist_ok=True)
    proposal = file.with_name(f"{FILE}.{secrets.token_hex(8)}")
    with os.fdopen(os.open(proposal, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        out.write(secrets.token_urlsafe(32) + "\n")
        out.flush()
        os.fsync(out.fileno())
    try:
        os.link(proposal, file)
    except FileExistsError:
        pass
    finally:
        proposal.unlink()
