-- Offers whose page or server stated that they cannot be had: sold out, gone, or forbidden to read (DESIGN §11.33). The
-- offer is the one its target refreshes, else that of the record's identity, else the one seen last at the page's URL.
-- The first statement sets the time, the newest the reason. Returns the changed ones with what they were before.
WITH stated AS MATERIALIZED (
    SELECT DISTINCT ON (p.id) p.id, g.target_id, g.reason
    FROM unnest(%(source_id)b::bigint[], %(target_id)b::bigint[], %(linked)b::bigint[], %(identity_key)b::text[],
                %(url_hash)b::text[], %(reason)b::text[])
         AS g (source_id, target_id, linked, identity_key, url_hash, reason)
    CROSS JOIN LATERAL (
        SELECT o.id
        FROM (
            SELECT id, 1 AS rank FROM source_products WHERE id = g.linked
            UNION ALL
            SELECT id, 2 FROM source_products
            WHERE g.linked IS NULL AND source_id = g.source_id AND identity_key = g.identity_key
            UNION ALL
            SELECT id, 3 FROM source_products
            WHERE g.linked IS NULL AND source_id = g.source_id AND url_hash = g.url_hash::char(64)  -- as the column
        ) AS o
        JOIN source_product_presence AS s ON s.source_product_id = o.id
        ORDER BY o.rank, s.last_seen_success_at DESC NULLS LAST
        LIMIT 1
    ) AS p
    ORDER BY p.id
),
before AS MATERIALIZED (
    SELECT s.source_product_id AS id, stated.target_id, stated.reason, s.unavailable_reason AS reason_before
    FROM stated JOIN source_product_presence AS s ON s.source_product_id = stated.id
    ORDER BY s.source_product_id
    FOR UPDATE OF s
),
changed AS (
    UPDATE source_product_presence AS s
    SET unavailable_since = coalesce(s.unavailable_since, now()), unavailable_reason = b.reason, updated_at = now()
    FROM before AS b
    WHERE s.source_product_id = b.id AND b.reason IS DISTINCT FROM b.reason_before
    RETURNING s.source_product_id AS id, b.target_id, b.reason
)
SELECT o.id AS product_id, c.target_id, o.title, o.url, l.amount_minor, l.currency,
       current_availability(l.availability, b.reason_before, NULL) AS availability_before,
       current_availability(l.availability, c.reason, NULL) AS availability, now() AS observed_at
FROM changed AS c
JOIN before AS b USING (id)
JOIN source_products AS o USING (id)
JOIN latest_prices AS l ON l.source_product_id = o.id AND l.scraped
ORDER BY o.id
