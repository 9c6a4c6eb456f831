"""The products of the demo shop: made-up outdoor gear, the same for the same seed.

Every trait a real shop confuses a price reader with is spread over the catalogue by position, so
that a few dozen products hold them all: sale prices, quantity tiers, sold out with and without a
price, back-order, and prices that move.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

# Factors a moving price runs through. Neighbours are always different, so a mover changes at every turn,
# and none is above the struck-through list price (LIST_MARKUP).
_MOVES = (1.00, 0.97, 0.93, 1.02, 0.89, 0.95, 1.04, 0.91, 0.99)
_LIST_MARKUP = 1.25
# Quantity breaks of P-028: from this many, at this share of the single price.
_TIERS = ((1, 1.00), (5, 0.96), (10, 0.92))

_BRANDS = (
    "Northfell",
    "Tarn & Tor",
    "Kestrel Ridge",
    "Larkmoor",
    "Ostrava Peak",
    "Hollin",
    "Brackenfold",
    "Vidda",
)
_MODELS = (
    "Skarn", "Aurlan", "Cairn", "Fjellrev", "Gneiss", "Harrow", "Isbre", "Juniper", "Kolm", "Lichen",
    "Merle", "Nunatak", "Ouzel", "Pika", "Quern", "Rime", "Saxifrage", "Talus", "Ural", "Verglas",
)  # fmt: skip
# category, noun, lowest and highest price in whole dollars, one sentence about it
_KINDS = (
    (
        "tents",
        "2-person tent",
        149,
        489,
        "Freestanding, two doors, and dry through a night of sideways rain.",
    ),
    ("tents", "bivy shelter", 79, 219, "Packs to the size of a bottle and pitches with one pole."),
    ("sleeping", "down sleeping bag", 169, 529, "Responsibly sourced down, comfortable to −7 °C."),
    ("sleeping", "insulated sleeping mat", 59, 199, "R-value 4.2, weighs less than a full bottle."),
    ("packs", "45 l backpack", 119, 299, "A frame that carries, pockets where a hand expects them."),
    ("packs", "18 l daypack", 39, 129, "For the day it was going to be a short walk."),
    ("boots", "leather hiking boot", 139, 329, "Full-grain leather, resoleable, broken in after a weekend."),
    ("boots", "trail running shoe", 89, 189, "Grips wet rock and forgets mud."),
    (
        "jackets",
        "3-layer rain jacket",
        149,
        459,
        "Taped seams, long zips under the arms, a hood with a peak.",
    ),
    ("jackets", "fleece pullover", 49, 139, "The layer that never leaves the pack in summer."),
    ("kitchen", "gas stove", 29, 149, "Boils half a litre in two minutes with a lid on."),
    ("kitchen", "titanium pot", 24, 89, "Nests a gas cartridge, keeps its dents as souvenirs."),
    ("kitchen", "vacuum bottle", 19, 59, "Tea is still tea at the summit."),
    ("lights", "headlamp", 19, 119, "400 lumens, and a red light that spares your friends."),
    ("poles", "trekking poles", 39, 179, "Carbon, cork handles, lock in any weather."),
    ("poles", "snowshoes", 99, 289, "Steel teeth, a heel lift for the steep bits."),
)


class DemoStock(StrEnum):
    IN_STOCK = "InStock"
    OUT_OF_STOCK = "OutOfStock"
    BACKORDER = "BackOrder"


class Markup(StrEnum):
    """Where the machine-readable data of a product page stands."""

    JSON_LD = "json_ld"
    JSON_LD_GRAPH = "json_ld_graph"
    MICRODATA = "microdata"


@dataclass(frozen=True, slots=True)
class DemoProduct:
    """`base_cents` is what the selling price moves around; `turn` how many steps it stays, 0 for ever."""

    slug: str
    sku: str
    gtin: str
    mpn: str
    brand: str
    name: str
    category: str
    description: str
    base_cents: int
    list_cents: int | None
    stock: DemoStock
    price_hidden: bool
    tiered: bool
    turn: int
    markup: Markup
    rating: float
    reviews: int

    @property
    def path(self) -> str:
        return f"/products/{self.slug}"


@dataclass(frozen=True, slots=True)
class Tier:
    from_quantity: int
    unit_cents: int


def make_catalogue(count: int, seed: int) -> tuple[DemoProduct, ...]:
    return tuple(make_product(position, seed) for position in range(count))


def make_product(position: int, seed: int) -> DemoProduct:
    """The product at one position of the catalogue; depends on nothing but its arguments."""
    dice = random.Random(f"{seed}:{position}")
    category, kind, low, high, sentence = _KINDS[position % len(_KINDS)]
    brand, model = dice.choice(_BRANDS), dice.choice(_MODELS)
    name = f"{brand} {model} {100 + position} {kind}"
    base = dice.randrange(low, high) * 100 + dice.choice((0, 49, 50, 90, 95, 99))
    stock, hidden = _stock(position)
    return DemoProduct(
        slug=_slug(name),
        sku=f"{brand[:2].upper()}{model[:3].upper()}-{1000 + position}",
        gtin=_gtin13(f"952{dice.randrange(10**5):05d}{position % 10_000:04d}"),
        mpn=f"{model[:4].upper()}{position:04d}",
        brand=brand,
        name=name,
        category=category,
        description=f"{sentence} Made by {brand}, repaired by us for as long as there is a part.",
        base_cents=base,
        list_cents=_whole_dollars(base * _LIST_MARKUP) if position % 5 == 2 else None,
        stock=stock,
        price_hidden=hidden,
        tiered=position % 9 == 4 and not hidden,
        turn=0 if hidden else _turn(position),
        markup=_markup(position),
        rating=round(dice.uniform(3.4, 5.0), 1),
        reviews=dice.randrange(3, 240),
    )


def price_at(product: DemoProduct, step: int) -> int | None:
    """The selling price in cents at one time step; None where the shop shows no price."""
    if product.price_hidden:
        return None
    if not product.turn:
        return product.base_cents
    return round(product.base_cents * _MOVES[changes_by(product, step) % len(_MOVES)])


def changes_by(product: DemoProduct, step: int) -> int:
    """How often the price has changed up to this step."""
    return step // product.turn if product.turn else 0


def tiers_of(price_cents: int) -> tuple[Tier, ...]:
    return tuple(Tier(quantity, round(price_cents * share)) for quantity, share in _TIERS)


def related_to(product: DemoProduct, catalogue: tuple[DemoProduct, ...], count: int = 6) -> tuple[DemoProduct, ...]:
    """Other products shown beside this one: their prices are the trap of the page."""
    others = [other for other in catalogue if other.slug != product.slug and not other.price_hidden]
    dice = random.Random(product.slug)
    return tuple(dice.sample(others, min(count, len(others))))


def _stock(position: int) -> tuple[DemoStock, bool]:
    """One in sixteen is sold out with its price shown, one in sixteen without (P-030), one in 24 on order."""
    if position % 16 == 7:
        return DemoStock.OUT_OF_STOCK, False
    if position % 16 == 15:
        return DemoStock.OUT_OF_STOCK, True
    return (DemoStock.BACKORDER, False) if position % 24 == 12 else (DemoStock.IN_STOCK, False)


def _turn(position: int) -> int:
    """One in six moves: the first of them at every step, the others more slowly."""
    return 1 + (position // 6) % 3 if position % 6 == 1 else 0


def _markup(position: int) -> Markup:
    if position % 5 == 3:
        return Markup.MICRODATA
    return Markup.JSON_LD_GRAPH if position % 5 == 1 else Markup.JSON_LD


def _whole_dollars(cents: float) -> int:
    return int(cents // 100 + 1) * 100


def _slug(name: str) -> str:
    kept = "".join(letter if letter.isalnum() else " " for letter in name.lower())
    return "-".join(kept.split())


def _gtin13(twelve: str) -> str:
    """Adds the check digit. Prefix 952 is the one GS1 keeps for examples, so no real product is named."""
    weighted = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(twelve))
    return twelve + str(-weighted % 10)
