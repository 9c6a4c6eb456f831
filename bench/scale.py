"""A database as large as a busy year's: 100 000 targets, 5 000 000 prices, 1 000 runs, and what hangs on them.

Made by one statement per table. Half of the targets belong to one source and one offer has a history of thousands,
because lists that are fast on even data are slow on data like that.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import psycopg

from bench import harness


@dataclass(frozen=True, slots=True)
class Scale:
    sources: int
    targets: int
    rounds: int  # prices of each offer
    long_history: int  # prices of the first offer
    runs: int
    tasks_per_run: int
    held: int
    audited: int

    @property
    def prices(self) -> int:
        return self.targets * self.rounds + self.long_history


FULL = Scale(sources=500, targets=100_000, rounds=50, long_history=20_000, runs=1_000, tasks_per_run=200,
             held=50_000, audited=500_000)  # fmt: skip
QUICK = Scale(sources=50, targets=5_000, rounds=20, long_history=2_000, runs=100, tasks_per_run=50,
              held=1_000, audited=5_000)  # fmt: skip

_UUID = "lpad(to_hex({}), 32, '0')::uuid"
# Every second target is of the first source.
_SOURCE = "CASE WHEN n %% 2 = 0 THEN 1 ELSE 1 + (n / 2) %% %(sources)s END"

FILL = {
    "retailers": """
INSERT INTO retailers (name, domain) SELECT 'Shop ' || n, 'shop-' || n || '.test' FROM generate_series(1, %(sources)s) n
""",
    "sources": """
INSERT INTO sources (name, url, domain, retailer_id, schedule)
SELECT r.name, 'https://' || r.domain || '/', r.domain, r.id, '0 */4 * * *'
FROM retailers r ORDER BY r.id
""",
    "trust": "UPDATE source_trust_config SET visibility_status = 'ELIGIBLE' WHERE source_id %% 2 = 1",
    "lanes": """
INSERT INTO lanes (lane, limits_from) SELECT domain, '{"tokens": "platform"}' FROM sources
""",
    "robots": """
INSERT INTO robots (origin, domain, state, body, status_code, fetched_at, expires_at)
SELECT 'https://' || domain, domain, 'rules', convert_to(E'User-agent: *\nDisallow: /cart\nCrawl-delay: 2', 'UTF8'),
       200, now(), now() + interval '1 day' FROM sources
""",
    "offers": f"""
INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash, domain, brand, category,
                             sku)
SELECT s.id, 'SKU', 'A' || n, 'Widget ' || n || ' of the ' || (ARRAY['red','green','blue','black'])[1 + n %% 4] ||
       ' series', 'https://' || s.domain || '/p/' || n, encode(sha256(n::text::bytea), 'hex'), s.domain,
       'Brand ' || n %% 200, 'Category ' || n %% 40, 'A' || n
FROM generate_series(1, %(targets)s) AS n JOIN sources s ON s.id = {_SOURCE} ORDER BY n
""",
    "targets": """
INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id, source_product_id, schedule,
                            next_crawl_at, priority, status, last_scraped_at, last_status, last_verdict)
SELECT o.url, o.url, o.url_hash, o.domain, o.source_id, 'generic', o.id, '0 */4 * * *',
       now() + (o.id %% 14400) * interval '1 second', o.id %% 5,
       CASE WHEN o.id %% 100 = 0 THEN 'BROKEN' WHEN o.id %% 100 = 1 THEN 'PAUSED' ELSE 'ACTIVE' END,
       now() - (o.id %% 14400) * interval '1 second', 'ok', 'accept'
FROM source_products o ORDER BY o.id
""",
    # As they arrive: all offers once, then all of them again.
    "prices": """
INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, created_at,
                    ingestion_run_type, ingestion_run_id)
SELECT o, 1000 + (o * 7 + at * 13) %% 5000, 'USD', CASE WHEN (o + at) %% 9 = 0 THEN 'OUT_OF_STOCK' ELSE 'IN_STOCK' END,
       (o + at) %% 9 <> 0, moment, moment, 'SCRAPE', 1 + (at * 20 + o %% 20) %% %(runs)s
FROM generate_series(1, %(rounds)s) AS at, generate_series(1, %(targets)s) AS o,
     LATERAL (SELECT now() - (%(rounds)s - at) * interval '12 hours' - (o %% 3600) * interval '1 second' AS moment) AS m
""",
    "a long history": """
INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, created_at,
                    ingestion_run_type)
SELECT 1, 1000 + (at * 13) %% 500, 'USD', 'IN_STOCK', true, moment, moment, 'SCRAPE'
FROM generate_series(1, %(long_history)s) AS at,
     LATERAL (SELECT now() - (%(long_history)s - at) * interval '15 minutes' - interval '40 days' AS moment) AS m
""",
    "latest prices": """
INSERT INTO latest_prices (source_product_id, scraped, price_id, created_at, amount_minor, currency, availability,
                           in_stock, observed_at, ingestion_run_type)
SELECT DISTINCT ON (source_product_id) source_product_id, true, id, created_at, amount_minor, currency, availability,
       in_stock, observed_at, ingestion_run_type
FROM prices ORDER BY source_product_id, created_at DESC, id DESC
""",
    "presence": """
INSERT INTO source_product_presence (source_product_id, last_seen_at, last_seen_success_at)
SELECT id, now(), now() FROM source_products
""",
    "search documents": """
INSERT INTO search_documents (product_id, source_id, product_name, brand, category, domain_name, created_at, language,
                              codes, document)
SELECT id, source_id, title, brand, category, domain, created_at, 'english', ARRAY[sku],
       search_document('english', concat_ws(' ', title, brand), NULL)
FROM source_products
""",
    "products": """
INSERT INTO products (name, brand, gtin) SELECT 'Widget ' || n, 'Brand ' || n %% 200, lpad(n::text, 14, '0')
FROM generate_series(1, %(targets)s / 2) AS n
""",
    "product links": """
INSERT INTO product_links (source_product_id, product_id, method, evidence)
SELECT id, 1 + (id - 1) %% (%(targets)s / 2), 'gtin', 'the same GTIN' FROM source_products
""",
    "runs": """
INSERT INTO scrape_runs (adapter_id, adapter_version, source_id, retailer_id, status, started_at, completed_at,
                         duration_ms, urls_planned, urls_attempted, urls_succeeded, urls_failed, offers_extracted,
                         offers_valid, failure_rate, yield_rate, drift_checked_at)
SELECT 'generic', '1.0.0', s.id, s.retailer_id, CASE WHEN n %% 50 = 0 THEN 'FAILED' ELSE 'SUCCESS' END, began,
       began + interval '20 minutes', 1200000, %(tasks_per_run)s, %(tasks_per_run)s, %(tasks_per_run)s - n %% 7, n %% 7,
       %(tasks_per_run)s, %(tasks_per_run)s - n %% 5, (n %% 7)::numeric / %(tasks_per_run)s, 0.9, now()
FROM generate_series(1, %(runs)s) AS n
JOIN sources s ON s.id = 1 + n %% %(sources)s,
LATERAL (SELECT now() - (%(runs)s - n) * interval '40 minutes' - interval '1 hour' AS began) AS b
ORDER BY n
""",
    "finished tasks": f"""
INSERT INTO task_archive (id, producer, lane, url, status, stage, source_id, target_id, run_id, adapter_id, outcome,
                          page_id, created_at, started_at, finished_at)
SELECT {_UUID.format("n")}, 'prices', t.domain, t.url, CASE WHEN n %% 50 = 0 THEN 'failed' ELSE 'done' END, 'done',
       t.source_id, t.id, r.id, 'generic', CASE WHEN n %% 50 = 0 THEN 'timeout' ELSE 'ok' END, {_UUID.format("n")},
       r.started_at, r.started_at, r.completed_at
FROM generate_series(0, %(runs)s * %(tasks_per_run)s - 1) AS n
JOIN scrape_runs r ON r.id = 1 + n / %(tasks_per_run)s JOIN scrape_targets t ON t.id = 1 + n %% %(targets)s
""",
    "pages": """
INSERT INTO pages (id, task_id, source_id, target_id, url, final_url, outcome, status_code, fetch_duration_ms,
                   content_hash, body_bytes, stored_bytes, created_at)
SELECT id, id, source_id, target_id, url, url, 'ok', 200, 120, encode(sha256(id::text::bytea), 'hex'), 80000, 16000,
       finished_at FROM task_archive
""",
    "records": """
INSERT INTO records (task_id, run_id, source_id, target_id, page_id, kind, record_key, payload, adapter_id, verdict,
                     status, observed_at)
SELECT id, run_id, source_id, target_id, id, 'offer', 'ID:' || target_id, '{"title": "Widget"}', 'generic', 'accept',
       'persisted', finished_at FROM task_archive
""",
    "waiting tasks": f"""
INSERT INTO tasks (id, producer, lane, url, source_id, target_id, adapter_id, due_at)
SELECT {_UUID.format("10000000 + t.id")}, 'prices', t.domain, t.url, t.source_id, t.id, 'generic', 'infinity'
FROM scrape_targets t WHERE t.id <= %(targets)s / 10
""",
    "quarantine": f"""
INSERT INTO quarantine (task_id, run_id, target_id, source_id, adapter_id, adapter_version, reason, payload, created_at,
                        resolution, resolved_at, resolved_by)
SELECT {_UUID.format("n")}, 1 + n %% %(runs)s, t.id, t.source_id, 'generic', '1.0.0',
       (ARRAY['AMBIGUOUS_PRICE','IMPLAUSIBLE_PRICE','DRIFT_DETECTED'])[1 + n %% 3],
       jsonb_build_object('title', 'Widget ' || t.id, 'url', t.url, 'availability', 'IN_STOCK',
           'price', jsonb_build_object('minor', 1000 + n %% 500, 'currency', 'USD'),
           'identity', jsonb_build_object('type', 'SKU', 'value', 'A' || t.id)),
       now() - n * interval '1 minute', done.how, done.at, done.who
FROM generate_series(0, %(held)s - 1) AS n JOIN scrape_targets t ON t.id = 1 + n %% %(targets)s,
LATERAL (SELECT CASE WHEN n %% 4 > 0 THEN 'accept' END, CASE WHEN n %% 4 > 0 THEN now() END,
                CASE WHEN n %% 4 > 0 THEN 'someone' END) AS done (how, at, who)
""",
    "dead letters": """
INSERT INTO dead_letters (task_id, source_id, run_id, stage, error_type, error_message, payload, status, created_at)
SELECT id, source_id, run_id, 'fetch', 'timeout', 'no answer in 30 s', '{}',
       CASE WHEN run_id %% 2 = 0 THEN 'pending' ELSE 'resolved' END, finished_at
FROM task_archive WHERE status = 'failed'
""",
    "audit": """
INSERT INTO audit_log (at, actor, action, object_type, object_id, before, after)
SELECT now() - n * interval '1 minute', CASE WHEN n %% 3 = 0 THEN 'ada' ELSE 'api:key-' || n %% 7 END,
       (ARRAY['target.updated','source.updated','quarantine.accepted','domain.paused'])[1 + n %% 4], 'target',
       (1 + n %% %(targets)s)::text, '{"priority": 0}', '{"priority": 1}'
FROM generate_series(0, %(audited)s - 1) AS n
""",
    "endpoint": "INSERT INTO webhook_endpoints (name, url) VALUES ('receiver', 'https://receiver.test/')",
    "deliveries": f"""
INSERT INTO deliveries (message_id, endpoint_id, receiver, key, url, topic, payload, status, delivered_at, created_at)
SELECT {_UUID.format("20000000 + n")}, 1, 'receiver', n::text, 'https://receiver.test/', 'price.changed', '{{}}',
       CASE WHEN n %% 10 = 0 THEN 'dead' ELSE 'delivered' END, CASE WHEN n %% 10 > 0 THEN now() END,
       now() - n * interval '1 minute'
FROM generate_series(0, %(audited)s / 5 - 1) AS n
""",
    "alerts": """
INSERT INTO alerts (severity, code, dedupe_key, title, opened_at, resolved_at, resolved_by)
SELECT (ARRAY['P1','P2','P3'])[1 + n %% 3], 'drift', 'drift:' || n, 'Adapter drifts', now() - n * interval '1 hour',
       CASE WHEN n %% 20 > 0 THEN now() END, CASE WHEN n %% 20 > 0 THEN 'someone' END
FROM generate_series(1, 5000) AS n
""",
    "watches": """
INSERT INTO watches (target_id, condition, drop_percent) SELECT id, 'price_drop', 10 FROM scrape_targets
WHERE id <= %(targets)s / 10
""",
    "insights": """
INSERT INTO insights (source_id, task_id, run_id, kind, winning_strategy, created_at)
SELECT source_id, id, run_id, 'offer', 'json_ld', finished_at FROM task_archive
""",
    "adapter standing": """
INSERT INTO scrape_adapter_status (adapter_id, baseline_failure_rate, baseline_yield_rate, baseline_sample_size)
SELECT 'generic@' || id, 0.02, 0.95, 1000 FROM sources
""",
}


async def fill(conn: psycopg.AsyncConnection[Any], scale: Scale) -> None:
    """On a connection in autocommit. `latest_prices` is filled by its own statement, which the server is told."""
    await conn.execute("SET winnow.latest_by_writer = 'on'")
    cursor = psycopg.AsyncClientCursor(conn)  # writes the numbers as literals: bound ones would be smallint
    for name, statement in FILL.items():
        await cursor.execute(statement, asdict(scale))
        harness.say(f"  {name:<18}{cursor.rowcount:>12,} rows")
    await conn.execute("VACUUM ANALYZE")
