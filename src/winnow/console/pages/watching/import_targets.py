"""Many targets at once, from a CSV or a list of URLs; every row that is not taken is named with its reason."""

from __future__ import annotations

import io
from typing import Any

from nicegui import events, ui

from winnow.actions.imports import Import, ImportReport
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import cell, state
from winnow.console.widgets.form import area_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, mono, quiet, tag
from winnow.console.widgets.parts import Empty, button, card, columns, figure
from winnow.console.widgets.progress import ProgressBar
from winnow.errors import InvalidInput
from winnow.observe.users import UserRole
from winnow.sources import sources
from winnow.sources.sources import Source

MOST_BYTES = 50 * 1024 * 1024
EXAMPLE = "url,every,priority,notes\nhttps://shop.example/p/1,4h,0,\nhttps://shop.example/p/2,1d,5,best seller"
COLUMNS = [Column("line", "Line", "right"), Column("what", "Result"), Column("reason", "Why")]
ALL_IN = Empty("All rows were added", "No row was rejected or a duplicate.", "The targets", "/targets")


@page("/import", "Import many", parent="/targets", role=UserRole.OPERATOR)
async def build(view: View) -> None:
    ImportPage(view)


class ImportPage:
    def __init__(self, view: View) -> None:
        self.view = view
        self._file: tuple[str, bytes] | None = None
        with heading(
            "Import targets",
            "A CSV file or a list of URLs. Valid rows are imported; invalid rows are reported with line and reason.",
        ):
            link("Watch one page", "/add", cls="w-button")
        with columns():
            with card("The list"):
                self.source = text_field(
                    "Source",
                    "",
                    placeholder="its name or number",
                    help_text="Leave empty to use the source of each site, created if needed.",
                )
                self.lines = area_field(
                    "Paste lines here", "", rows=8, help_text="One URL per line, or CSV with a header."
                )
                self._upload = ui.upload(
                    auto_upload=True, max_files=1, max_file_size=MOST_BYTES, on_upload=self._uploaded
                ).classes("w-hidden")
                # Its own face has no name for its buttons; ours opens the same chooser, in the browser.
                choose = tag("button", "Choose a file instead", cls="w-button", type="button")
                choose.on("click", js_handler=f"() => getElement({self._upload.id}).$refs.qRef.pickFiles()")
                self._chosen = quiet("")
                button(
                    "Import",
                    act(view, UserRole.OPERATOR, "import targets", self._import),
                    view=view,
                    needs=UserRole.OPERATOR,
                    kind="primary",
                )
            with card("Example"):
                quiet(
                    "Columns may be in any order and separated by comma, semicolon, tab or bar. Only url is required: "
                    "source, adapter, schedule (cron), every (4h, 1d), priority, enabled and notes are read as well."
                )
                mono(EXAMPLE)
                quiet("Nothing is added twice: a page that exists already is reported as a duplicate, not as an error.")
        self.report = div("w-stack", aria_live="polite")

    async def _uploaded(self, event: events.UploadEventArguments) -> None:
        self._file = event.file.name, await event.file.read()
        self._chosen.set_text(f"{event.file.name}, {len(self._file[1]):,} bytes, is ready to be imported.")
        self._upload.reset()

    async def _import(self, context: ActionContext) -> str:
        body = self._file[1] if self._file else (self.lines.value or "").encode()
        if not body.strip():
            raise InvalidInput("paste lines or choose a file first")
        source = await self._source(context)
        self.report.clear()
        with self.report:
            progress = ProgressBar("Reading the list")
        work = Import(context.parts.database, context.parts.intake, context.actor, source)

        async def run(report: Any) -> None:
            await work.run(io.BytesIO(body), lambda read: report(read, len(body), f"{work.report.added} added so far"))

        await progress.track(run)
        self._file = None
        self._chosen.set_text("")
        with self.report:
            await self._show(work.report)
        return f"Targets added: {work.report.added}."

    async def _source(self, context: ActionContext) -> Source | None:
        named = (self.source.value or "").strip()
        if not named:
            return None
        async with context.parts.database.connection() as conn:
            return await sources.find(conn, named)

    async def _show(self, report: ImportReport) -> None:
        with div("w-figures"):
            figure("Rows", report.rows)
            figure("Added", report.added, tone="good" if report.added else "")
            figure("Repeated", report.repeated)
            figure("Refused", report.wrong, tone="bad" if report.wrong else "")
        if report.ignored_columns:
            quiet(f"Unknown columns were ignored: {', '.join(report.ignored_columns)}.")
        rows = sorted(
            [_row(w.line, "rejected", "Refused", w.reason) for w in report.wrong_rows]
            + [_row(w.line, "unchanged", "Repeated", w.reason) for w in report.repeated_rows],
            key=lambda row: row["id"],
        )

        async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], str | None]:
            start = int(after or 0)
            following = str(start + limit) if start + limit < len(rows) else None
            return rows[start : start + limit], following

        await Grid(self.view, COLUMNS, load, empty=ALL_IN, caption="Rows that were not added").refresh()


def _row(line: int, tone: str, message: str, reason: str) -> dict[str, Any]:
    return {"id": line, "line": cell(line), "what": state(tone, message), "reason": cell(reason)}
