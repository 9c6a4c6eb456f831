"""Every shape in many countries, plain and with decoys, damaged, stripped of its data, and contradicted by it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.quality.shops.big_shops import BIG_SHOPS
from tests.quality.shops.chrome import noisy
from tests.quality.shops.countries import COUNTRIES, Country
from tests.quality.shops.data_only import DATA_ONLY
from tests.quality.shops.decoys import INSIDE, OUTSIDE
from tests.quality.shops.more_systems import MORE_SYSTEMS
from tests.quality.shops.odd_shops import ODD_SHOPS
from tests.quality.shops.spec import Spec
from tests.quality.shops.systems import SYSTEMS, Room, Shape
from winnow.normalise.record import Availability

SEED = 20
SHAPES: list[Shape] = [*SYSTEMS, *MORE_SYSTEMS, *BIG_SHOPS, *DATA_ONLY, *ODD_SHOPS]
_TITLES = (
    ("Nordwind Rain Jacket", "Nordwind"), ("Espresso Machine EC-685 Silver", "Delta"), ("Running Shoe Pegasus 39", "Vela"),
    ("Cordless Drill 18V Set", "Makro"), ("Garden Chair Teak", "Holz & Co"), ('LED TV 55" OLED 2023', "Lumen"),
    ("Grüner Tee Sencha 250 g", "Teehaus"), ("Kids' Backpack 12 L", "Pico"), ("Ceramic Knife 15 cm", "Kyo"),
)  # fmt: skip
_LD = re.compile(r'<script type="application/ld\+json">.*?</script>', re.DOTALL)
_SCRIPTS = re.compile(r"<script.*?</script>", re.DOTALL)
_META = re.compile(r'<meta (?:itemprop|property|name)="[^"]*" content="[^"]*">')
_MICRODATA = re.compile(r' (?:itemprop|itemscope|itemtype|property|typeof|vocab|rel|content)(?:="[^"]*")?(?=[ >])')


@dataclass(frozen=True)
class Made:
    """`held` says that nothing may be accepted but the price the page shows, and holding is right too."""

    shape: str
    variant: str
    spec: Spec
    html: str
    optional: bool = False


def make_spec(dice: random.Random, country: Country) -> Spec:
    title, brand = dice.choice(_TITLES)
    unit = {"JPY": 100, "KRW": 1000, "HUF": 30000, "IDR": 1000000, "VND": 20000, "RUB": 6000, "INR": 5000}
    scale = unit.get(country.currency, 100)
    minor = _price(dice, scale, country)
    raised = minor * dice.choice((115, 125, 150)) // 100
    listed = _rounded(raised, country) if dice.random() < 0.5 else 0
    others = tuple({_price(dice, scale, country) for _ in range(6)} - {minor, listed})[:4]
    stock = Availability.IN_STOCK if dice.random() < 0.75 else Availability.OUT_OF_STOCK
    return Spec(title, brand, f"SKU-{dice.randrange(10**5)}", minor, listed, stock, country, (others * 4)[:4])


def _price(dice: random.Random, scale: int, country: Country) -> int:
    value = dice.choice((dice.randrange(3, 100), dice.randrange(100, 2500))) * scale
    value += dice.choice((0, 90, 95, 99)) * scale // 100
    return _rounded(value, country)


def _rounded(minor: int, country: Country) -> int:
    step = 10**country.decimals
    return minor if country.places else max(step, minor // step * step)


def pages(seed: int = SEED, rounds: int = 6) -> Iterator[Made]:
    dice = random.Random(seed)
    for shape in SHAPES:
        for number in range(rounds):
            country = dice.choice(COUNTRIES)
            yield from _variants(shape, make_spec(dice, country), dice, number)


def _variants(shape: Shape, spec: Spec, dice: random.Random, number: int) -> Iterator[Made]:
    name = shape.__name__
    yield Made(name, "plain", spec, shape(spec, Room()))
    room = _decorated(spec, dice)
    full = shape(spec, room)
    yield Made(name, "decoys", spec, full)
    yield Made(name, "noisy", spec, noisy(spec, full, dice))
    yield Made(name, "broken", spec, _broken(full, dice))
    stripped = _META.sub("", _LD.sub("", full))
    visible = spec.price in _SCRIPTS.sub("", stripped)
    if visible:
        yield Made(name, "no_data", spec, stripped)
        yield Made(name, "noisy_no_data", spec, noisy(spec, stripped, dice))
        yield Made(name, "no_markup", spec, _MICRODATA.sub("", stripped))
    stale = replace(spec, minor=spec.minor * 2 + 100)
    if _LD.search(full) and visible:
        old = _LD.search(shape(stale, Room()))
        assert old is not None
        yield Made(name, "stale_data", spec, _LD.sub(lambda _: old[0], full), optional=True)


def _decorated(spec: Spec, dice: random.Random) -> Room:
    outside = dice.sample(OUTSIDE, 4)
    inside = "".join(decoy(spec) for decoy in dice.sample(INSIDE, 3))
    above, below = outside[:1], outside[1:]
    return Room("".join(d(spec) for d in above), inside, "".join(d(spec) for d in below))


def _broken(html: str, dice: random.Random) -> str:
    """Closing tags lost, attributes unquoted, entities for spaces: as old templates have it."""
    closing = [match.start() for match in re.finditer(r"</(?:div|span|p|li)>", html)]
    for at in sorted(dice.sample(closing, min(2, len(closing))), reverse=True):
        html = html[:at] + html[html.index(">", at) + 1 :]
    return html.replace("\xa0", "&nbsp;").replace('class="price"', "class=price").replace("</body></html>", "")
