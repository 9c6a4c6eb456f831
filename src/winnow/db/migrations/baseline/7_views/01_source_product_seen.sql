-- Which offers a run saw, one row each, however often its file named them (F-028); offers that are gone are not shown.
CREATE VIEW source_product_seen AS
SELECT s.run_id, o.id AS source_product_id, min(s.created_at) AS created_at
FROM feed_run_seen s
CROSS JOIN LATERAL unnest(s.source_product_ids) AS seen (id)
JOIN source_products o ON o.id = seen.id
GROUP BY s.run_id, o.id;
