"""One adapter: its health against its baseline, the switch, and what another version would read."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from winnow.actions import adapters as adapter_actions
from winnow.actions import replays as replay_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.pages.trust.adapters import share, site_label, state_of
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, number, state, when
from winnow.console.widgets.charts import Series, chart
from winnow.console.widgets.form import select_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, quiet
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirmed, facts, figure
from winnow.console.widgets.parts import when as moment
from winnow.console.widgets.refreshable import Refreshable
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.queries import adapters, charts, replays
from winnow.queries.adapters import of_adapter

Row = dict[str, Any]
REASONS = {
    "MANUAL": "manual decision",
    "DRIFT_DETECTED": "reads wrong values",
    "ToS_VIOLATION": "terms of the site",
}
DISABLE_TEXT = "It is no longer used, for any source. Running tasks finish."
ENABLE_TEXT = "It is used again immediately. Its first run is checked more strictly, and its open alerts are closed."
REPLAYS = [
    Column("id", "Replay"),
    Column("status", "State"),
    Column("version", "Version"),
    Column("pages", "Pages", "right"),
    Column("changed", "Changed", "right"),
    Column("lost", "Lost", "right"),
    Column("gained", "Gained", "right"),
    Column("at", "Started"),
]
NO_REPLAYS = Empty("No replay yet", "Start one above: stored pages are read again and no price is written.")


@page("/adapters/{adapter_id}", "Adapter", parent="/adapters")
async def build(view: View, adapter_id: str) -> None:
    await AdapterPage(view, adapter_id).part.refresh()


class AdapterPage:
    def __init__(self, view: View, adapter_id: str) -> None:
        self.view, self.id, self.own = view, adapter_id, of_adapter(adapter_id)
        source = adapter_id.partition("@")[2]
        self.source_id = int(source) if source.isdigit() else None
        self.part = Refreshable(self._load, self._draw)

    async def _load(self) -> tuple[Row, list[Row]]:
        async with self.view.reading() as conn:
            listed = await adapters.listed(conn, self.view.parts.registry)
            runs = await charts.health(conn, self.own, self.source_id)
        for adapter in listed:
            if adapter["id"] == self.id:
                return adapter, runs
        raise NotFound(f"there is no adapter {self.id!r}")

    async def _draw(self, loaded: tuple[Row, list[Row]]) -> None:
        adapter, runs = loaded
        with heading(
            self.id,
            f"Reads {formatting.kinds(adapter['kind'])} of {site_label(adapter['domain'])}, {adapter['version']}.",
        ):
            shown = state_of(adapter)
            badge("", shown["text"], tone=shown["tone"])
        with div("w-figures"):
            figure("Failures in the last run", share(adapter.get("last_batch_failure_rate")))
            figure(
                "Usual failures",
                share(adapter.get("baseline_failure_rate")),
                description=f"over {formatting.number(adapter.get('baseline_sample_size') or 0)} pages",
            )
            figure("Usual yield", share(adapter.get("baseline_yield_rate")))
            figure(
                "Bad runs in a row",
                adapter.get("consecutive_failed_batches") or 0,
                tone="bad" if adapter.get("consecutive_failed_batches") else "",
            )
        with card("Health", "Share of pages per run; the dashed lines show the seven-day baseline.", wide=True):
            _health(adapter, runs)
        with columns():
            self._switch(adapter)
            self._replay()
        with card("Replays", "Stored pages read by another version.", wide=True):
            await self._replays()

    def _switch(self, adapter: Row) -> None:
        with card("Status"):
            if adapter["enabled"]:
                if adapter.get("enabled_at"):
                    facts({"Enabled": lambda: moment(adapter["enabled_at"]), "By": adapter["enabled_by"]})
                reason = select_field("Reason", REASONS, "MANUAL")
                note = text_field("Note", "", help_text="Kept in the audit trail.")

                async def disable(context: ActionContext) -> str:
                    async with context.parts.database.transaction() as conn:
                        await adapter_actions.disable(conn, context.actor, self.id, reason.value, note.value or None)
                    return "The adapter is disabled."

                ask = confirmed(
                    f"Disable {self.id}?",
                    DISABLE_TEXT,
                    "Disable it",
                    act(self.view, UserRole.OPERATOR, "disable an adapter", disable, about=self.id),
                )
                button("Disable", self.part.after(ask), view=self.view, needs=UserRole.OPERATOR, kind="danger")
                return
            facts(
                {
                    "Disabled": lambda: moment(adapter.get("disabled_at")),
                    "By": adapter.get("disabled_by"),
                    "Reason": REASONS.get(adapter.get("disabled_reason") or "", adapter.get("disabled_reason")),
                }
            )
            why = text_field("Note", "", help_text="What was fixed; kept in the audit trail.")

            async def enable(context: ActionContext) -> str:
                async with context.parts.database.transaction() as conn:
                    await adapter_actions.enable(conn, context.actor, self.id, why.value or None)
                return "The adapter is enabled."

            ask = confirmed(
                f"Enable {self.id}?",
                ENABLE_TEXT,
                "Enable it",
                act(self.view, UserRole.OPERATOR, "enable an adapter", enable, about=self.id),
            )
            button("Enable", self.part.after(ask), view=self.view, needs=UserRole.OPERATOR, kind="primary")

    def _replay(self) -> None:
        registry = self.view.parts.registry
        live = registry.get(self.own)
        versions = {"": f"{live.version if live else ''} (live)"}
        versions |= {v: f"{v} (candidate)" for v in registry.candidates(self.own)}
        with card("Replay", "Reads stored pages again and shows what differs. It fetches nothing and writes no price."):
            if len(versions) == 1:
                quiet(
                    "There is no candidate. A newer version put into the adapters' folder appears here; until then "
                    "the live one can be compared with what was stored."
                )
            version = select_field("Version", versions, list(versions)[-1])
            limit = text_field("Maximum pages", "200", kind="number", min="1", max="10000")

            async def start(context: ActionContext) -> str:
                if not str(limit.value).isdigit() or not 1 <= int(limit.value) <= 10_000:
                    raise InvalidInput("the number of pages must be between 1 and 10000")
                parts = context.parts
                replay_id = await replay_actions.start(
                    parts.database,
                    context.actor,
                    parts.settings,
                    parts.registry,
                    parts.running_replays,
                    self.own,
                    version.value or None,
                    source_id=self.source_id,
                    limit=int(limit.value),
                )
                ui.navigate.to(f"/replays/{replay_id}")  # below the console's own root
                return "The replay has started."

            button(
                "Start the replay",
                act(self.view, UserRole.OPERATOR, "start a replay", start, about=self.own),
                view=self.view,
                needs=UserRole.OPERATOR,
                kind="primary",
            )

    async def _replays(self) -> None:
        async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
            async with self.view.reading() as conn:
                found, following = await replays.listed(
                    conn, adapter_id=self.own, after=None if after is None else int(after), limit=limit
                )
            return [_row(replay) for replay in found], following

        await Grid(self.view, REPLAYS, load, empty=NO_REPLAYS, caption="Replays", rows=10).refresh()


def _health(adapter: Row, runs: list[Row]) -> None:
    if not runs:
        quiet("No run has finished yet.")
        return
    base = adapter.get("baseline_failure_rate"), adapter.get("baseline_yield_rate")
    lines = [
        Series("Failing", [_point(run, "failure_rate") for run in runs], "bad"),
        Series("Yielding", [_point(run, "yield_rate") for run in runs], "good"),
    ]
    ends = [runs[0]["completed_at"].isoformat(), runs[-1]["completed_at"].isoformat()]
    for name, value, tone in zip(("Usual failures", "Usual yield"), base, ("warn", "info"), strict=True):
        if value is not None:
            lines.append(Series(name, [[at, round(100 * float(value), 1)] for at in ends], tone, "dashed"))
    chart(f"Share of failing and yielding pages of the last {len(runs)} runs, against the baseline", lines, unit="%")


def _point(run: Row, name: str) -> list[Any]:
    value = run[name]
    return [run["completed_at"].isoformat(), None if value is None else round(100 * float(value), 1)]


def _row(replay: Row) -> Row:
    versions = f"{replay['live_version'] or '–'} → {replay['candidate_version'] or '–'}"
    beside = replay["mode"] == "shadow" and replay["status"] == "running"
    return {
        "id": cell(f"Replay {replay['id']}", replay["requested_by"], path=f"/replays/{replay['id']}"),
        "status": state(replay["status"], "On live traffic" if beside else None),
        "version": cell(versions, mono=True),
        "pages": number(replay["pages"]),
        "changed": number(replay["changed"]),
        "lost": number(replay["lost"]),
        "gained": number(replay["gained"]),
        "at": when(replay["created_at"]),
    }
