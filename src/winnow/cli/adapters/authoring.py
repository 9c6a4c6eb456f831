"""`winnow adapters new | record | test`: write an adapter for a site and test it on recorded pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, assembled, run, settings

if TYPE_CHECKING:
    from winnow.kinds.recorded import CaseResult

app = typer.Typer()

Which = Annotated[str, typer.Argument(help="Id of an adapter, its TOML file, or the folder of its site.")]
COLUMNS = {"PAGE": "page", "FIELD": "field", "": "kind", "EXPECTED": "before", "FOUND": "after"}


@app.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Id of the adapter, e.g. shop-example.", show_default=False)],
    domain: Annotated[str, typer.Option(help="The site's registrable domain, e.g. example.com.")],
    python: Annotated[bool, typer.Option("--python", help="A Python class instead of a TOML file.")] = False,
    into: Annotated[Path | None, typer.Option(help="Default: WINNOW_ADAPTERS_DIR, else ./adapters.")] = None,
) -> None:
    """Starts an adapter: a folder with a file to fill in."""
    from winnow.extract.adapters import template
    from winnow.extract.adapters.folder import LIVE

    folder = (into or settings().run.adapters_dir or Path("adapters")) / (name.replace("-", "_") if python else name)
    file = folder / ("__init__.py" if python else LIVE)
    words = {"id": name, "domain": domain.lower(), "path": folder, "name": _class_name(name)}
    _scaffold(file, (template.PYTHON if python else template.TOML).substitute(words), checked=not python)
    typer.echo(f"{file}: fill in the selectors")
    if python:
        typer.echo(f"then register {_class_name(name)}() in kinds/adapters.py")
    else:
        typer.echo(
            f"then `winnow adapters record URL --adapter {folder}`; it is used with WINNOW_ADAPTERS_DIR={folder.parent}"
        )


def _scaffold(file: Path, text: str, *, checked: bool) -> None:
    """Write the files and load the adapter once: a wrong id or domain is reported now, and nothing is left behind."""
    from winnow.errors import Conflict, InvalidInput
    from winnow.extract.adapters.selectors import parse_adapter

    if file.parent.exists():
        raise Conflict(f"{file.parent} exists already")
    if checked:
        parse_adapter(text, file)
    elif not _class_name(file.parent.name).isidentifier():
        raise InvalidInput(f"{file.parent.name!r} cannot be the name of a Python module")
    (file.parent / "pages").mkdir(parents=True)
    file.write_text(text, encoding="utf-8")


def _class_name(name: str) -> str:
    return "".join(part.capitalize() for part in name.replace("_", "-").split("-"))


@app.command("test")
def try_pages(
    adapter: Which,
    update: Annotated[bool, typer.Option("--update", help="Save the current results as the expected ones.")] = False,
    as_json: AsJson = False,
) -> None:
    """Reads the recorded pages and shows differences from the expected values. Exit code 1 if there are any."""
    from winnow.errors import NotFound
    from winnow.kinds import recorded
    from winnow.kinds.adapters import choose, home_of, registry

    chosen = choose(registry(settings().run.adapters_dir), adapter)
    home = home_of(chosen)
    folders = list(recorded.cases(home)) if home is not None else []
    if not folders:
        raise NotFound(f"{chosen.id} has no recorded pages{'' if home is None else f' in {home / recorded.PAGES}'}")
    outcomes = [recorded.run_case(folder, chosen) for folder in folders]
    if update:
        _refreeze(folders, outcomes)
    _report(chosen.id, outcomes, as_json, updated=update)
    if not update and any(outcome.differences for outcome in outcomes):
        raise typer.Exit(1)


def _refreeze(folders: list[Path], outcomes: list[CaseResult]) -> None:
    import msgspec

    from winnow.kinds import recorded

    for folder, outcome in zip(folders, outcomes, strict=True):
        if outcome.differences:
            case, _ = recorded.load(folder)
            recorded.freeze(folder, msgspec.structs.replace(case, expected=outcome.found))


def _report(adapter_id: str, outcomes: list[CaseResult], as_json: bool, *, updated: bool) -> None:
    from winnow.cli import show

    rows: list[dict[str, Any]] = [
        {"page": o.name, "field": d.field, "kind": d.kind.value, "before": d.before, "after": d.after}
        for o in outcomes
        for d in o.differences
    ]
    differing = sum(1 for outcome in outcomes if outcome.differences)
    if as_json:
        show.as_json({"adapter": adapter_id, "pages": len(outcomes), "differing": differing, "differences": rows})
        return
    if rows:
        show.table(COLUMNS, rows, "")
    word = "updated" if updated else "differ"
    show.message(f"{adapter_id}: {len(outcomes)} recorded pages, {differing} {word}")


@app.command("record")
def record(
    url: Annotated[str, typer.Argument(help="The page.", show_default=False)],
    adapter: Annotated[str | None, typer.Option(help="Id, TOML file or folder. Default: the domain's own.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the recorded page. Default: from the URL.")] = None,
    into: Annotated[Path | None, typer.Option(help="Default: the folder of the adapter.")] = None,
    currency: Annotated[str | None, typer.Option(help="Currency of ambiguous symbols such as $ (ISO code).")] = None,
    as_json: AsJson = False,
) -> None:
    """Fetches a page once and records it with its current values. Check the values before you trust them."""
    run(_record(url, adapter, name, into, currency, as_json))


async def _record(
    url: str, adapter: str | None, name: str | None, into: Path | None, currency: str | None, as_json: bool
) -> None:
    from winnow.actions import scrape_url
    from winnow.cli import show
    from winnow.errors import Conflict, InvalidInput
    from winnow.kinds import recorded
    from winnow.kinds.adapters import home_of
    from winnow.kinds.facts import facts_of
    from winnow.kinds.registry import all_kinds

    async with assembled() as parts:
        chosen = scrape_url.adapter_for(parts.settings, url, adapter)
        home = into or home_of(chosen)
        if home is None:
            raise InvalidInput(f"{chosen.id} has no folder of its own: name one with --into")
        folder = home / recorded.PAGES / _case_name(name, url)
        if folder.exists():
            raise Conflict(f"the recorded page {folder} exists already")
        scraped = await scrape_url.scrape(parts.database, parts.settings, url, currency=currency, adapter_id=adapter)
    if scraped.assessment is None:
        raise Conflict(f"the page was not fetched: {scraped.result.outcome.value} {scraped.result.error or ''}".strip())
    facts = recorded.single(facts_of(scraped.assessment, all_kinds().get(chosen.kind)))
    page = scrape_url.page_of(scraped.result)
    case = recorded.Case(
        url=url, final_url=page.url, fetched_at=page.fetched_at, charset=page.charset, content_type=page.content_type,
        status_code=page.status_code, currency=currency, expected=facts,
    )  # fmt: skip
    recorded.record(folder, case, page.body)
    if as_json:
        show.as_json({"folder": str(folder), "expected": facts})
        return
    show.fields(facts)
    show.message(f"kept as {folder}")


def _case_name(name: str | None, url: str) -> str:
    """A folder name, whatever was given."""
    from urllib.parse import urlsplit

    wanted = name or urlsplit(url).path.strip("/").rpartition("/")[2] or "page"
    kept = "".join(c if c.isascii() and c.isalnum() else "-" for c in wanted.lower()).strip("-")
    return kept[:80] or "page"
