"""How every class of settings reads the environment and `.env`."""

from __future__ import annotations

from pydantic_settings import SettingsConfigDict


def environment(prefix: str) -> SettingsConfigDict:
    """An empty value is no value: that is how compose files and `.env` leave a setting as it is, and an empty
    WINNOW_DATA_DIR must not mean the folder somebody happens to stand in."""
    return SettingsConfigDict(
        env_prefix=prefix,
        env_file=".env",
        env_file_encoding="utf-8-sig",  # an editor's mark at its beginning is no part of the first name
        env_ignore_empty=True,
        extra="ignore",
    )
