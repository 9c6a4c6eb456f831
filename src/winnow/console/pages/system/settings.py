"""Settings: what holds in this process. They come from the environment and are not changed here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.parts import Empty
from winnow.observe import mask
from winnow.observe.users import UserRole
from winnow.queries.reading import Row
from winnow.settings import Settings

SECRET_ADDRESSES = frozenset({"slack_webhook_url"})  # whoever knows the address may post there


COLUMNS = [Column("name", "Setting"), Column("value", "Value"), Column("origin", "From"), Column("meaning", "Meaning")]
ALL = 500  # there are about a hundred


@page("/settings", "Settings", group="System", icon="tune", order=50, key="c", role=UserRole.ADMIN)
async def build(view: View) -> None:
    heading("Settings", "Current values. Change them in the environment or in .env and restart Winnow; "
            "secrets are never shown.")  # fmt: skip

    async def load(after: str | None, limit: int) -> tuple[list[Row], None]:
        part = (wanted.wanted or "").lower()
        found = [_row(stage, *row) for stage, rows in grouped(view.settings) for row in rows]
        return [row for row in found if part in f"{row['id']} {row['meaning']['text']}".lower()], None

    with FilterBar(view) as filters:
        wanted = filters.search("Name or meaning", "q")
    empty = Empty("No such setting", "Try a part of its name.")
    grid = filters.above(Grid(view, COLUMNS, load, empty=empty, caption="Settings", rows=ALL))
    await grid.refresh()


def _row(stage: str, name: str, value: str, given: bool, meaning: str) -> Row:
    return {
        "id": name,
        "name": cell(name, stage, mono=True),
        "value": cell(value, mono=True),
        "origin": cell("set" if given else "default", tone="info" if given else "neutral"),
        "meaning": cell(meaning),
    }


def grouped(settings: Settings) -> Iterator[tuple[str, list[tuple[str, str, bool, str]]]]:
    """(stage, [(environment name, value as it may be shown, whether somebody set it, what it means)])"""
    for part in fields(settings):
        owner = getattr(settings, part.name)
        if isinstance(owner, BaseSettings):
            yield formatting.humanize(part.name), [_describe_setting(owner, name) for name in type(owner).model_fields]


def _describe_setting(owner: BaseSettings, name: str) -> tuple[str, str, bool, str]:
    field = type(owner).model_fields[name]
    alias = field.validation_alias
    prefix = owner.model_config.get("env_prefix", "")
    environment = alias if isinstance(alias, str) else f"{prefix}{name}".upper()
    return environment, value(name, getattr(owner, name)), name in owner.model_fields_set, field.description or ""


def value(name: str, given: Any) -> str:
    """As it may be shown: of a secret only that there is one."""
    if given is None or given == () or given == "":
        return formatting.NOTHING
    if name in SECRET_ADDRESSES or mask.is_secret_name(name) or _holds_a_secret(given):
        return mask.HIDDEN
    if isinstance(given, Path):
        return str(given)
    return mask.text(formatting.text(given))


def _holds_a_secret(given: Any) -> bool:
    return isinstance(given, SecretStr) or (isinstance(given, tuple) and any(isinstance(v, SecretStr) for v in given))
