"""Pages of the agenda that the tests follow."""

from __future__ import annotations

from tests.run.scripted_site import Site


def concert(n: int | str, *, day: str | None = None, detail: str | None = None) -> str:
    shown = "" if day is None else f"<time>{day}</time>"
    link = "" if detail is None else f'<a class="detail" href="{detail}">more</a>'
    return f'<li class="concert" id="c{n}"><b>Concert {n}</b>{shown}{link}</li>'


def links(role: str, *urls: str) -> str:
    return "".join(f'<a class="{role}" href="{url}">{role}</a>' for url in urls)


def page(*parts: str) -> str:
    return f"<html><body>{''.join(parts)}</body></html>"


def detail_page(day: str = "2026-05-01") -> str:
    """It says the day and nothing else: the rest is the listing's."""
    return page(f'<div class="concert"><time>{day}</time></div>')


def long_list(site: Site, pages: int, per_page: int) -> str:
    """A list of several pages, whose entries have their day on a page of their own; the URL of the first."""
    for p in range(1, pages + 1):
        numbers = [f"{p}-{n}" for n in range(per_page)]
        for number in numbers:
            site.says(f"/c/{number}", detail_page())
        entries = [concert(number, detail=f"/c/{number}") for number in numbers]
        following = links("next_page", f"/list/{p + 1}") if p < pages else ""
        site.says(f"/list/{p}", page(*entries, following))
    return site.url + "/list/1"
