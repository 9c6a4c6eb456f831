"""`winnow keys …`: who may use the API."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, actor, assembled, run

app = typer.Typer(help="Keys for the API.", no_args_is_help=True)

COLUMNS = {
    "ID": "id",
    "NAME": "name",
    "PREFIX": "prefix",
    "SCOPES": "scopes",
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
    as_json: AsJson = False,
) -> None:
    """Creates a key and shows it once. The default scope is read."""
    run(_create(name, scope or ["read"], days, as_json))


async def _create(name: str, scopes: list[str], days: float | None, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.observe import keys

    try:
        wanted = [keys.Scope(s.strip().lower()) for s in scopes]
    except ValueError:
        raise InvalidInput("a scope is admin, scrape or read", field="scope") from None
    async with assembled() as parts, parts.database.connection() as conn:
        made, secret = await keys.create(conn, name, wanted, actor(), days=days)
    if as_json:
        show.as_json({"id": made.id, "name": made.name, "prefix": made.prefix, "scopes": made.scopes, "key": secret})
        return
    typer.echo(secret)
    typer.echo(f"{made.name}: {', '.join(made.scopes)}. This is the only time it is shown.", err=True)


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
