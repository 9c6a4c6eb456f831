"""Whether the bytes of a page speak against the price its structured data gives. Asked before the fast path answers.

A price that stands in the text around the heading, and not struck through, is confirmed. A page that shows
amounts of money but
not this one, or shows this one as an old price, has to be read by the DOM. A page without any amount cannot contradict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from winnow.extract.draft import Value
from winnow.extract.page import Page

_PLAIN = re.compile(r"(\d+)(?:\.(\d{1,4}))?")
# Amounts in the text of a page, in the bytes of UTF-8.
_SIGN = (
    rb"[$\xa3]|\xe2\x82[\xa0-\xbf]|\xc2[\xa3\xa5]|\xef\xbf\xa5"
    rb"|&(?:euro|pound|yen|dollar|#36|#8364|#163|#xA3|#x20AC);|kr|z\xc5\x82|K\xc4\x8d"
    rb"|[Ll]ei|Ft|TL|R[psm.]|\xd0\xbb\xd0\xb2|\xd1\x80\xd1\x83\xd0\xb1|\xd0\xb3\xd1\x80\xd0\xbd|\xe5\x86\x86|\xec\x9b\x90|\xe5\x85\x83|\xc4\x91|SFr|Fr\.|Euro"
    rb"|(?:EUR|USD|GBP|CHF|AED|SAR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|RON|INR|BRL|MXN|ZAR|TRY|SGD|HKD|JPY|CNY|THB|ILS)"
    rb"(?![A-Za-z])|(?<![A-Za-z])R(?=\s?\d)"
)
_SIGNED = re.compile(_SIGN)
_BESIDE = 24  # bytes between a number and its sign: a tag, a space
_MONEY = re.compile(
    rb">\s{0,200}+[^<>{}]{0,20}?(?:(?:%b)(?:\s|&nbsp;|\xc2\xa0|\xe2\x80\xaf)?\d|\d(?:\s|&nbsp;|\xc2\xa0|\xe2\x80\xaf)?(?:%b))"
    % (_SIGN, _SIGN)
)
_OLD_WORDS = (
    rb"old|was|list|strike|compare|original|before|rrp|msrp|uvp|retail|crossed|previous|regular|barred|starting"
)
# `old-price` and `product_oldPrice`, but not `bold` or `wholesale`; what is doubtful is read by the DOM.
_OLD = re.compile(
    rb"(?i:<(?:del|s|strike)\b)|(?<![A-Za-z])(?i:%b)|(?<=[a-z])(?:%b)|line-through" % (_OLD_WORDS, _OLD_WORDS.title())
)
# One of these has to be there before the pattern is tried.
_CALLED_OLD_WORDS = (b"rrp", b"mrp", b"m.r.p", b"msrp", b"uvp", b"list", b"regular", b"was", b"reward", b"member",
                     b"clubcard", b"loyalty")  # fmt: skip
_TAG = re.compile(rb"^[^<>]*>|<[^<>]*>|<[^<>]*$")
_CALLED_OLD = re.compile(
    rb"(?i:\b(?:rewards?|members?|clubcard|loyalty)\b[^.]{0,40})(?:%b)?\s*$|"
    rb"(?i:\b(?:m\.?r\.?p|m?s?rrp|msrp|uvp|list(?: price)?|regular price|was)\b)[.:\s]{0,4}(?:%b)?\s*$" % (_SIGN, _SIGN)
)
# Tax words in the next lines: the first decides whether the amount may be one without tax (read by the DOM then).
_TAX = re.compile(
    rb"(?P<net>ex(?:cl|c|kl|cluding|clusive)?\.?|plus|\+|zzgl\.?|brez|bez|be|hors|ute?n|utan|ilman|eks\.?|sin)?"
    rb"\s?(?:\d{1,2} ?%% ?)?"
    rb"\b(?:vat|btw|moms|mva|mwst|gst|tva|dph|iva|ddv|pdv|pvm|pvn|alv)\b|\b(?P<word>ht|netto|nett\xc3\xb3)\b|\xe7\xa8\x8e(?P<kanji>\xe6\x8a\x9c|\xe5\x88\xa5)?"
    rb"|(?P<cyrillic>%b\s?(?:%b))" % ("без".encode(), "|".join(("НДС", "ДДС", "ПДВ")).encode()),
    re.IGNORECASE,
)
# One of these has to be there: the pattern takes 80 µs, all the words together one.
_TAX_WORDS = (b"vat", b"btw", b"moms", b"mva", b"mwst", b"gst", b"tva", b"dph", b"iva", b"nett", b"\xe7\xa8\x8e",
              b"ddv", b"pdv", b"pvm", b"pvn", b"alv", "НДС".encode(), "ДДС".encode(), "ПДВ".encode(),
              b" ht", b">ht", b"(ht", b";ht", b"\nht", b"\xa0ht")  # fmt: skip
# Another amount follows after a dash: where prices start, not what one costs.
_RANGE = re.compile(
    rb"(?:[.,]\d\d?)?(?:\s|<[^<>]{0,120}>|&nbsp;|\xc2\xa0|%b){0,12}?(?:-|\xe2\x80[\x93\x94]|&[mn]dash;|&#821[12];|to )"
    rb"(?:\s|<[^<>]{0,120}>|&nbsp;|\xc2\xa0|%b){0,12}\d" % (_SIGN, _SIGN)
)
_NOT_TEXT = re.compile(rb'[<{"=]|;\}')  # between a tag and an amount: a script, or an attribute
_LOOK_AHEAD = 250
_LOOK_BACK = 240  # bytes: the tags around an amount and their classes
_BEFORE, _AFTER = 4_096, 16_384  # bytes around the heading where a price is expected
# The last byte of the sign that stands before an amount.
_SIGN_BYTE = {"USD": b"$", "CAD": b"$", "AUD": b"$", "GBP": b"\xa3", "EUR": b"\xac"}
MAX_SIGHTINGS = 40  # occurrences of the amount; more are a script's doing


def find_visible_price(page: Page, price: Value) -> int | None:
    """Where the page shows this price; -1 when it shows none at all, None when it may show another."""
    amount = _PLAIN.fullmatch(price.raw)
    if amount is None:
        return None  # written in a way the bytes cannot be compared with
    spellings = _spellings(amount[1], amount[2] or "")
    for place, size in _sightings(page.body, spellings, price.currency):
        stands = _stands(page.body, place, size)
        if stands:
            return place if stands == "text" else None
    return None if _MONEY.search(page.body) is not None else -1


def _spellings(whole: str, fraction: str) -> list[bytes]:
    """How the amount can stand in a text, without what differs between locales."""
    cents = fraction[:2].ljust(2, "0")
    group = f"{int(whole):,}".split(",")
    heads = [whole]
    if len(group) > 1:
        heads = [*(sep.join(group) for sep in (",", ".", " ", "\xa0", "\u202f", "'", "’")), whole]
    if cents == "00":
        return [head.encode() for head in heads]
    return [f"{head}{mark}{cents}".encode() for head in heads for mark in ".,"]


def _sightings(body: bytes, spellings: list[bytes], currency: str) -> Iterator[tuple[int, int]]:
    """Where the amount stands and how long it is written, the cheap places first."""
    for place in _after_sign(body, spellings[0], currency):
        yield place, len(spellings[0])
    for spelling in spellings:
        for place in _places(body, spelling):
            yield place, len(spelling)


def _after_sign(body: bytes, spelling: bytes, currency: str) -> Iterator[int]:
    """One character is found by memchr, many times faster than a word."""
    sign = _SIGN_BYTE.get(currency)
    if sign is None:
        return
    at = -1
    for _ in range(MAX_SIGHTINGS):
        at = body.find(sign, at + 1)
        if at < 0:
            return
        if body.startswith(spelling, at + 1):
            yield at + 1


def _places(body: bytes, spelling: bytes) -> Iterator[int]:
    """Searched from the end: that way round the search skips by the length of what it looks for."""
    end = len(body)
    for _ in range(MAX_SIGHTINGS):
        end = body.rfind(spelling, 0, end)
        if end < 0:
            return
        yield end


def _is_near_heading(body: bytes, at: int) -> bool:
    return body.rfind(b"<h1", max(0, at - _AFTER), at) >= 0 or body.find(b"<h1", at, at + _BEFORE) >= 0


def _stands(body: bytes, at: int, size: int) -> str:
    """text: in the text of the page. old: there, but as a former price. net: there, perhaps without tax. range: there,
    where prices start. "": in
    a script, in an attribute, in another number."""
    end = at + size
    before, after = body[max(0, at - 2) : at], body[end : end + 2]
    if before[-1:].isdigit() or after[:1].isdigit() or (before[:1].isdigit() and before[1:] in (b".", b",")):
        return ""
    if after[:1] in (b".", b",") and after[1:].isdigit() and body[end + 1 : end + 3] != b"00":
        return ""
    opened = body.rfind(b">", max(0, at - 40), at)
    if opened < 0 or _NOT_TEXT.search(body, opened, at) is not None:
        return ""
    if not _is_near_heading(body, at) or not (
        b"." in body[at:end] or b"," in body[at:end] or _is_signed(body, at, end)
    ):
        return ""
    near = body[end : end + _LOOK_AHEAD].lower()
    tax = _TAX.search(near) if any(map(near.__contains__, _TAX_WORDS)) else None
    if tax is not None and (any(tax.groups()) or _MONEY.search(near, 0, tax.start())):
        return "net"
    if _RANGE.match(near):
        return "range"
    return "old" if _OLD.search(_opened_before(body, at)) or _is_called_old(body, at) else "text"


def _is_called_old(body: bytes, at: int) -> bool:
    """Words before the amount say that it is the list price ("MRP ₹7,999") or may be that of members. They may be in
    tags of their own."""
    near = body[max(0, at - _LOOK_BACK) : at]
    if not any(map(near.lower().__contains__, _CALLED_OLD_WORDS)):
        return False
    return _CALLED_OLD.search(_TAG.sub(b" ", near)) is not None


def _is_signed(body: bytes, at: int, end: int) -> bool:
    """A whole number is money only beside a currency: `55` stands in many a product's name."""
    return _SIGNED.search(body[max(0, at - _BESIDE) : end + _BESIDE]) is not None


def _opened_before(body: bytes, at: int) -> bytes:
    """The tags that open right before an amount, one inside the other: what stands after the last one that closes."""
    start = max(0, at - _LOOK_BACK)
    closed = body.rfind(b"</", start, at)
    return body[body.find(b">", closed, at) if closed >= 0 else body.find(b"<", start, at) : at]
