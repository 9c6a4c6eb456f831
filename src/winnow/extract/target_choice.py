"""A person's choice for one page: a variant (SKU, size, colour), or the CSS selector of the price.

Both narrow what the adapter of the site has read. Where the page no longer has what was chosen, the draft keeps no
price at all and says why: another variant's price is never taken instead.
"""

from __future__ import annotations

import re

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.errors import InvalidInput
from winnow.extract.adapters.rules import check_selector
from winnow.extract.css_selectors import select
from winnow.extract.draft import Draft, Extracted, Extraction, Strategy, Value
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page
from winnow.extract.variant_lists import Variant
from winnow.extract.variants import variants_of

PROBLEM = "choice_problem"  # the field of a draft that says why there is no price
MAX_TEXT, MAX_SELECTOR = 200, 500


class Choice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Empty strings mean "not chosen". Kept with the target as JSON."""

    sku: str = ""
    size: str = ""
    colour: str = ""
    selector: str = ""

    @property
    def variant(self) -> dict[str, str]:
        named = {"sku": self.sku, "size": self.size, "colour": self.colour}
        return {name: value for name, value in named.items() if value}

    def __bool__(self) -> bool:
        return bool(self.variant or self.selector)


def validate(choice: Choice) -> Choice:
    """The choice with surrounding blanks removed. InvalidInput names the field that cannot be used."""
    clean = Choice(**{name: str(value).strip() for name, value in msgspec.structs.asdict(choice).items()})
    for name, value in clean.variant.items():
        if len(value) > MAX_TEXT:
            raise InvalidInput(f"{name} has more than {MAX_TEXT} characters", field=name)
    if len(clean.selector) > MAX_SELECTOR:
        raise InvalidInput(f"a selector has at most {MAX_SELECTOR} characters", field="selector")
    if clean.selector:
        check_selector(clean.selector, "selector")
    return clean


def apply(extraction: Extraction, page: Page, choice: Choice) -> Extraction:
    """The extraction with the price, stock and SKU that were chosen."""
    if not isinstance(extraction, Extracted) or not choice or not extraction.drafts:
        return extraction
    if len(page.body) > MAX_BODY or too_deep(page.body):
        return _with_draft(extraction, _without_price(extraction.drafts[0], "the page is too large to be searched"))
    tree = LexborHTMLParser(page.body if page.is_utf8 else page.text())
    draft = extraction.drafts[0]
    if choice.variant:
        draft = _choose_variant(draft, variants_of(tree, page.url), choice)
    if choice.selector:
        draft = _choose_place(draft, tree, choice.selector)
    return _with_draft(extraction, draft)


def _with_draft(extraction: Extracted, draft: Draft) -> Extracted:
    return msgspec.structs.replace(extraction, drafts=[draft])


def _choose_variant(draft: Draft, lists: list[list[Variant]], choice: Choice) -> Draft:
    """From the first list that has it."""
    wanted = ", ".join(f"{name} {value}" for name, value in choice.variant.items())
    fitting = next((fit for one in lists if (fit := [v for v in one if _fits(v, choice)])), [])
    stated = {(v.price.raw, v.price.currency, v.availability.raw if v.availability else "") for v in fitting if v.price}
    if not fitting:
        return _without_price(draft, f"the page has no variant with {wanted}")
    if len(stated) > 1:
        return _without_price(draft, f"several variants with different prices have {wanted}")
    found = fitting[0]
    values = _unpriced(draft) | {"price": [_with_currency(found.price, draft)] if found.price else []}
    if found.availability is not None:
        values = {**values, "availability": [found.availability]}
        values.pop("availability_seen", None)
    if found.sku:
        values["sku"] = [Value(found.sku, Strategy.HYDRATION, "variant.sku")]
        values.pop("product_id", None)
    return Draft(draft.kind, values)


def _with_currency(price: Value, draft: Draft) -> Value:
    """A list of variants often leaves out the currency, and `$` names none; it is that of the product's own prices if
    they agree. A text that names another one is held as a contradiction."""
    stated = {value.currency for value in draft.values.get("price", []) if value.currency}
    return price if price.currency or len(stated) != 1 else msgspec.structs.replace(price, currency=stated.pop())


def _fits(variant: Variant, choice: Choice) -> bool:
    stated = {"sku": variant.sku, **variant.options}
    return all(_same(stated.get(name, ""), wanted) for name, wanted in choice.variant.items())


def _same(stated: str, wanted: str) -> bool:
    return " ".join(stated.split()).casefold() == " ".join(wanted.split()).casefold()


def _choose_place(draft: Draft, tree: LexborHTMLParser, selector: str) -> Draft:
    texts = list(dict.fromkeys(_text_at(node) for node in select(tree, selector)))
    texts = [text for text in texts if text]
    if not texts:
        return _without_price(draft, f"the selector {selector} finds nothing on the page")
    if len(texts) > 1:
        return _without_price(draft, f"the selector {selector} finds {len(texts)} different texts")
    price = _with_currency(Value(texts[0][:MAX_TEXT], Strategy.ADAPTER, selector), draft)
    return Draft(draft.kind, _unpriced(draft) | {"price": [price]})


def _text_at(node: LexborNode) -> str:
    """With gaps between elements, but not around a decimal point that has an element of its own: `63 , 42`."""
    return _LOOSE_POINT.sub(r"\1", " ".join(node.text(separator=" ").split()))


_LOOSE_POINT = re.compile(r"(?<=\d) ([.,]) ?(?=\d)")


def _unpriced(draft: Draft) -> dict[str, list[Value]]:
    """Without every field that states a price of the whole product (`price`, `price_shown`, `list_price` …)."""
    stated = [field for field in draft.values if field.startswith("price") or field == "list_price"]
    return {field: values for field, values in draft.values.items() if field not in stated}


def _without_price(draft: Draft, why: str) -> Draft:
    return Draft(draft.kind, _unpriced(draft) | {PROBLEM: [Value(why, Strategy.ADAPTER, "choice")]})
