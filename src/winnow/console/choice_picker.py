"""Choosing what of a page is read: a variant by SKU, size or colour, or the price by clicking it.

The page is shown as its amounts and the words before them, never as a page: a site's script must not run here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from winnow.actions.scrape_url import Scraped, page_of, read_again
from winnow.console.act import ActionContext, act
from winnow.console.view import View
from winnow.console.widgets.form import FormField, text_field
from winnow.console.widgets.html import div, quiet, tag
from winnow.console.widgets.parts import button, card, row
from winnow.extract.price_places import PricePlace, price_places
from winnow.extract.target_choice import Choice, validate
from winnow.observe.users import UserRole

FIELDS = {"sku": "SKU", "size": "Size", "colour": "Colour", "selector": "CSS selector of the price"}


def choice_fields(choice: Choice) -> dict[str, FormField]:
    with div("w-form"):
        return {name: text_field(label, getattr(choice, name)) for name, label in FIELDS.items()}


def choice_of(fields: dict[str, FormField]) -> Choice:
    """InvalidInput names the field that cannot be used."""
    return validate(Choice(**{name: str(field.value or "") for name, field in fields.items()}))


class ChoicePicker:
    """`choice` is what would be read; it changes with every try."""

    def __init__(self, view: View, scraped: Scraped, url: str, currency: str | None) -> None:
        self._view, self._scraped, self._url, self._currency = view, scraped, url, currency
        self.choice = Choice()
        self._result: Any = None
        self._read: Callable[[Scraped], None] | None = None

    def draw_result(self, read: Callable[[Scraped], None]) -> None:
        self._read = read
        with div("w-stack", aria_live="polite") as self._result:
            read(self._scraped)

    def draw(self) -> None:
        with card("Choose what is read", "Needed only if the page has variants or the wrong price is read."):
            self._fields = choice_fields(self.choice)
            with row():
                button("Try this choice", self._act(self._try), view=self._view, needs=UserRole.OPERATOR)
                button("Show the amounts of the page", self._act(self._show_places), view=self._view,
                       needs=UserRole.OPERATOR)  # fmt: skip
            self._places = div("w-places")

    def _act(self, work: Any) -> Any:
        return act(self._view, UserRole.OPERATOR, "choose what is read", work)

    async def _try(self, context: ActionContext) -> str:
        choice = choice_of(self._fields)
        seen = await read_again(context.parts.settings, self._url, self._scraped, self._currency, choice)
        self.choice = choice
        self._result.clear()
        with self._result:
            assert self._read is not None
            self._read(seen)
        return ""

    async def _show_places(self, _: ActionContext) -> str:
        places = await asyncio.to_thread(price_places, page_of(self._scraped.result))
        self._places.clear()
        with self._places:
            quiet("Click the price in the text of the page." if places else "No amount was found on the page.")
            for place in places:
                if place.before:
                    tag("span", place.before, cls="w-place-before")
                choose = self._act(partial(self._choose, place))
                tag("button", place.text, cls="w-place", type="button", title=place.selector).on("click", choose)
        return ""

    async def _choose(self, place: PricePlace, context: ActionContext) -> str:
        self._fields["selector"].value = place.selector
        return await self._try(context)
