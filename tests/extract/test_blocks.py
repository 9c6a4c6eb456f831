"""The block of a page that a draft was read from (E-103)."""

from __future__ import annotations

from winnow.extract.draft import MAX_BLOCK, MAX_BLOCKS, Draft, Extracted, Failure, Reason, Strategy, Value, limit_blocks
from winnow.kinds.assess import completed


def test_e103_a_long_block_is_shortened() -> None:
    [draft] = limit_blocks([Draft("event", {}, "x" * (MAX_BLOCK + 1))])
    assert draft.block == "x" * MAX_BLOCK


def test_e103_the_blocks_of_a_page_have_a_limit_together() -> None:
    drafts = limit_blocks([Draft("event", {}, "x" * MAX_BLOCK)] * (MAX_BLOCKS // MAX_BLOCK + 3))
    assert sum(len(draft.block) for draft in drafts) == MAX_BLOCKS
    assert [draft.block for draft in drafts[-3:]] == ["", "", ""]


def test_e103_a_block_has_no_characters_that_cannot_be_stored() -> None:
    [draft] = limit_blocks([Draft("event", {}, "<li>\0</li>")])
    assert draft.block == "<li></li>"


def test_e103_a_completed_entry_keeps_the_block_of_its_detail_page() -> None:
    title = {"title": [Value("Jazz", Strategy.DOM, "h1")]}
    seed, own = Draft("event", title, "<li>"), Draft("event", title, "<main>")
    found = completed(Extracted([own], Strategy.DOM), seed)
    unread = completed(Failure(Reason.EMPTY_PAGE), seed)
    assert isinstance(found, Extracted)
    assert found.drafts[0].block == "<main>"
    assert isinstance(unread, Extracted)
    assert unread.drafts[0].block == "<li>"
