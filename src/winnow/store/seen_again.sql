-- Offers whose page has not changed since it was accepted: they are there (presence), and once a day the
-- history says so (heartbeat, F-044; DESIGN §11.17), so that an unchanged page looks healthy, not forgotten.
-- A URL may have had another offer earlier: the newest one counts.
-- A page that is there again is neither gone nor forbidden; whether it is sold out has not changed.
-- A listing has several offers: those of its target's last records.
WITH pages AS MATERIALIZED (
    SELECT * FROM unnest(%(source_id)b::bigint[], %(kind)b::text[], %(url_hash)b::text[], %(linked)b::bigint[],
                         %(listing)b::boolean[], %(target_id)b::bigint[], %(run_id)b::bigint[], %(task_id)b::uuid[],
                         %(page_id)b::uuid[])
         AS g (source_id, kind, url_hash, linked, listing, target_id, run_id, task_id, page_id)
),
same AS MATERIALIZED (
    SELECT DISTINCT ON (found.id) found.*,
           o.availability IS NULL OR (o.price_minor IS NOT NULL AND o.availability <> 'UNKNOWN') AS priced
    FROM (
        SELECT last.id, g.target_id, g.run_id, g.task_id, g.page_id
        FROM pages AS g
        CROSS JOIN LATERAL (
            SELECT p.id
            FROM (
                SELECT id FROM source_products WHERE id = g.linked
                UNION ALL
                SELECT id FROM source_products
                WHERE g.linked IS NULL AND source_id = g.source_id AND url_hash = g.url_hash::char(64)  -- as the column
            ) AS p
            LEFT JOIN source_product_presence AS s ON s.source_product_id = p.id  -- offers of feeds may have none
            ORDER BY s.last_seen_success_at DESC NULLS LAST
            LIMIT 1
        ) AS last
        WHERE NOT g.listing
        UNION ALL
        SELECT h.ref, g.target_id, g.run_id, g.task_id, g.page_id
        FROM pages AS g
        JOIN record_heads AS h ON h.target_id = g.target_id AND h.kind = g.kind AND h.verdict = 'accept'
        JOIN source_product_presence AS s ON s.source_product_id = h.ref
        WHERE g.listing
    ) AS found
    JOIN source_products AS o ON o.id = found.id
    ORDER BY found.id
),
present AS (
    UPDATE source_product_presence AS s
    SET last_seen_at = now(), last_seen_success_at = CASE WHEN same.priced THEN now() ELSE s.last_seen_success_at END, target_id = coalesce(same.target_id, s.target_id),
        unavailable_since = CASE WHEN s.unavailable_reason = 'sold_out' THEN s.unavailable_since END,
        unavailable_reason = CASE WHEN s.unavailable_reason = 'sold_out' THEN 'sold_out' END, updated_at = now()
    FROM same WHERE s.source_product_id = same.id
        AND NOT EXISTS (SELECT FROM source_products AS o WHERE o.id = same.id AND o.feed_run_id IS NOT NULL)  -- FN-18
)
INSERT INTO prices (source_product_id, amount_minor, currency, exponent, list_price_minor, shipping_minor, availability,
                    in_stock, observed_at, ingestion_run_type, ingestion_run_id, task_id, page_id)
SELECT l.source_product_id, l.amount_minor, l.currency, l.exponent, l.list_price_minor, l.shipping_minor, l.availability,
       l.in_stock, now(), 'SCRAPE', same.run_id, same.task_id, same.page_id
FROM same
JOIN latest_prices AS l ON l.source_product_id = same.id AND l.scraped
WHERE same.priced AND l.created_at <= now() - interval '24 hours'
