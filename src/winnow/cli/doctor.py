"""`winnow doctor`: checks everything Winnow needs on this machine and reports what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from winnow.cli.session import AsJson, run

if TYPE_CHECKING:
    from winnow.actions.doctor import Check

SIGNS = {"ok": ("ok  ", "green"), "warn": ("warn", "yellow"), "fail": ("FAIL", "red")}

MIN_NAME = 15  # columns of the names, so that the texts stand below each other


def doctor(
    invariants: Annotated[
        bool, typer.Option("--invariants", help="Audit what is stored instead of this machine.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Checks this machine and reports what is missing.

    Settings, folders, database, archive, browser: each with what to do. Exit code 1 when something fails."""
    from winnow.cli.checks import everything, stored_data

    found = run(stored_data() if invariants else everything())
    if as_json:
        from winnow.cli import show

        show.as_json([check.as_row() for check in found])
    else:
        _print(found)
    if any(check.state == "fail" for check in found):
        raise typer.Exit(1)


def _print(found: list[Check]) -> None:
    from rich.text import Text

    from winnow.cli import show

    out = show.console()
    width = max([MIN_NAME, *(len(check.name) + 2 for check in found)])
    for check in found:
        sign, colour = SIGNS[check.state]
        line = Text.assemble((sign, colour), "  ", (f"{check.name:<{width}}", "bold"), show.clean(check.says))
        out.print(line)
        if check.todo:
            out.print(Text(f"      → {show.clean(check.todo)}"))
