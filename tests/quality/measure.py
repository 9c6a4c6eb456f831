"""What the generic extractor makes of the generated pages, counted per shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.kinds.reading import GENERIC, OfferRead, assess
from tests.product_pages import context, page
from tests.quality.shops.pages import Made
from winnow.judge.verdict import Decision


@dataclass
class Score:
    """`wanted` are pages that must be accepted for full recall."""

    pages: int = 0
    wanted: int = 0
    accepted: int = 0
    right: int = 0
    wrong: list[tuple[Made, OfferRead]] = field(default_factory=list)
    missed: list[tuple[Made, OfferRead]] = field(default_factory=list)
    shapes: Counter[str] = field(default_factory=Counter)

    @property
    def precision(self) -> float:
        return self.right / (self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        return 1 - len(self.missed) / self.wanted


def judged(made: Made) -> OfferRead:
    return assess(page(made.html, made.spec.url), GENERIC, context(made.spec.url))


def is_accepted(found: OfferRead) -> bool:
    return found.verdict is not None and found.verdict.decision is Decision.ACCEPT


def is_right(made: Made, found: OfferRead) -> bool:
    offer, spec = found.offer, made.spec
    if offer is None or offer.price is None:
        return False
    read = (offer.title, offer.price.minor, offer.price.currency, offer.availability)
    return read == (spec.title, spec.minor, spec.currency, spec.stock)


def score(pages: Iterable[Made]) -> Score:
    total = Score()
    for made in pages:
        found = judged(made)
        total.pages += 1
        total.wanted += not made.optional
        if is_accepted(found):
            total.accepted += 1
            if is_right(made, found):
                total.right += 1
                total.shapes[made.shape] += 1
            else:
                total.wrong.append((made, found))
        elif not made.optional:
            total.missed.append((made, found))
    return total
