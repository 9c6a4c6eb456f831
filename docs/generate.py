"""Writes the reference pages that are made from the code, and .env.example:

    python -m docs.generate

tests/test_docs.py fails when one of them is out of date, so what they say is what the code does.
"""

from __future__ import annotations

import importlib
import inspect
import textwrap
import types
import typing
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import annotated_types
from pydantic import AliasChoices, SecretStr
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings
from typer.main import get_command

from docs.dashboard import dashboard
from winnow import settings as all_settings
from winnow.observe import metrics
from winnow.publish.exports.datasets import DATASETS

ROOT = Path(__file__).parents[1]
MADE = "<!-- Made by `python -m docs.generate` from the code: change it there. -->"

SETTINGS_INTRO = """
Winnow starts with no configuration at all. Settings come from the environment, or from a file `.env` in the folder
a command is started in (copy `.env.example`); the environment wins. A wrong value stops the command with one
sentence that names it. Politeness and trust values that belong to one shop are not here: they live on the source
and on the domain. Ids such as P-069 name the requirement a value comes from.
"""
COMMANDS_INTRO = """
`winnow COMMAND --help` says the same at the terminal. A command that fails says why in one line and exits with a
code other than 0. In a clone of the repository the program is `.venv/bin/winnow`.
"""
METRICS_INTRO = """
`GET /metrics` needs no key. It answers in the API's envelope, or in the text format to a client that accepts
`text/plain`, as Prometheus does. [deploy/grafana.json](../../deploy/grafana.json) is a dashboard of all of them, to be
imported, and [deploy/prometheus-rules.yml](../../deploy/prometheus-rules.yml) has alert rules.
Gauges are read from the database when asked for; durations are milliseconds.
"""
API_INTRO = """
Send a key as `X-Service-Key: …` or `Authorization: Bearer …` (`winnow keys create NAME --scope read`). A key of scope
`read` sees what consumers may see: products, offers and prices of sources that are shown to them. `scrape` may also
use the scraping service, for the workspace it was made for. `admin` may do everything, and alone sees how it is come
by: sources, runs, tasks and their errors, domains, feeds, proxies, dead letters, what is held. Every answer is
`{success, data, error, meta}`; lists are paged: send `meta.next` as `after` for the next page. `GET /openapi.json`
describes parameters and bodies. How to call it: [call the API](../how-to/call-the-api.md).
"""

EXPORTS_INTRO = """
The columns of `winnow export` and `GET /api/v1/exports/{dataset}`, in the order in which they come. Columns are never
renamed; new ones come after those of their audience. How to use them: [export](../how-to/export.md).

| type | CSV | JSON lines | Parquet |
|---|---|---|---|
| integer | digits | number | int64 |
| number | digits | number | double |
| decimal | digits with the decimals of the currency | the same as text | decimal128(19, 4) |
| text | text, made safe for spreadsheets unless `raw` | text | string |
| boolean | `t` or `f` | true or false | bool |
| timestamp | ISO 8601 in UTC | ISO 8601 in UTC | timestamp[us, UTC] |
| date | ISO 8601 | ISO 8601 | date32 |
| json | JSON | the value | JSON in a string |

What is not known is an empty cell, null, or null.
"""

# What to show for settings that have no default. `.env.example` as a whole has to be valid (tested).
EXAMPLES = {
    "WINNOW_PATH_PREFIX": "/winnow",
    "WINNOW_LOG_DIR": "/var/log/winnow",
    "WINNOW_ADAPTERS_DIR": "/etc/winnow/adapters",
    "WINNOW_DATABASE_URL": "postgresql://winnow:secret@db.example.com:5432/winnow",
    "CREDENTIAL_ENCRYPTION_KEY_B64": "the-output-of-openssl-rand-base64-32",
    "CREDENTIAL_ENCRYPTION_OLD_KEYS_B64": "the-key-before-it",
    "WINNOW_EGRESS_ALLOW": "127.0.0.1:8080,10.0.0.0/8",
    "SCRAPER_PROXY_ENDPOINTS": "http://user:password@proxy.example.com:8080?region=us,socks5://socks.example.com",
    "WINNOW_CLICKHOUSE_URL": "https://winnow:secret@clickhouse.example.com:8443/winnow",
    "WINNOW_CONTACT_URL": "https://example.com/about-our-crawler",
    "WINNOW_ARCHIVE_URL": "s3://my-bucket/pages",
    "WINNOW_FEED_FOLDER": "/srv/catalogues",
    "WINNOW_REDIS_URL": "redis://redis.example.com:6379/0",
    "SCRAPER_DOMAIN_POLICIES_PATH": "domain-policies.yaml",
    "SCRAPER_RATE_LIMIT_TOKENS": "1",
    "SCRAPER_RATE_LIMIT_INTERVAL_SECONDS": "2",
    "SCRAPER_SERVICE_KEY": "a-long-random-text",
    "SCRAPER_BACKEND_API_URL": "https://backend.example.com",
    "SCRAPER_CREDENTIAL_HOSTS": "portal=portal.example.com",
    "SCRAPER_BACKEND_SERVICE_KEY": "the-key-the-backend-gave-us",
    "SCRAPER_SCRAPINGBEE_API_KEY": "the-key-of-your-account",
    "SCRAPER_BROWSER_EXECUTABLE": "/usr/bin/chromium",
    "SCRAPER_WEBHOOK_SECRET": "another-long-random-text",
    "SCRAPER_DEFAULT_WEBHOOK_URL": "https://backend.example.com/callbacks",
    "WINNOW_LLM_URL": "https://api.openai.com/v1",
    "WINNOW_LLM_KEY": "the-key-of-the-model",
    "WINNOW_LLM_MODEL": "gpt-4o-mini",
    "WINNOW_GEOCODER_URL": "https://nominatim.example.com/search",
    "WINNOW_SEARCH_URL": "https://search.example.com:9200",
    "WINNOW_SEARCH_USER": "winnow",
    "WINNOW_SEARCH_PASSWORD": "a-password",
    "WINNOW_SEARCH_KEY": "an-api-key",
    "WINNOW_SEARCH_CA_FILE": "/etc/winnow/search-ca.pem",
    "WINNOW_WEB_SEARCH_URL": "https://google.serper.dev/search",
    "WINNOW_WEB_SEARCH_KEY": "a-key",
    "WINNOW_EMBEDDINGS_URL": "https://api.openai.com/v1",
    "WINNOW_EMBEDDINGS_KEY": "the-key-of-the-embeddings",
    "WINNOW_EMBEDDINGS_MODEL": "text-embedding-3-small",
    "WINNOW_SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/T000/B000/XXXX",
}


# settings


def setting_classes() -> list[type[BaseSettings]]:
    """In the order they are composed in; every class of every */settings.py is among them (tested)."""
    return list(typing.get_type_hints(all_settings.Settings).values())


def environment_name(owner: type[BaseSettings], name: str) -> str:
    alias = owner.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):  # the first is the name, the others are accepted too
        return str(alias.choices[0])
    return alias if isinstance(alias, str) else f"{owner.model_config.get('env_prefix', '')}{name}".upper()


def settings_of(owner: type[BaseSettings]) -> Iterator[tuple[str, FieldInfo]]:
    for name, field in owner.model_fields.items():
        yield environment_name(owner, name), field


def meaning_of(field: FieldInfo) -> str:
    return " ".join([str(field.description), *(f"`{other}` means the same." for other in other_names(field))])


def other_names(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    return [str(other) for other in alias.choices[1:]] if isinstance(alias, AliasChoices) else []


def about(owner: type[BaseSettings]) -> str:
    """The first line of the module that declares it."""
    return (inspect.getdoc(importlib.import_module(owner.__module__)) or "").splitlines()[0]


def default_of(field: FieldInfo) -> str:
    value = field.default
    if value is None or value in ("", ()):
        return ""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def allowed_of(field: FieldInfo) -> str:
    """The values that are taken, in words short enough for a table."""
    kind = _without_none(field.annotation)
    if typing.get_origin(kind) is typing.Literal:
        return ", ".join(f"`{choice}`" for choice in typing.get_args(kind))
    return f"{_kind_name(kind)}{_bounds(field)}"


def _without_none(kind: Any) -> Any:
    if isinstance(kind, types.UnionType):
        return next(k for k in typing.get_args(kind) if k is not type(None))
    return kind


def _kind_name(kind: Any) -> str:
    names = {
        int: "whole number",
        float: "number",
        bool: "`true` or `false`",
        str: "text",
        SecretStr: "text",
        Path: "path",
    }
    return names.get(kind, "comma-separated list")


def _bounds(field: FieldInfo) -> str:
    least = [m.ge for m in field.metadata if isinstance(m, annotated_types.Ge)]
    most = [m.le for m in field.metadata if isinstance(m, annotated_types.Le)]
    above = [m.gt for m in field.metadata if isinstance(m, annotated_types.Gt)]
    if least and most:
        return f", {least[0]} … {most[0]}"
    return f", {least[0]} or more" if least else f" above {above[0]}" if above else ""


def settings_page() -> str:
    lines = ["# Settings", "", MADE, SETTINGS_INTRO.rstrip()]
    for owner in setting_classes():
        lines += ["", f"## {about(owner)}", "", "| name | default | takes | meaning |", "|---|---|---|---|"]
        for name, field in settings_of(owner):
            default = f"`{default_of(field)}`" if default_of(field) else "not set"
            lines.append(f"| `{name}` | {default} | {allowed_of(field)} | {meaning_of(field)} |")
    return "\n".join(lines) + "\n"


def env_example() -> str:
    lines = [
        "# Every setting there is, with its default. Copy this file to .env, and take the # from what you change.",
        "# None is needed: Winnow starts without any. Made by `python -m docs.generate`.",
    ]
    for owner in setting_classes():
        lines += ["", f"## {about(owner)}"]
        for name, field in settings_of(owner):
            unset = "" if default_of(field) else " Not set by default; an example:"
            said = textwrap.wrap(f"{field.description}{unset}", 116, initial_indent="# ", subsequent_indent="# ")
            lines += ["", *said, f"# {name}={default_of(field) or EXAMPLES[name]}"]
    return "\n".join(lines) + "\n"


# commands


def commands() -> list[tuple[str, Any]]:
    """Every command a person can type, as ("targets import", its command)."""
    from winnow.cli import app

    return list(_leaves("", get_command(app)))


def _leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    if command.hidden:
        return
    nested = getattr(command, "commands", None)
    if nested is None:
        yield path, command
        return
    if getattr(command, "invoke_without_command", False) and path:
        yield path, command
    for name, sub in nested.items():
        yield from _leaves(f"{path} {name}".strip(), sub)


def cli_page() -> str:
    lines = ["# Commands", "", MADE, COMMANDS_INTRO.rstrip()]
    for path, command in commands():
        lines += ["", f"## winnow {path}", "", _text(command.help), *_parameters(command)]
    return "\n".join(lines) + "\n"


def _text(help_text: str | None) -> str:
    return inspect.cleandoc(help_text or "").replace("\b\n", "").strip()


def _parameters(command: Any) -> list[str]:
    rows = [_parameter(p) for p in command.params if not getattr(p, "hidden", False) and "--help" not in p.opts]
    return ["", "| given as | default | meaning |", "|---|---|---|", *rows] if rows else []


def _parameter(parameter: Any) -> str:
    option = any(o.startswith("-") for o in parameter.opts)
    spelled = ", ".join([*parameter.opts, *parameter.secondary_opts]) if option else _argument(parameter)
    default = "needed" if parameter.required else _shown_default(parameter)
    meaning = " ".join((getattr(parameter, "help", None) or "").split()).replace("|", "\\|").replace("*", "\\*")
    return f"| `{spelled}` | {default} | {meaning} |"


def _argument(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name).upper() + ("…" if parameter.nargs == -1 else "")


def _shown_default(parameter: Any) -> str:
    value = parameter.default
    if value is None or value is False or value in ("", (), []) or callable(value):
        return ""
    return f"`{getattr(value, 'value', value)}`"


# metrics


def metric_rows() -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """(name, type, labels, help) of everything `/metrics` can show."""
    for collector, names in metrics.REGISTRY._collector_to_names.items():
        metric: Any = collector
        name = next((n for n in names if n.endswith("_total")), metric._name)
        yield name, metric._type, tuple(metric._labelnames), metric._documentation
    for name, (text, labels) in metrics.GAUGES.items():
        yield name, "gauge", labels, text


def metrics_page() -> str:
    lines = ["# Metrics", "", MADE, METRICS_INTRO, "| name | type | labels | meaning |", "|---|---|---|---|"]
    for name, kind, labels, text in metric_rows():
        lines.append(f"| `{name}` | {kind} | {', '.join(f'`{label}`' for label in labels)} | {text} |")
    return "\n".join(lines) + "\n"


# endpoints

Endpoint = tuple[str, str, str, str, str]


@cache
def endpoints() -> list[Endpoint]:
    """(tag, method, path, scope, meaning) of every endpoint, from the same description the API serves."""
    from winnow.api import auth
    from winnow.api.app import create_app

    described = create_app(cast(Any, None), all_settings.load()).openapi()  # no database is asked for its description
    found: list[Endpoint] = []
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            public = path in auth.PUBLIC
            scope = "none" if public else auth.needed(method.upper(), path).value
            said = f"{operation['summary'].capitalize()}. {operation.get('description') or ''}"
            said = " ".join(said.split()).replace("|", "\\|")
            found.append((operation["tags"][0], method.upper(), path, scope, said))
    return found


def api_page() -> str:
    lines = ["# API", "", MADE, API_INTRO.rstrip()]
    tag = None
    for found, method, path, scope, said in endpoints():
        if found != tag:
            tag = found
            lines += ["", f"## {tag}", "", "| endpoint | scope | does |", "|---|---|---|"]
        lines.append(f"| `{method} {path}` | {scope} | {said} |")
    return "\n".join(lines) + "\n"


def exports_page() -> str:
    parts = [f"# Columns of exports\n\n{MADE}\n{EXPORTS_INTRO}"]
    for dataset in DATASETS.values():
        rows = [f"| `{c.name}` | {c.type.value} | {c.description} |" for c in dataset.columns]
        rows += [f"| `{c.name}` | {c.type.value} | Operators only. {c.description} |" for c in dataset.for_operators]
        parts.append(f"## {dataset.name}\n\n{dataset.description}\n\n| column | type | meaning |\n|---|---|---|\n")
        parts[-1] += "\n".join(rows) + "\n"
    return "\n".join(parts)


PAGES: dict[str, Callable[[], str]] = {
    ".env.example": env_example,
    "docs/reference/settings.md": settings_page,
    "docs/reference/cli.md": cli_page,
    "docs/reference/exports.md": exports_page,
    "docs/reference/metrics.md": metrics_page,
    "docs/reference/api.md": api_page,
    "deploy/grafana.json": lambda: dashboard(metric_rows()),
}


def main() -> None:
    for path, page in PAGES.items():
        (ROOT / path).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
