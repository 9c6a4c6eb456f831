-- The offers of a source before a load, in one pass over them. Those without a row of presence are in step since
-- `feed_run_id`: the next runs need only their numbers. `changed`: rows of the memory that no longer tell what the
-- database says, because somebody changed the offer since (feeds/read/memory.py).
SELECT o.feed_run_id, count(*) FILTER (WHERE s.source_product_id IS NULL) AS plain, count(s.source_product_id) AS apart,
       array_agg(o.id) FILTER (WHERE o.updated_at > %(made_at)s) AS changed
FROM source_products AS o
LEFT JOIN source_product_presence AS s ON s.source_product_id = o.id
WHERE o.source_id = %(source_id)s
GROUP BY o.feed_run_id
