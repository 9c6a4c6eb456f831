"""The secret of messages that have no receiver's own: callbacks of jobs (S-073)."""

from __future__ import annotations

import secrets
from pathlib import Path

from winnow.db import secret_file
from winnow.publish.settings import PublishSettings

FILE = "webhook-secret"


def platform_secret(settings: PublishSettings, folder: Path) -> str:
    """SCRAPER_WEBHOOK_SECRET, else one that is made in the data folder (DESIGN §11.20)."""
    if settings.webhook_secret is not None:
        return settings.webhook_secret
    file = folder / FILE
    if not file.exists():
        secret_file.make(file, secrets.token_urlsafe(32))
    return file.read_text(encoding="ascii").strip()
