"""A catalogue to be searched: a million offers of 500 shops in two languages, whose words come as often as words do.

The words are made up, and the n-th comes about as often as the n-th of a language: the first is in most descriptions,
half of them in one of a thousand. Each offer has a price, was seen, and has a target; every second shop is shown to
consumers.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import psycopg

from bench import harness


@dataclass(frozen=True, slots=True)
class SearchScale:
    sources: int
    offers: int
    words: int


FULL = SearchScale(sources=500, offers=1_000_000, words=20_000)
QUICK = SearchScale(sources=50, offers=20_000, words=5_000)

SYLLABLES = "ka lo ti ren mo vis sal per du fin gor lan bek zu ner pol tam ria"
_SYLLABLES = f"string_to_array('{SYLLABLES}', ' ')"

FILL = {
    "a writer": f"""
CREATE FUNCTION bench_word(n integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ({_SYLLABLES})[1 + n %% 18] || ({_SYLLABLES})[1 + n / 18 %% 18] || ({_SYLLABLES})[1 + n / 324 %% 18]
    || ({_SYLLABLES})[1 + n / 5832 %% 18]
""",
    "phrases": """
CREATE FUNCTION bench_phrase(seed bigint, length integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT string_agg(bench_word((%(words)s * power((hashint8extended(seed * 100 + k, 7) & 1048575) / 1048576.0::float8, 3)
    )::int), ' ')
FROM generate_series(1, length) AS k
$$
""",
    # Texts are put together from pieces: writing each of them would take half an hour.
    "pieces": """
CREATE TABLE bench_pieces AS
SELECT n, bench_phrase(n, 2) AS name, bench_phrase(n + 1000000, 10) AS text FROM generate_series(0, 19996) AS n
""",
    "their key": "ALTER TABLE bench_pieces ADD PRIMARY KEY (n)",
    "retailers": """
INSERT INTO retailers (name, domain)
SELECT 'Shop ' || n, 'shop-' || n || CASE WHEN n %% 5 = 0 THEN '.nl' ELSE '.com' END
FROM generate_series(1, %(sources)s) n
""",
    "sources": """
INSERT INTO sources (name, url, domain, retailer_id) SELECT name, 'https://' || domain || '/', domain, id
FROM retailers ORDER BY id
""",
    "trust": "UPDATE source_trust_config SET visibility_status = 'ELIGIBLE' WHERE source_id %% 2 = 1",
    "offers": """
INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash, domain, brand, category,
                             sku, description, rating, created_at)
SELECT s.id, 'SKU', 'A' || g.n, initcap(a.name || ' ' || b.name) || ' ' || g.n %% 977,
       'https://' || s.domain || '/p/' || g.n,
       encode(sha256(g.n::text::bytea), 'hex'), s.domain,
       'Brand ' || (power(g.n %% 9973 / 9973.0::float8, 2) * 2000)::int,
       'Category ' || (power(g.n %% 7919 / 7919.0::float8, 2) * 400)::int, 'A' || g.n,
       a.text || ' ' || b.text || ' ' || c.text,
       (g.n %% 41) / 10.0 + 1, now() - g.n * interval '20 seconds'
FROM (SELECT generate_series(1, %(offers)s) AS n) AS g
JOIN bench_pieces a ON a.n = g.n * 31 %% 19997 JOIN bench_pieces b ON b.n = (g.n / 19997 * 379 + g.n) %% 19997
JOIN bench_pieces c ON c.n = g.n * 131 %% 19997
JOIN sources s ON s.id = 1 + (power(g.n %% 1009 / 1009.0::float8, 2) * (%(sources)s - 1))::int ORDER BY g.n
""",
    "prices": """
INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, ingestion_run_type)
SELECT id, 100 + (power(id %% 4999 / 4999.0::float8, 3) * 200000)::int, CASE WHEN id %% 5 = 0 THEN 'EUR' ELSE 'USD' END,
       CASE WHEN id %% 6 = 0 THEN 'OUT_OF_STOCK' ELSE 'IN_STOCK' END, id %% 6 <> 0, now(), 'SCRAPE'
FROM source_products ORDER BY id
""",
    "latest prices": """
INSERT INTO latest_prices (source_product_id, scraped, price_id, created_at, amount_minor, currency, availability,
                           in_stock, observed_at, ingestion_run_type)
SELECT source_product_id, true, id, created_at, amount_minor, currency, availability, in_stock, observed_at,
       ingestion_run_type
FROM prices ORDER BY source_product_id
""",
    "targets": """
INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, source_product_id, schedule,
                            next_crawl_at, priority, status, last_scraped_at, last_status, last_verdict, expected_every)
SELECT o.url, o.url, o.url_hash, o.domain, o.source_id, 'generic', o.id, '0 */4 * * *',
       now() + (o.id %% 14400) * interval '1 second', o.id %% 5,
       CASE WHEN o.id %% 100 = 0 THEN 'BROKEN' WHEN o.id %% 100 = 1 THEN 'PAUSED' ELSE 'ACTIVE' END,
       now(), 'ok', 'accept', interval '4 hours'
FROM source_products o ORDER BY o.id
""",
    "presence": """
INSERT INTO source_product_presence (source_product_id, last_seen_at, last_seen_success_at, target_id)
SELECT o.id, now(), now(), t.id FROM source_products o JOIN scrape_targets t ON t.source_product_id = o.id
""",
    "domains": """
INSERT INTO domains (domain_name, base_url) SELECT domain, 'https://' || domain FROM sources ON CONFLICT DO NOTHING
""",
}


async def fill(conn: psycopg.AsyncConnection[Any], scale: SearchScale) -> None:
    """On a connection in autocommit. What triggers would note a million times is left out."""
    await conn.execute("SET winnow.latest_by_writer = 'on'")
    await conn.execute("ALTER TABLE source_product_presence DISABLE TRIGGER search_presence_added")
    cursor = psycopg.AsyncClientCursor(conn)  # writes the numbers as literals: bound ones would be smallint
    for name, statement in FILL.items():
        await cursor.execute(statement, asdict(scale))
        harness.say(f"  {name:<18}{cursor.rowcount:>12,} rows")
    await conn.execute("ALTER TABLE source_product_presence ENABLE TRIGGER search_presence_added")
    await conn.execute("VACUUM ANALYZE")
