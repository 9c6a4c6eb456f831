"""What a product page shows besides name, price and stock: its pictures, its trail, and how it is rated."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.dom.area import ancestors
from winnow.extract.dom.product_facts import add_visible_facts
from winnow.extract.draft import Draft, Extracted, Extraction, Strategy, Value
from winnow.extract.limits import MAX_BODY, too_deep
from winnow.extract.page import Page
from winnow.extract.page_facts import absolute

MAX_IMAGES = 50
MAX_LOOKED_AT = 600  # images of a page; a long one has about two hundred
MAX_STEPS = 12
MAX_NAME = 120  # characters of a step
MIN_PIXELS = 60  # what is smaller is an icon
LEVELS = 8  # how far above an image its gallery is looked for
_GALLERY = re.compile(
    r"galler|product[-_ ]?(?:single[-_ ]?)?(?:image|img|media|photo|picture|thumb|carousel|slider|zoom)|"
    r"(?:image|media|photo)[-_ ]?(?:gallery|viewer|zoom|block|container)|pdp[-_]?(?:image|media)|thumbnails?|fotorama|"
    r"cloud-?zoom|mainimage|main[-_]image",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"related|recommend|upsell|cross-?sell|similar|also-|recently|footer|header|navbar|menu|review|comment|logo|banner|payment|"
    r"minicart|newsletter|social|swatch|badge|icon|product-(?:list|grid|card|tile|item|teaser)s?\b",
    re.IGNORECASE,
)
_NO_PICTURE = re.compile(
    r"(?:placeholder|spinner|loading|blank|pixel|sprite|logo|icon|transparent)[^/]*$|\.svg(?:$|\?)", re.I
)
_TRAIL = (
    'nav[aria-label*="readcrumb"], [itemtype$="BreadcrumbList"], ol.breadcrumb, ul.breadcrumb, .breadcrumbs, '
    '.breadcrumb, [class*="breadcrumb" i], [id*="breadcrumb" i]'
)
_SEPARATOR = re.compile(r"^[\s/>»›→|·•–-]+|[\s/>»›→|·•–-]+$")
_SOURCES = ("data-zoom-image", "data-large_image", "data-large-image", "data-original", "data-src", "data-lazy-src")


def with_details(extraction: Extraction, page: Page) -> Extraction:
    """The extraction with what the page shows besides; only of a page about one product."""
    if not isinstance(extraction, Extracted) or len(extraction.drafts) != 1 or too_deep(page.body):
        return extraction
    if len(page.body) > MAX_BODY:
        return extraction
    draft = extraction.drafts[0]
    tree = LexborHTMLParser(page.body if page.is_utf8 else page.text())
    values = {**draft.values}
    _add_images(values, tree, page.url)
    if "breadcrumb" not in values and (trail := read_trail(tree)):
        values["breadcrumb"] = trail
    if "description" not in values or "rating" not in values:
        add_visible_facts(values, tree)
    return msgspec.structs.replace(extraction, drafts=[Draft(draft.kind, values, draft.block)])


def _add_images(values: dict[str, list[Value]], tree: LexborHTMLParser, url: str) -> None:
    """Those of the data come first, then those of the gallery; texts for readers go to the image at that address."""
    known = {absolute(url, value.raw): value for value in values.get("image", [])}
    images, alts = list(values.get("image", [])), list(values.get("image_alt", []))
    described = {value.path for value in alts}
    for found, alt in gallery(tree, url):
        value = known.setdefault(found.raw, found)
        if value is found:
            images.append(found)
        if alt and value.path not in described:
            described.add(value.path)
            alts.append(Value(alt, Strategy.DOM, value.path))
    if images:
        values["image"] = images[:MAX_IMAGES]
    if alts:
        values["image_alt"] = alts


def gallery(tree: LexborHTMLParser, url: str) -> Iterator[tuple[Value, str]]:
    """(address, text for readers) of each picture in the product's gallery, in the order of the page."""
    for n, node in enumerate(tree.css("img")[:MAX_LOOKED_AT]):
        if _is_small(node) or not (name := _gallery_of(node)):
            continue
        address = absolute(url, _address(node))
        if address.startswith(("http://", "https://")) and not _NO_PICTURE.search(address):
            yield Value(address, Strategy.DOM, f"{name} img[{n}]"), (node.attributes.get("alt") or "").strip()


def _gallery_of(node: LexborNode) -> str:
    """The name of the gallery around an image; "" where there is none, or it is of something else."""
    found = ""
    for level, above in enumerate((node, *ancestors(node))):
        names = f"{above.attributes.get('class') or ''} {above.attributes.get('id') or ''}"
        if above.tag in ("header", "footer", "nav") or (names.strip() and _FOREIGN.search(names)):
            return ""
        if not found and level <= LEVELS and (match := _GALLERY.search(names)):
            found = match[0].lower()
    return found


def _address(node: LexborNode) -> str:
    """The largest that is named: of the link around it, of the zoom, of the set of sizes."""
    link = node.parent if node.parent is not None and node.parent.tag == "a" else None
    linked = (link.attributes.get("href") or "") if link is not None else ""
    if re.search(r"\.(?:jpe?g|png|webp|avif|gif)(?:$|\?)", linked, re.IGNORECASE):
        return linked
    own = node.attributes
    stated = next((own[name] for name in _SOURCES if own.get(name)), None)
    widest = _widest(own.get("srcset") or own.get("data-srcset") or "")
    return stated or widest or own.get("src") or ""


def _widest(srcset: str) -> str:
    best, address = 0.0, ""
    for part in srcset.split(", ")[:20]:
        url, _, size = part.strip().partition(" ")
        number = re.match(r"\d+(?:\.\d+)?", size)
        width = float(number[0]) if number else 1.0
        if url and not url.startswith("data:") and width > best:
            best, address = width, url.rstrip(",")
    return address


def _is_small(node: LexborNode) -> bool:
    sizes = [node.attributes.get(name) or "" for name in ("width", "height")]
    return any(size.isdecimal() and int(size) < MIN_PIXELS for size in sizes)


def read_trail(tree: LexborHTMLParser) -> list[Value]:
    """The steps of the first trail that has at least two."""
    for node in tree.css(_TRAIL)[:5]:
        steps = [_step(part) for part in _parts(node)[:MAX_STEPS]]
        names = [name for name in dict.fromkeys(steps) if 0 < len(name) <= MAX_NAME]
        if len(names) > 1:
            return [Value(name, Strategy.DOM, "breadcrumb") for name in names]
    return []


def _parts(node: LexborNode) -> list[LexborNode]:
    return node.css("li") or node.css("a, [itemprop=name], [aria-current]")


def _step(node: LexborNode) -> str:
    return _SEPARATOR.sub("", " ".join(node.text(deep=True, separator=" ", strip=True).split()))
