"""`winnow proxies …`: the exits requests take in turn."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, actor, assembled, run

app = typer.Typer(help="Proxies that requests use in turn.", no_args_is_help=True)

Which = Annotated[int, typer.Argument(help="Its id, as `winnow proxies list` shows it.", show_default=False, min=1)]
COLUMNS = {
    "ID": "id",
    "PROXY": "url",
    "USER": "username",
    "REGION": "region",
    "ACTIVE": "is_active",
    "HEALTHY": "is_healthy",
    "OK": "success_count",
    "FAILED": "total_failure_count",
    "IN A ROW": "failure_count",
    "MS": "avg_response_time_ms",
    "LAST USED (UTC)": "last_used_at",
}


@app.command("add")
def add(
    proxy: Annotated[
        str | None,
        typer.Argument(help="http://, https:// or socks5://[user[:password]@]host:port.", show_default=False),
    ] = None,
    region: Annotated[str | None, typer.Option(help="Region of its exit, such as us.")] = None,
    password: Annotated[bool, typer.Option("--password", help="Ask for the password instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Adds a proxy. From then on requests go through proxies, and never around them. Without an argument the address is
    read from standard input, where a password is not kept by the shell."""
    text = proxy if proxy is not None else typer.get_text_stream("stdin").readline().strip()
    secret = typer.prompt("Password", hide_input=True, err=True) if password else None
    run(_add(text, region, secret, as_json))


async def _add(text: str, region: str | None, secret: str | None, as_json: bool) -> None:
    import msgspec

    from winnow.actions import proxies
    from winnow.cli import show
    from winnow.fetch.proxies.endpoint import parse_endpoint

    async with assembled() as parts, parts.database.connection() as conn:
        made = parse_endpoint(text, parts.allow)
        added = await proxies.add(
            conn,
            actor(),
            parts.settings.db,
            parts.allow,
            protocol=made.protocol,
            host=made.host,
            port=made.port,
            username=made.username,
            password=secret or made.password,
            region=region or made.region,
        )
    if as_json:
        show.as_json(msgspec.to_builtins(added))
        return
    show.message(f"{added.id}: {made.url} is in use; test it with `winnow proxies test {added.id}`")


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """Shows the proxies and how they do, not their passwords."""
    run(_list(as_json))


async def _list(as_json: bool) -> None:
    import msgspec

    from winnow.cli import show
    from winnow.fetch.proxies import roster

    async with assembled() as parts, parts.database.connection() as conn:
        found = await roster.listed(conn)
    if as_json:
        show.as_json([msgspec.to_builtins(proxy) for proxy in found])
        return
    rows = ({**msgspec.structs.asdict(p), "url": f"{p.protocol}://{p.host}:{p.port}"} for p in found)
    show.table(COLUMNS, rows, "no proxies: requests are sent directly")


@app.command("remove")
def remove(proxy: Which, as_json: AsJson = False) -> None:
    """Removes a proxy. One named in the settings comes back with the next worker."""
    run(_remove(proxy, as_json))


async def _remove(proxy_id: int, as_json: bool) -> None:
    from winnow.actions import proxies
    from winnow.cli import show

    async with assembled() as parts, parts.database.connection() as conn:
        await proxies.remove(conn, actor(), proxy_id)
    show.done(as_json, f"proxy {proxy_id} is removed", id=proxy_id, removed=True)


@app.command("enable")
def enable(proxy: Which, as_json: AsJson = False) -> None:
    """Enables a proxy and resets its failures."""
    run(_switch(proxy, True, as_json))


@app.command("disable")
def disable(proxy: Which, as_json: AsJson = False) -> None:
    """Disables a proxy. With none enabled nothing is fetched: remove them to fetch directly."""
    run(_switch(proxy, False, as_json))


async def _switch(proxy_id: int, active: bool, as_json: bool) -> None:
    from winnow.actions import proxies
    from winnow.cli import show

    async with assembled() as parts, parts.database.connection() as conn:
        await proxies.set_active(conn, actor(), proxy_id, active)
    show.done(as_json, f"proxy {proxy_id} is {'enabled' if active else 'disabled'}", id=proxy_id, enabled=active)


@app.command("test")
def check(proxy: Which, as_json: AsJson = False) -> None:
    """Tests a proxy. The result decides whether it is used."""
    run(_test(proxy, as_json))


async def _test(proxy_id: int, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.errors import ProxyFailed

    async with assembled() as parts:
        trouble = await parts.exits.check(proxy_id)
    if trouble is not None:
        raise ProxyFailed(f"proxy {proxy_id}: {trouble}")
    show.done(as_json, f"proxy {proxy_id} works", id=proxy_id, healthy=True)
