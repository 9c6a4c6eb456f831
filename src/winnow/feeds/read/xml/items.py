"""Pieces of XML -> items, each a list of (name, value). Entity declarations are refused, nothing is fetched.

    <item id="7"><title>…</title><price currency="USD"><sale>9.99</sale></price><link href="…"/></item>
    id, title, price@currency, price/sale, link

Namespaces do not matter: `g:price` is `price`. The text of an element counts where it has no elements inside.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any
from xml.parsers import expat

from winnow.feeds.failures import BadFile
from winnow.feeds.read.header import is_wanted
from winnow.feeds.read.item_batches import CatalogueItem
from winnow.feeds.read.xml.text import has_nested_cdata, left_open, repaired

MAX_DEPTH = 64
MAX_NAMES, MAX_OF_A_NAME = 2_000, 3  # fields kept of one item; more than three pictures are of no use
_LINKS = ("href", "url")
# Unescaped HTML: its text belongs to the element around it.
_MARKUP = "a b i u em strong br sup sub span p font small li ul ol div"
_INLINE = frozenset(_MARKUP.split())
# An unclosed comment or section: the rest of the file was not read.
_HIDDEN = {
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_TOKEN],
    expat.errors.codes[expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION],
}
NOT_CLOSED = "another item begins inside it: it is not closed"


class ItemReader:
    """Feed it pieces; it hands out the items that were completed."""

    def __init__(self, item: str, root: str, line: int = 1) -> None:
        self.item, self.root = item.lower(), root
        self.begin = re.compile(rf"<(?:[\w.-]+:)?{re.escape(item)}(?=[\s/>])", re.IGNORECASE)
        self.line = line  # of the beginning of the piece in hand
        self.items: list[CatalogueItem] = []
        self.broken = False  # something before was not well-formed, so the end tags of the rest cannot fit
        self.scan = _scanner(self)
        self.waiting: list[tuple[str, int]] = []  # pieces, and where they begin, of an item that went on behind its end

    def read(self, piece: str, damaged: bool = False) -> list[CatalogueItem]:
        self.items = self._read(piece)
        return [item._replace(damaged=True) for item in self.items] if damaged else self.items

    def _read(self, piece: str) -> list[CatalogueItem]:
        self.items = []
        try:
            if has_nested_cdata(piece) and len(self._parts(piece, 0)) > 1:
                self._recover(piece, "a CDATA section is not closed")
            else:
                self.scan.feed(piece)
            if self.scan.inside and (left := left_open(piece)):
                self._recover(piece, f"{left} is not closed")
        except expat.ExpatError as wrong:
            self._recover(piece, f"the XML is broken here: {_reason(wrong)}")
        self.waiting = [*self.waiting, (piece, self.line)] if self.scan.inside else []
        self.line += piece.count("\n")
        return self.items

    def finish(self, rest: str) -> tuple[list[CatalogueItem], bool]:
        """The items of the rest, and whether the file ended before its root element did."""
        found = self.read(rest)
        try:
            self.scan.end()
        except expat.ExpatError as wrong:
            if self.scan.inside:
                found.append(CatalogueItem(self.scan.all_fields(), self.line, "the file ends inside an item"))
            return found, not self.broken or wrong.code in _HIDDEN or f"</{self.root}" not in rest
        return found, False

    def _recover(self, piece: str, reason: str) -> None:
        """A fresh start for what follows; the item in hand is repaired if that makes it well-formed. A piece ends where
        an item does: of several that begin in it only the last is whole, and an item that goes on behind its piece
        has swallowed those after it."""
        self.broken = True
        parts = [part for whole in (*self.waiting, (piece, self.line)) for part in self._parts(*whole)]
        if len(parts) == 1:
            self._recover_one(piece, reason)
        else:
            self._recover_each(parts, NOT_CLOSED if self.waiting else reason)

    def _parts(self, piece: str, line: int) -> list[tuple[str, int]]:
        """Cut where its second and later items begin."""
        starts = [found.start() for found in self.begin.finditer(piece)]
        parts = []
        for a, b in pairwise([0, *starts[1:], len(piece)]):
            parts.append((piece[a:b], line))
            line += piece.count("\n", a, b)
        return parts

    def _line_of(self, piece: str, line: int) -> int:
        """Where its item begins; before it stands what is between two items."""
        found = self.begin.search(piece)
        return line + piece.count("\n", 0, found.start()) if found else line

    def _recover_one(self, piece: str, reason: str) -> None:
        was_inside, done = self.scan.inside, list(self.items)
        whole = self._alone(repaired(piece))
        if whole is not None:
            self.items = [*done, *(item._replace(repaired=True) for item in whole[len(done) :])]
        elif was_inside or self.begin.search(piece):
            self.items = [*done, CatalogueItem(self.scan.all_fields(), self._line_of(piece, self.line), reason)]
        self._anew()

    def _recover_each(self, parts: list[tuple[str, int]], reason: str) -> None:
        """Only the first of them is known to be broken."""
        began, found = self.line, [CatalogueItem([], self._line_of(*parts[0]), reason)]
        self._anew()
        self.waiting = []
        for part, self.line in parts[1:]:
            found += self._read(part)
            if self.scan.inside:  # it does not end where the next begins
                found.append(CatalogueItem(self.scan.all_fields(), self.line, reason))
                self._anew()
                self.waiting = []
        self.items, self.line = found, began

    def _anew(self) -> None:
        self.scan = _scanner(self)
        self.scan.feed("<rest>")

    def _alone(self, piece: str) -> list[CatalogueItem] | None:
        start = self.begin.search(piece)
        if start is None:
            return None
        kept, self.items = self.items, []
        try:
            scan = _scanner(self)
            scan.feed(f"<rest>{piece[start.start() :]}")
            found = self.items
        except expat.ExpatError:
            return None
        finally:
            self.items = kept
        return found if found and not scan.inside else None


def _reason(wrong: expat.ExpatError) -> str:
    return expat.errors.messages.get(wrong.code, "it is not well-formed")


class _Undeclared(expat.ExpatError):
    """An undeclared entity. With an external DTD the parser drops it silently."""

    code = expat.errors.codes[expat.errors.XML_ERROR_UNDEFINED_ENTITY]


class _Scan:
    """One run of the parser."""

    def __init__(self, item: str, add: Callable[[list[tuple[str, str]], int, str | None], None]) -> None:
        self.item, self.add = item, add
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = _refuse_entities
        self.parser.SkippedEntityHandler = _undeclared
        self.path: list[str] = []
        self.inside = False
        self.depth = 0
        self.fields: list[tuple[str, str]] = []
        self.times: dict[str, int] = {}
        self.plain: list[tuple[str, str]] = []  # fields without a prefix, and the names that stand there with one
        self.prefixed: set[str] = set()
        self.texts: list[list[str]] = []
        self.called: list[str] = []  # the attribute `name` of each element of the path
        self.has_children: list[bool] = []
        self.line = 1

    def feed(self, text: str) -> None:
        self.parser.Parse(text.encode("utf-8", "replace"), False)

    def end(self) -> None:
        self.parser.Parse(b"", True)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise BadFile(f"the XML is nested more than {MAX_DEPTH} deep")
        if not self.path and name.lower() == self.item:
            self._open(attributes)
        elif self.inside:
            self._open_field(name, attributes)

    def _open(self, attributes: dict[str, str]) -> None:
        """An item right inside an item: the one around it was never closed, which costs it alone, and nothing if there
        is nothing in it."""
        if self.inside and (fields := self.all_fields()):
            self.add(fields, self.line, NOT_CLOSED)
        self.inside, self.depth, self.has_children, self.texts, self.called = True, 1, [], [], []
        self.fields, self.times, self.plain, self.prefixed = [], {}, [], set()
        for name, value in attributes.items():
            self._add(name.rpartition(":")[2], value)
        self.line = self.parser.CurrentLineNumber

    def _open_field(self, name: str, attributes: dict[str, str]) -> None:
        if self.has_children and name.lower() not in _INLINE:
            self.has_children[-1] = True
        self.path.append(name)
        self.has_children.append(False)
        self.texts.append([])
        self.called.append(attributes.get("name", "") if attributes else "")
        self._attributes(attributes)

    def _attributes(self, attributes: dict[str, str]) -> None:
        if not attributes:
            return
        name = "/".join(self.path)
        if self.path[-1].lower() == "link" and attributes.get("rel", "alternate") != "alternate":
            return  # Atom: the feed itself, enclosures
        for key, value in attributes.items():
            self._add(f"{name}@{key.rpartition(':')[2]}", value)
        link = next((attributes[key] for key in _LINKS if key in attributes), None)
        if link is not None:
            self._add(name, link)

    def _add(self, name: str, value: str) -> None:
        times = self.times.get(name, 0)
        if times < MAX_OF_A_NAME and (times or len(self.times) < MAX_NAMES):
            self.times[name] = times + 1
            self.fields.append((name, value))

    def _text(self, text: str) -> None:
        if self.texts:
            self.texts[-1].append(text)

    def _end(self, tag: str) -> None:
        self.depth -= 1
        if not self.inside:
            return
        if not self.path:
            self.inside = False
            self.add(self.all_fields(), self.line, None)
            return
        text, leaf, name = "".join(self.texts.pop()), not self.has_children.pop(), self.called.pop()
        if len(self.path) > 1 and self.path[-1].lower() in _INLINE:
            self.texts[-1].append(text or " ")
        elif leaf and text.strip():
            self._keep(tag, text.strip())
        self._keep_named(name or (self.called[-1] if self.called else ""), text.strip())
        self.path.pop()

    def _keep_named(self, name: str, text: str) -> None:
        """`<property name="EAN"><value>…`, `<a name="Producent">…`: what the attribute says is the name."""
        if name and text and is_wanted(name):
            self._add(f"named/{name}", text)

    def _keep(self, tag: str, text: str) -> None:
        if len(self.path) > 1:
            self._add("/".join(self.path), text)
        elif ":" in tag:
            self.prefixed.add(self.path[0])
            self._add(self.path[0], text)
        else:
            self.plain.append((self.path[0], text))

    def all_fields(self) -> list[tuple[str, str]]:
        """Where there are `g:title` and `title`, the one with a prefix was written for whoever reads catalogues."""
        for name, text in self.plain:
            if name not in self.prefixed:
                self._add(name, text)
        return self.fields


def _undeclared(*_: Any) -> None:
    raise _Undeclared


def _scanner(reader: ItemReader) -> _Scan:
    began = reader.line

    def add(fields: list[tuple[str, str]], line: int, problem: str | None) -> None:
        reader.items.append(CatalogueItem(fields, began + line - 1, problem))

    return _Scan(reader.item, add)


def _refuse_entities(*_: Any) -> None:
    raise BadFile("the XML declares entities, which are not expanded", code="ENTITIES_REFUSED")
