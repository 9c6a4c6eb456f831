"""The text of a page without its scripts, made on demand and at most once."""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

_UNSEEN = ["script", "style", "noscript", "template"]


class VisibleText:
    def __init__(self, tree: LexborHTMLParser) -> None:
        self._tree = tree
        self._text: str | None = None

    def __str__(self) -> str:
        if self._text is None:
            copy = _copied(self._tree)
            copy.strip_tags(_UNSEEN)
            self._text = copy.body.text(deep=True, separator=" ", skip_empty=True) if copy.body else ""
        return self._text


def _copied(tree: LexborHTMLParser) -> LexborHTMLParser:
    """Lexbor cannot clone every document it can parse ("Can't create a new document", seen on real pages)."""
    try:
        return tree.clone()
    except SelectolaxError:
        return LexborHTMLParser(tree.html or "")
