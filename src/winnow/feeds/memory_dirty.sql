-- Offers whose rows in the memory no longer tell what the database says: changed since by anybody, or priced by a run
-- that did not get as far as being remembered.
WITH memory AS (
    SELECT run_id, max(feed_row_memory.created_at) AS made_at, f.source_id
    FROM feed_row_memory JOIN affiliate_feeds f ON f.id = feed_id
    WHERE feed_id = %(feed_id)s GROUP BY run_id, f.source_id
)
SELECT o.id FROM source_products AS o, memory AS m WHERE o.updated_at > m.made_at AND o.source_id = m.source_id
UNION
SELECT p.source_product_id
FROM memory AS m
JOIN affiliate_feed_runs AS r ON r.feed_id = %(feed_id)s AND r.id > m.run_id
JOIN prices AS p ON p.affiliate_feed_run_id = r.id
