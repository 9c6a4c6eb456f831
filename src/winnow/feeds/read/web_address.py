"""Whether a cell is an absolute http(s) address. Blanks are encoded; a missing scheme is not guessed."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_URL = 8_192  # the longest URL the platform takes (normalise/urls.py)
_HOST = r"(?:\[[\da-f:.]+\]|(?![.-])(?![^/?#]*\.\.)[^\s/?#@\\<>\":]+)(?::\d+)?"
_ADDRESS = re.compile(rf"https?://{_HOST}(?:[/?#][^\s\x00-\x1f\x7f\\]*)?", re.IGNORECASE)
_NEXT = re.compile(r"[,;|]https?://")
_BETWEEN = re.compile(r"[\s,;|\"']+")
_fullmatch = _ADDRESS.fullmatch


def is_address(text: str) -> bool:
    return _fullmatch(text) is not None and len(text) <= MAX_URL


def first_address(text: str) -> str | None:
    """Of a list of them, as shops export the pictures of a product. A space inside a single address is part of a
    file's name, and is written as browsers write it; its first part alone would be another picture's."""
    parts = _BETWEEN.split(text.strip("[]\"' "))
    if all(map(is_address, parts)):
        return parts[0]
    return None if "," in text else with_encoded_blanks(text)


def with_encoded_blanks(text: str) -> str | None:
    """One address with blanks behind its host, written as browsers send it; None of anything else."""
    whole, before = text.replace(" ", "%20"), text.partition(" ")[0]
    single = before.count("/") > 2 and text.count("://") == 1
    return whole if single and is_address(whole) else None


def first_ones(texts: list[str]) -> list[str]:
    """Pictures: where a cell is several addresses put together, its first."""
    if not may_be_several(texts):
        return texts
    return [first_address(text) or text if are_several(text) else text for text in texts]


def may_be_several(texts: Sequence[str]) -> bool:
    joined = "\n".join(texts)
    return any(sign in joined and f"{sign}http" in joined for sign in ",;|")


def are_several(text: str) -> bool:
    return _NEXT.search(text) is not None


# Characters that change which part of an address is its host, or that no address has; searched in a whole column at
# once.
_UNUSUAL = ("@", "\\", "<", ">", '"', "..", "//http")
_CONTROLS = bytes([*range(32), 127])
_START = re.compile(r"https?://\w?", re.IGNORECASE)
_START_LENGTH = len("https://x")


def are_addresses(texts: Sequence[str]) -> bool:
    """True only if each of them is one; False says that they have to be looked at one by one."""
    joined = " ".join(texts)
    if not _printable(joined) or any(sign in joined for sign in _UNUSUAL):
        return False
    if joined.count(" ") >= max(len(texts), 1) or (len(joined) > MAX_URL and max(map(len, texts)) > MAX_URL):
        return False
    return all(_START.match(start) and start[-1].isalnum() for start in _starts(texts, joined))


def _starts(texts: Sequence[str], joined: str) -> set[str]:
    """Most files have one: that all begin like the first is seen quicker than how each begins."""
    first = joined[:_START_LENGTH]
    if joined.count(f" {first}") == len(texts) - 1 and " " not in first:
        return {first}
    return {text[:_START_LENGTH] for text in texts}


def _printable(text: str) -> bool:
    """ASCII, as nearly all addresses are, in a third of the time."""
    if not text.isascii():
        return text.isprintable()
    raw = text.encode()
    return len(raw.translate(None, _CONTROLS)) == len(raw)
