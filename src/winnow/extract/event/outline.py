"""One walk over a page: its elements in order, its lines of text, and which element each piece of a line stands in."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

MAX_NODES = 60_000  # elements and texts; agendas of a whole season have about half of that
MAX_DEPTH = 250
_UNSEEN = frozenset(
    "script style noscript template svg iframe select textarea option head title datalist button-icon".split()  # noqa: SIM905
)
_BLOCKS = frozenset(
    """address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hr html legend li main menu nav ol p pre section summary table tbody td tfoot
    th thead tr ul br""".split()  # noqa: SIM905
)
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
# Between these, letters that touch belong to one word; between other elements there is a gap on the screen.
_GLUED = frozenset(["b", "strong", "i", "em", "u", "font", "small", "mark", "wbr", "s", "big", "sub", "sup"])
_ORDINALS = frozenset(["st", "nd", "rd", "th", "er", "e", "re", "ste", "de", "o", "a"])


class Element:
    """`end` is the position after its last descendant, `first` and `last` the range of its lines (`last` is behind)."""

    __slots__ = ("at", "depth", "end", "first", "last", "names", "node", "parent", "tag")

    def __init__(self, at: int, node: LexborNode, tag: str, parent: int, depth: int, first: int) -> None:
        self.at, self.node, self.tag, self.parent, self.depth, self.first = at, node, tag, parent, depth, first
        self.end, self.last = at + 1, first
        own = node.attributes
        self.names = f"{own.get('class') or ''} {own.get('id') or ''}".strip() if own else ""


class Piece:
    """A text of a line, `start` its place there."""

    __slots__ = ("element", "start", "text")

    def __init__(self, text: str, start: int, element: int) -> None:
        self.text, self.start, self.element = text, start, element


class Line:
    """What stands in one line on the screen; `block` is the innermost block around it."""

    __slots__ = ("block", "pieces", "text")

    def __init__(self, block: int) -> None:
        self.block = block
        self.pieces: list[Piece] = []
        self.text = ""

    def add(self, text: str, element: int, gap: bool) -> None:
        if self.text and gap:
            self.text += " "
        self.pieces.append(Piece(text, len(self.text), element))
        self.text += text

    def element_at(self, place: int) -> int:
        """The element of the text at a place of the line."""
        found = self.block
        for piece in self.pieces:
            if piece.start > place:
                break
            found = piece.element
        return found


def _is_entry(node: LexborNode) -> bool:
    """A link beside another one with nothing between them, that says more than a number: such rows are cards, or the
    items of a menu, each in a line of its own."""
    if not (_is_link(node, "next") or _is_link(node, "prev")):
        return False
    text = node.text(strip=True)
    return sum(c.isalpha() for c in text) >= 3 and any(c.isdigit() for c in text)


def _is_link(node: LexborNode, side: str) -> bool:
    beside: LexborNode | None = getattr(node, side)
    if beside is not None and beside.tag == "-text" and not (beside.text_content or "").strip():
        beside = getattr(beside, side)
    return beside is not None and beside.tag == "a"


class Outline:
    def __init__(self, tree: LexborHTMLParser) -> None:
        self.elements: list[Element] = []
        self.lines: list[Line] = []
        self.cut = False
        self._line: Line | None = None
        self._gap = False
        self._spaced = False
        self._open: list[Element] = []
        self._entries: set[int] = set()  # links that stand in a line of their own
        if tree.body is not None:
            self._walk(tree.body)

    def _walk(self, body: LexborNode) -> None:
        ids: dict[int, int] = {}
        skipped: set[int] = set()
        for number, node in enumerate(body.traverse(include_text=True)):
            if number > MAX_NODES:
                self.cut = True
                break
            tag = node.tag or ""
            if tag.startswith(("-comment", "!", "-doc")) or tag == "-comment":
                continue
            above = node.parent
            key = above.mem_id if above is not None else 0
            if key in skipped:
                if tag != "-text":
                    skipped.add(node.mem_id)
                continue
            if number and key not in ids:
                continue
            if number:
                self._close_to(ids[key])
            if tag == "-text":
                self._text(node.text_content or "")
            elif tag in _UNSEEN or len(self._open) > MAX_DEPTH:
                skipped.add(node.mem_id)
            else:
                ids[node.mem_id] = self._enter(node, tag)
        self._close_to(-1)

    def _enter(self, node: LexborNode, tag: str) -> int:
        if tag == "a" and _is_entry(node):
            self._entries.add(len(self.elements))
        if tag in _BLOCKS or len(self.elements) in self._entries:
            self._flush()
        self._gap = self._gap or tag not in _GLUED
        at = len(self.elements)
        parent = self._open[-1].at if self._open else -1
        element = Element(at, node, tag, parent, len(self._open), len(self.lines))
        self.elements.append(element)
        self._open.append(element)
        return at

    def _close_to(self, at: int) -> None:
        while self._open and self._open[-1].at != at:
            done = self._open.pop()
            if done.tag in _BLOCKS or done.at in self._entries:
                self._flush()
            self._gap = self._gap or done.tag not in _GLUED
            done.end, done.last = len(self.elements), len(self.lines) + (self._line is not None)

    def _text(self, text: str) -> None:
        plain = " ".join(text.split())
        if not plain:
            self._spaced = True
            return
        element = self._open[-1]
        if self._line is None:
            block = next((e.at for e in reversed(self._open) if e.tag in _BLOCKS), 0)
            self._line = Line(block)
        gap = self._gap or self._spaced or text[0].isspace()
        if element.tag == "sup" and plain.lower() not in _ORDINALS:
            gap = True
        self._line.add(plain, element.at, gap)
        self._gap, self._spaced = False, text[-1].isspace()

    def _flush(self) -> None:
        if self._line is not None:
            self.lines.append(self._line)
            self._line = None

    # What others ask.

    def above(self, at: int) -> Iterator[Element]:
        """An element and all around it, inside out."""
        while at >= 0:
            element = self.elements[at]
            yield element
            at = element.parent

    def shared(self, one: int, other: int) -> int:
        """The innermost element around both."""
        a, b = self.elements[one], self.elements[other]
        while a.at != b.at:
            if a.depth >= b.depth:
                a = self.elements[a.parent]
            else:
                b = self.elements[b.parent]
        return a.at

    def ancestor_at(self, at: int, depth: int) -> int:
        element = self.elements[at]
        while element.depth > depth:
            element = self.elements[element.parent]
        return element.at

    def children(self, at: int) -> Iterator[Element]:
        end, child = self.elements[at].end, at + 1
        while child < end:
            yield self.elements[child]
            child = self.elements[child].end

    def within(self, at: int) -> list[Element]:
        return self.elements[at + 1 : self.elements[at].end]

    def text_of(self, element: Element, limit: int = 1_000) -> str:
        """The text of an element: its lines, or its part of the line it stands in."""
        found: list[str] = []
        size = 0
        for line in self.lines[element.first : max(element.last, element.first + 1)]:
            own = [p.text for p in line.pieces if element.at <= p.element < element.end]
            if own:
                found.append(line.text if len(own) == len(line.pieces) else " ".join(own))
                size += len(found[-1])
                if size > limit:
                    break
        return " ".join(found)[: 2 * limit]
