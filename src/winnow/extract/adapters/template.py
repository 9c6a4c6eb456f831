"""What `winnow adapters new` writes (P-056)."""

from __future__ import annotations

from string import Template

TOML = Template("""\
# $domain as selectors. `winnow adapters record URL --adapter $path` keeps a page with what it says,
# `winnow adapters test $path` shows which values differ from the recorded ones.
id = "$id"
version = "1.0.0"          # raise it with every change of what is extracted
domain = "$domain"
# currency = "USD"         # what $$ or kr means there
# needs_browser = true     # the page is empty until its script has run
# wait_for = ".price"      # in a browser: read the page once this element is there
# scrolls = 5              # in a browser: scroll to the end so often, while the page grows
# root = "main"            # the product's own part of the page: keeps other products' prices out

[fields]                   # a selector, a list (the first that matches decides), or { css, attribute, pattern, map }
title = "h1"
price = ".price"           # the selling price only; what is struck through belongs into list_price
availability = ".stock"    # without a stock signal nothing is accepted
# list_price = ".price del"
# sku = { css = ".article-number", pattern = 'No\\. (\\S+)' }
# image = { css = "img.main", attribute = "src" }

# [tiers]                  # quantity breaks: the price of one is taken
# rows = "table.tiers tr"
# quantity = "td:first-child"
# price = "td:last-child"
""")

PYTHON = Template('''\
"""$domain: what is special about it."""

from __future__ import annotations

from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from winnow.extract.adapter import Context
from winnow.extract.adapters.missing_price import classify_missing_price
from winnow.extract.adapters.rules import read_fields, rules_of
from winnow.extract.draft import Draft, Extracted, Extraction, Failure, Reason, Strategy
from winnow.extract.page import Page

FIELDS = rules_of({"title": "h1", "price": ".price", "availability": ".stock"}, "$id")


class $name:
    id = "$id"
    version = "1.0.0"
    domain = "$domain"
    kind = "offer"
    needs_browser = False
    home = Path(__file__).parent

    def fast(self, page: Page, ctx: Context) -> Extraction | None:
        return None  # selectors need a DOM

    def extract(self, page: Page, ctx: Context) -> Extraction:
        values = read_fields(LexborHTMLParser(page.text()), FIELDS)
        if "title" not in values:
            return Failure(Reason.TITLE_NOT_FOUND, FIELDS["title"][0].css)
        return classify_missing_price(Extracted([Draft(self.kind, values)], Strategy.ADAPTER))
''')
