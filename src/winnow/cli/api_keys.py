"""`winnow keys …`: who may use the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from winnow.cli.session import AsJson, actor, assembled, run

if TYPE_CHECKING:
    from winnow.observe.keys import Scope

app = typer.Typer(help="Keys for the API.", no_args_is_help=True)

COLUMNS = {
    "ID": "id",
    "NAME": "name",
    "PREFIX": "prefix",
    "SCOPES": "scopes",
    "WORKSPACE": "workspace_id",
    "CREATED (UTC)": "created_at",
    "EXPIRES": "expires_at",
    "LAST USED": "last_used_at",
    "REVOKED": "revoked_at",
}


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="Purpose of the key, shown in the list.", show_default=False)],
    scope: Annotated[list[str] | None, typer.Option(help="admin, scrape or read (repeat the option).")] = None,
    days: Annotated[float | None, typer.Option(help="Days until it expires.", min=0.001)] = None,
    workspace: Annotated[
        str | None, typer.Option(help="The workspace that a key of scope scrape serves and sees.", show_default=False)
    ] = None,
    all_workspaces: Annotated[
        bool, typer.Option("--all-workspaces", help="It serves all workspaces: for a backend of your own.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Creates a key and shows it once. The default scope is read."""
    run(_create(name, scope or ["read"], days, (workspace, all_workspaces), as_json))


async def _create(
    name: str, scopes: list[str], days: float | None, serves: tuple[str | None, bool], as_json: bool
) -> None:
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.observe import keys

    try:
        wanted = [keys.Scope(s.strip().lower()) for s in scopes]
    except ValueError:
        raise InvalidInput("a scope is admin, scrape or read", field="scope") from None
    workspace_id = _workspace_of(wanted, *serves)
    async with assembled() as parts, parts.database.connection() as conn:
        made, secret = await keys.create(conn, name, wanted, actor(), days=days, workspace_id=workspace_id)
    if as_json:
        show.as_json(
            {
                "id": made.id,
                "name": made.name,
                "prefix": made.prefix,
                "scopes": made.scopes,
                "workspace_id": made.workspace_id,
                "key": secret,
            }
        )
        return
    typer.echo(secret)
    typer.echo(f"{made.name}: {', '.join(made.scopes)}. This is the only time it is shown.", err=True)


def _workspace_of(scopes: list[Scope], workspace: str | None, all_of_them: bool) -> str | None:
    from winnow.errors import InvalidInput
    from winnow.observe.keys import ALL_WORKSPACES, Scope

    if workspace is not None and all_of_them:
        raise InvalidInput("either --workspace or --all-workspaces", field="workspace")
    if Scope.SCRAPE in scopes and Scope.ADMIN not in scopes and workspace is None and not all_of_them:
        raise InvalidInput(
            "a key of scope scrape needs --workspace NAME, or --all-workspaces for a backend that serves several",
            field="workspace",
        )
    return ALL_WORKSPACES if all_of_them else workspace


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Include revoked keys.")] = False, as_json: AsJson = False
) -> None:
    """Shows the keys, not their secrets."""
    run(_list(everything, as_json))


async def _list(everything: bool, as_json: bool) -> None:
    import msgspec

    from winnow.cli import show
    from winnow.observe import keys

    async with assembled() as parts, parts.database.connection() as conn:
        found = await keys.listed(conn, revoked=everything)
        configured = bool((parts.settings.api.service_key or "").strip())
    if as_json:
        show.as_json([msgspec.to_builtins(key) for key in found])
        return
    show.table(COLUMNS, (msgspec.structs.asdict(k) for k in found), "no keys yet: `winnow keys create NAME`")
    if configured:
        show.message("and SCRAPER_SERVICE_KEY from the settings, with the scope scrape")


@app.command("revoke")
def revoke(
    key: Annotated[str, typer.Argument(help="Its name, prefix or id.", show_default=False)], as_json: AsJson = False
) -> None:
    """Revokes a key; it is refused from the next request on."""
    run(_revoke(key, as_json))


async def _revoke(which: str, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.observe import keys

    async with assembled() as parts, parts.database.connection() as conn:
        gone = await keys.revoke(conn, which, actor())
    summary = f"{gone.name} (wk_{gone.prefix}_…) is revoked"
    show.done(as_json, summary, id=gone.id, name=gone.name, prefix=gone.prefix, revoked=True)
