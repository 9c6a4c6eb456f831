"""Words -> what PostgreSQL looks for: stems in every language of the catalogue, and words that a mistyped one may
mean."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.queries.search.words import Part, Words, edits, max_edits, swaps

MAX_CORRECTIONS = 3  # of one word
CANDIDATES = 50
# Share of the triples of letters that two words have in common. A short word with two letters swapped has none left.
LIKENESS, LIKENESS_OF_SHORT = 0.3, 0.2
SHORT = 6  # letters

# Steps from one language to the next along the index: a million documents speak a handful of them.
_LANGUAGES = text("""
WITH RECURSIVE spoken AS (
    (SELECT language FROM search_documents ORDER BY language LIMIT 1)
    UNION ALL
    SELECT (SELECT d.language FROM search_documents AS d WHERE d.language > s.language ORDER BY d.language LIMIT 1)
    FROM spoken AS s WHERE s.language IS NOT NULL
)
SELECT language FROM spoken WHERE language IS NOT NULL
""")
_STEMS = text("""
SELECT p.n, l.language, phraseto_tsquery(CAST(l.language AS regconfig), p.part)::text AS stems
FROM unnest(CAST(:parts AS text[])) WITH ORDINALITY AS p (part, n), unnest(CAST(:languages AS text[])) AS l (language)
""")
_ALIKE = text("""
(SELECT word FROM search_words WHERE word % :word ORDER BY similarity(word, :word) DESC, word LIMIT :candidates)
UNION
SELECT word FROM search_words WHERE word = ANY(CAST(:swapped AS text[]))
""")
_KNOWN = text("SELECT word FROM search_words WHERE word = ANY(CAST(:words AS text[]))")


async def languages(conn: AsyncConnection) -> list[str]:
    """Of the documents, as text search calls them; English in an empty catalogue (C-053)."""
    return [row.language for row in await conn.execute(_LANGUAGES)] or ["english"]


async def tsquery(conn: AsyncConnection, words: Words, known: list[str], corrected: dict[str, list[str]]) -> str | None:
    """In the syntax of tsquery; None when there is nothing to look for. A word that is a stop word in any of the
    languages is not insisted on, unless there is no other."""
    instead = {part.text: corrected.get(part.text, [part.text]) for part in words.wanted}
    texts = sorted({spelling for texts in instead.values() for spelling in texts} | {p.text for p in words.unwanted})
    stems = await _stems(conn, texts, sorted({*known, "simple"}))
    wanted = [_either(stems, instead[part.text], strict=True) for part in words.wanted]
    if not any(wanted):
        wanted = [_either(stems, instead[part.text], strict=False) for part in words.wanted]
    kept = [query for query in wanted if query]
    if not kept:
        return None
    unwanted = [f"!{query}" for part in words.unwanted if (query := _either(stems, [part.text], strict=False))]
    return " & ".join([*kept, *unwanted])


async def insisted(conn: AsyncConnection, words: Words, known: list[str]) -> list[Part]:
    """The parts that have to be there: those that are a stop word in none of the languages, or else all of them."""
    texts = sorted({part.text for part in words.wanted})
    stems = await _stems(conn, texts, sorted({*known, "simple"}))
    return [part for part in words.wanted if all(stems.get(part.text, []))] or words.wanted


async def _stems(conn: AsyncConnection, texts: list[str], known: list[str]) -> dict[str, list[str]]:
    """The stems of each text in each language; '' where it is a stop word."""
    found = await conn.execute(_STEMS, {"parts": texts, "languages": known})
    stems: dict[str, list[str]] = {}
    for row in found:
        stems.setdefault(texts[row.n - 1], []).append(row.stems)
    return stems


def _either(stems: dict[str, list[str]], texts: list[str], *, strict: bool) -> str:
    """'' when there is nothing, or, if strict, when it is a stop word somewhere."""
    forms = [form for spelling in texts for form in stems.get(spelling, [])]
    if strict and not all(forms):
        return ""
    kept = sorted({form for form in forms if form})
    return f"({' | '.join(f'({form})' for form in kept)})" if kept else ""


async def corrections(conn: AsyncConnection, words: Words) -> dict[str, list[str]]:
    """For each word that no name has, the words of names that differ by a letter or two."""
    doubtful = [part for part in words.wanted if part.may_be_mistyped]
    lowered = {part.text.lower() for part in doubtful}
    known = {row.word for row in await conn.execute(_KNOWN, {"words": sorted(lowered)})}
    found: dict[str, list[str]] = {}
    for part in doubtful:
        if part.text.lower() not in known and (instead := await _alike(conn, part)):
            found[part.text] = instead
    return found


async def _alike(conn: AsyncConnection, part: Part) -> list[str]:
    word = part.text.lower()
    likeness = LIKENESS_OF_SHORT if len(word) <= SHORT else LIKENESS
    await conn.execute(text(f"SET LOCAL pg_trgm.similarity_threshold = {likeness}"))
    rows = await conn.execute(_ALIKE, {"word": word, "swapped": swaps(word), "candidates": CANDIDATES})
    near = sorted((distance, row.word) for row in rows if (distance := edits(word, row.word)) <= max_edits(word))
    return [spelling for distance, spelling in near if distance == near[0][0]][:MAX_CORRECTIONS]
