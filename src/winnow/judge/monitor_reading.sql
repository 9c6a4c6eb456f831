-- What a finished run brought: counters of the run, and how complete and how dear what it saw is.
WITH run AS (
    SELECT r.id, r.source_id, s.name, s.kind, r.started_at, r.offers_valid, r.offers_quarantined,
           greatest(r.urls_planned - r.links_queued, 1) AS starts
    FROM scrape_runs r JOIN sources s ON s.id = r.source_id
    WHERE r.id = %(run_id)s
),
-- What was read of each offer last; the offer itself keeps a value that its page no longer says.
offers AS (
    SELECT r.payload, l.amount_minor, l.currency, l.exponent
    FROM run
    JOIN record_heads h ON h.source_id = run.source_id AND h.kind IN ('offer', 'product') AND h.verdict = 'accept'
    JOIN source_product_presence q ON q.source_product_id = h.ref AND q.last_seen_at >= run.started_at
    JOIN records r ON r.id = h.record_id
    LEFT JOIN latest_prices l ON l.source_product_id = h.ref AND l.scraped
),
money AS (
    SELECT currency, max(exponent) AS exponent,
           percentile_disc(0.5) WITHIN GROUP (ORDER BY amount_minor) AS price_median
    FROM offers WHERE currency IS NOT NULL GROUP BY currency ORDER BY count(*) DESC, currency LIMIT 1
),
listed AS (
    SELECT e.* FROM run JOIN events e ON e.last_seen_run_id = run.id AND e.source_id = run.source_id
    WHERE run.kind = 'event'
),
complete AS (
    SELECT count(*) AS seen, jsonb_build_object(
        'brand', avg((coalesce(payload ->> 'brand', '') <> '')::int),
        'image', avg((coalesce(payload ->> 'image_url', '') <> '')::int),
        'sku', avg((coalesce(payload ->> 'sku', '') <> '')::int),
        'gtin', avg((coalesce(payload ->> 'gtin', '') <> '')::int),
        'description', avg((coalesce(payload ->> 'description', '') <> '')::int),
        'category', avg((coalesce(payload ->> 'category', '') <> '')::int),
        'list_price', avg((jsonb_typeof(coalesce(payload -> 'list_price', 'null')) <> 'null')::int)) AS coverage
    FROM offers HAVING count(*) > 0
    UNION ALL
    SELECT count(*), jsonb_build_object(
        'description', avg((description <> '')::int),
        'hour', avg((event_time <> 'TBD')::int),
        'end', avg((ends_at IS NOT NULL)::int),
        'place', avg((latitude IS NOT NULL)::int),
        'price', avg((price_low_minor IS NOT NULL)::int),
        'image', avg((coalesce(image_url, '') <> '')::int),
        'url', avg((coalesce(url, '') <> '')::int))
    FROM listed HAVING count(*) > 0
)
SELECT run.id AS run_id, run.source_id, run.name AS source_name, run.kind, now() AS taken_at, run.starts,
       run.offers_valid AS items, run.offers_quarantined AS held, coalesce(complete.seen, 0) AS seen,
       coalesce(complete.coverage, '{}') AS coverage, money.price_median, money.currency, money.exponent
FROM run LEFT JOIN complete ON true LEFT JOIN money ON true
