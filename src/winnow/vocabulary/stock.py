"""Words about stock, by language (`data/stock.json`). How phrases are written is said in `phrases`."""

from __future__ import annotations

from functools import cache

import msgspec

from winnow.vocabulary.load import gather, load

Phrases = tuple[str, ...]
PRESSABLE = "add to cart (enabled)"  # what stands for a cart button that can be pressed, whatever it is called


class StockWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A phrase stands in the first list that fits, and once. `sold_out` and `later` say it wherever they stand: on a
    button, in a line, in the bytes around a heading; `…_button` on buttons and in lines; `…_line` in a stock line only.

    `promised` is stock that contradicts "sold out" in the same line, `in_stock` is what may also be announced ("tell me
    when available"). `counted`: what a number of pieces stands behind ("stock: 0"). `cart`: labels of buttons that buy;
    `ticket`: what those say that sell places at an event.
    `label`: what a stock line begins with, before a colon. `stems`: what stock lines are made of, whatever they say.
    `doubt`: pieces of words that may speak against stock near a heading, where `sold_out` is too narrow. `cell_yes` and
    `cell_no`: what says it only as the whole cell of a catalogue's stock column. `cell_gone`: the product was taken off
    sale, whatever other columns state.
    """

    sold_out: Phrases
    cart: Phrases
    sold_out_button: Phrases = ()
    sold_out_line: Phrases = ()
    ticket: Phrases = ()
    later: Phrases = ()
    later_button: Phrases = ()
    later_line: Phrases = ()
    in_stock: Phrases = ()
    promised: Phrases = ()
    counted: Phrases = ()
    label: Phrases = ()
    stems: Phrases = ()
    doubt: Phrases = ()
    cell_yes: Phrases = ()
    cell_no: Phrases = ()
    cell_gone: Phrases = ()


@cache
def stock_words() -> dict[str, StockWords]:
    return load("stock", dict[str, StockWords])


def phrases(*keys: str) -> list[str]:
    """Of all languages, key by key."""
    return gather(stock_words(), *keys)
