"""What one product page is about, and the page that tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from html import escape
from typing import Any
from urllib.parse import quote

from tests.quality.shops.countries import Country
from winnow.normalise.record import Availability


@dataclass(frozen=True)
class Spec:
    """One product in one country's shop. `list_minor` is the price before, 0 when there was none."""

    title: str
    brand: str
    sku: str
    minor: int
    list_minor: int
    stock: Availability
    country: Country
    others: tuple[int, ...]  # prices of other products, all different from this one's

    @property
    def slug(self) -> str:
        plain = "".join(c if c.isascii() and c.isalnum() else "-" for c in self.title.lower())
        return "-".join(filter(None, plain.split("-")))

    @property
    def url(self) -> str:
        return f"https://www.lagerhaus-shop.{self.country.tld}/{quote(self.slug)}"

    @property
    def in_stock(self) -> bool:
        return self.stock is Availability.IN_STOCK

    @property
    def price(self) -> str:
        return self.money(self.minor)

    @property
    def was(self) -> str:
        return self.money(self.list_minor) if self.list_minor else ""

    def money(self, minor: int) -> str:
        return escape(self.country.written(minor))

    @property
    def amount(self) -> str:
        return self.plain(self.minor)

    def plain(self, minor: int) -> str:
        places = self.country.decimals
        whole, rest = divmod(minor, 10**places)
        return f"{whole}.{rest:0{places}d}" if places else str(whole)

    @property
    def currency(self) -> str:
        return self.country.currency

    @property
    def stock_line(self) -> str:
        return escape(self.country.in_stock if self.in_stock else self.country.sold_out)

    @property
    def schema_stock(self) -> str:
        return "http://schema.org/" + ("InStock" if self.in_stock else "OutOfStock")

    @property
    def name(self) -> str:
        return escape(self.title)

    @property
    def sign(self) -> str:
        return escape(self.country.pattern.replace("#", "").strip(" \xa0"))

    @property
    def bare(self) -> str:
        return self.country.bare(self.minor)


def button(spec: Spec, markup: str = '<button type="submit"{}>{}</button>') -> str:
    """The cart button of something to be had, the dead one of something sold out."""
    return (
        markup.format("", escape(spec.country.cart)) if spec.in_stock else markup.format(" disabled", spec.stock_line)
    )


def document(spec: Spec, body: str, head: str = "", body_tag: str = "<body>", lang: str | None = None) -> str:
    language = spec.country.lang if lang is None else lang
    opening = f'<html lang="{language}">' if language else "<html>"
    return (
        f'<!DOCTYPE html>{opening}<head><meta charset="utf-8"><title>{spec.name} | Lagerhaus</title>'
        f'<link rel="canonical" href="{spec.url}">{head}</head>{body_tag}{body}</body></html>'
    )


def script(data: Any, opening: str = '<script type="application/ld+json">') -> str:
    return f"{opening}{json.dumps(data, ensure_ascii=False)}</script>"


def ld_product(spec: Spec, **more: Any) -> dict[str, Any]:
    offer = {
        "@type": "Offer", "price": spec.amount, "priceCurrency": spec.currency, "availability": spec.schema_stock,
        "url": spec.url, "itemCondition": "http://schema.org/NewCondition",
    }  # fmt: skip
    return {
        "@context": "http://schema.org", "@type": "Product", "name": spec.title, "sku": spec.sku,
        "brand": {"@type": "Brand", "name": spec.brand}, "offers": offer, **more,
    }  # fmt: skip
