"""Sites of a small town, as discovery meets them: a home page with links, agendas, and pages that are none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NAMES = ("Ella", "Duke", "Nina", "Miles", "Bessie", "Chet")


def html(title: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="nl"><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>'
    )


def agenda(title: str = "Agenda", n: int = 5, venue: str = "De Kroon") -> str:
    """A list of `n` evenings to come."""
    first = datetime.now(UTC) + timedelta(days=10)
    evenings = "".join(
        f'<li class="event"><h3><a href="/agenda/{name.lower()}">Avond met {name}</a></h3>'
        f'<time datetime="{first + timedelta(days=k):%Y-%m-%d}T20:30">{first + timedelta(days=k):%d-%m-%Y} 20:30</time>'
        f'<span class="venue">{venue}, Delft</span></li>'
        for k, name in enumerate(NAMES[:n])
    )
    return html(title, f"<ul>{evenings}</ul>")


def links(title: str, *urls: str) -> str:
    return html(title, "".join(f'<p><a href="{url}">Lees meer</a></p>' for url in urls))
