"""Names of catalogue columns (`data/columns.json`): by network, by language, and the words that names are made of.

A role is what a value is for (`price`, `url`); a table gives each role its column names, the preferred ones first.
"""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import load

Names = tuple[str, ...]
Table = dict[str, Names]  # role -> names of columns
PRICE_WITH_TAX = "price_with_tax"  # in the table of a language: prices that say the tax is in them


class KnownLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A layout that is recognised by columns which no other one has (`shown_by`). It is read like the files of
    `network`, except for `columns`; `ignored` are columns without a meaning in it, whatever they mean elsewhere;
    one that ends with a slash stands for all that begin so."""

    shown_by: frozenset[str]
    network: str
    columns: Table
    ignored: frozenset[str]


class NameWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words inside names of columns.

    `containers`: XML elements that only hold others. `subject_prefixes` and `subjects` name the thing a table lists,
    `connecting` are prepositions and articles: a name means the same without them. `format_remarks` may stand in
    brackets behind a name. `product_codes` and what stands `beside_product_codes`: a name of nothing else is a GTIN.
    `meaningless_alone` is too little to recognise a column by. `tax…`: whether a price has the tax in it;
    `tax_included_pairs` say so only before their own tax, as the `s` of `s DPH`.
    """

    containers: frozenset[str]
    subject_prefixes: Names
    subjects: frozenset[str]
    connecting: frozenset[str]
    format_remarks: frozenset[str]
    product_codes: frozenset[str]
    beside_product_codes: frozenset[str]
    language_codes: frozenset[str]  # without `no`, which is a number as often
    meaningless_alone: frozenset[str]
    tax: frozenset[str]
    tax_included: frozenset[str]
    tax_excluded: frozenset[str]
    tax_included_pairs: frozenset[str]


class ColumnNames(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`standard` is the order of F-076 … F-080; `networks` come before it for their own feeds. `network_words` are
    plain words that mean a role in one network's files only. `generic`: exports of shop systems, price comparisons,
    smaller networks. `positions`: the order of columns in files that come without a header.

    `removal_words` say in a column of actions that the offer is to be removed, `yes_words` in a column that asks so.

    `price_paid`: of several prices these are what is charged; `price_last` only if there is no other, and
    `price_of_last_resort` only where a header has no regular price at all. `name_of_last_resort`: descriptions that are
    the product's name in price lists, where a header has no name.
    """

    standard: Table
    networks: dict[str, Table]
    network_words: frozenset[str]
    layouts: dict[str, KnownLayout]
    positions: Table
    generic: Table
    removal_words: frozenset[str]
    yes_words: frozenset[str]
    price_paid: Names
    price_last: Names
    price_of_last_resort: Names
    name_of_last_resort: Names
    languages: dict[str, Table]
    words: NameWords

    def in_languages(self, role: str) -> list[str]:
        """Names of one role in every language."""
        return [name for table in self.languages.values() for name in table.get(role, ())]


@cache
def column_names() -> ColumnNames:
    return load("columns", ColumnNames)
