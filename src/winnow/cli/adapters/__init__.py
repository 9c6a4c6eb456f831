"""`winnow adapters …`: list, enable and disable adapters, write one for a site and test it on recorded pages."""

from __future__ import annotations

import typer

from winnow.cli.adapters import authoring, status

app = typer.Typer(help="Adapters: which may run, and how to write and test one for a site.", no_args_is_help=True)
app.add_typer(status.app)
app.add_typer(authoring.app)
