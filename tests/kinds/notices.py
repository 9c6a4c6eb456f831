"""A kind of its own in one module, as a plugin package would have it: notices of a board, with their own table.

`<li id="n1" data-day="2026-05-01">text</li>`; a text with "?" is held, an empty one rejected.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.db.engine import Connection
from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extracted, Extraction, Failure, Reason, Strategy, Value
from winnow.extract.page import Page
from winnow.judge.verdict import Decision, Finding, Hold, Reject, Verdict
from winnow.kinds.kind import Kind
from winnow.kinds.writers.writer import Item, Stored, Writer

TABLE = """
CREATE TABLE notices (source_id bigint, key text, text text CHECK (length(text) < 80), PRIMARY KEY (source_id, key))
"""
WRITE = """
INSERT INTO notices SELECT * FROM unnest(%(source_id)s::bigint[], %(key)s::text[], %(text)s::text[])
ON CONFLICT (source_id, key) DO UPDATE SET text = excluded.text
"""


class Notice(msgspec.Struct, frozen=True):
    id: str
    text: str


def read(page: Page, ctx: Context) -> Extraction:
    tree = LexborHTMLParser(page.text())
    items = [(li.attributes.get("id") or "", li.text(strip=True), li.html or "") for li in tree.css("li.notice")]
    drafts = [Draft("notice", {"id": [_value(key)], "text": [_value(text)]}, block) for key, text, block in items]
    if not drafts and (empty := tree.css_first("p.nothing")):
        return Extracted([], Strategy.DOM, empty=empty.text())
    return Extracted(drafts, Strategy.DOM) if drafts else Failure(Reason.SELECTOR_NOT_FOUND, "li.notice")


def _value(raw: str) -> Value:
    return Value(raw, Strategy.DOM, "li")


def normalise(draft: Draft, ctx: Context) -> Notice:
    text = draft.values["text"][0].raw
    while text == "hang":  # for ever
        pass
    return Notice(draft.values["id"][0].raw, str(1 / 0) if text == "boom" else text)


def judge(notice: Notice, draft: Draft, ctx: Context) -> Verdict:
    if not notice.text:
        return Verdict(Decision.REJECT, [Finding("text", Reject.MISSING_REQUIRED_FIELD, "text")])
    held = [Finding("text", Hold.VALIDATION_FAILED, "is it a question?")] if "?" in notice.text else []
    return Verdict(Decision.HOLD if held else Decision.ACCEPT, held)


class NoticesWriter(Writer):
    async def write(self, conn: Connection, items: Sequence[Item]) -> list[Stored]:
        notices = {(item.visit.source_id, item.judged.key): item.judged.decode(Notice) for item in items}
        given = {"source_id": [s for s, _ in notices], "key": [k for _, k in notices]}
        await conn.execute(WRITE, given | {"text": [notice.text for notice in notices.values()]})
        return [Stored(item) for item in items]


NOTICE = Kind(
    name="notice",
    version="1.0.0",
    fields=("id", "text"),
    read=read,
    normalise=normalise,
    judge=judge,
    key=lambda notice, ctx: notice.id,
    writer="tests.kinds.notices:NoticesWriter",
)
