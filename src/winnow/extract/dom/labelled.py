"""Pairs of label and value as pages show them: definition lists, tables, "Label: value"."""

from __future__ import annotations

import re
from itertools import pairwise

from selectolax.lexbor import LexborHTMLParser, LexborNode

from winnow.extract.parsed_page import ParsedPage, lines_of, text_in

MAX_PAIRS = 400
MAX_LABEL = 40
MAX_BELOW = 100  # of a value under its label; more is a text under its heading
_INLINE = re.compile(r"([^:：]{2,40})[:：]\s*(\S.{0,300})")


def pairs_of(parsed: ParsedPage) -> list[tuple[str, str]]:
    found = [*_definitions(parsed.clean_tree), *_rows(parsed.clean_tree)]
    for line in parsed.lines:
        match = _INLINE.fullmatch(line)
        if match:
            found.append((match[1].strip().lower(), match[2].strip()))
    found += [
        (line.rstrip(":： ").lower(), below)
        for line, below in pairwise(parsed.lines)
        if line.endswith((":", "：")) and len(line) <= MAX_LABEL and len(below) <= MAX_BELOW and below[-1] not in ":："
    ]
    return found[:MAX_PAIRS]


def _definitions(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    found = []
    for label in tree.css("dt")[:MAX_PAIRS]:
        value = _next(label, "dd")
        if value is not None:
            found.append((_label(label), text_in(value)))
    return [pair for pair in found if pair[0] and pair[1]]


def _rows(tree: LexborHTMLParser) -> list[tuple[str, str]]:
    found = []
    for row in tree.css("tr")[:MAX_PAIRS]:
        cells = row.css("th, td")
        if len(cells) == 2:
            found.append((_label(cells[0]), text_in(cells[1])))
    return [pair for pair in found if pair[0] and pair[1]]


def headed_pairs(parsed: ParsedPage) -> list[tuple[str, str]]:
    """Every short line and the one below it: for labels that nothing but a label is called, since menus look the same."""
    lines = parsed.lines
    return pairs_of(parsed) + [
        (line.rstrip(":：").strip().lower(), below)
        for line, below in pairwise(lines)
        if len(line) <= MAX_LABEL and len(below) <= 200
    ]


def _label(node: LexborNode) -> str:
    lines = lines_of(node)
    return lines[0].rstrip(":：").strip().lower()[:MAX_LABEL] if lines else ""


def _next(node: LexborNode, tag: str) -> LexborNode | None:
    following = node.next
    for _ in range(6):
        if following is None or following.tag == tag:
            return following
        following = following.next
    return None


def lines_labelled(parsed: ParsedPage, labels: frozenset[str]) -> list[str]:
    """The lines of the first cell with such a label, where it has several: places, one below the other."""
    tree = parsed.clean_tree
    cells = [(label, _next(label, "dd")) for label in tree.css("dt")[:MAX_PAIRS]]
    rows = [row.css("th, td") for row in tree.css("tr")[:MAX_PAIRS]]
    cells += [(row[0], row[1]) for row in rows if len(row) == 2]
    found = (lines_of(value) for label, value in cells if value is not None and _label(label).strip(" :*") in labels)
    lines = next(found, [])
    return lines if len(lines) > 1 else []


def first_labelled(pairs: list[tuple[str, str]], labels: frozenset[str]) -> str:
    return next((value for label, value in pairs if label.strip(" :*") in labels and value.lower() not in labels), "")
