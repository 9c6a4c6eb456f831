-- Offers the run saw again that had left the feed's step: they are back in it (F-027).
UPDATE source_product_presence AS s
SET back_run_id = %(run_id)s, last_seen_at = now(), updated_at = now()
FROM (SELECT unnest(source_product_ids) AS id FROM feed_run_seen WHERE run_id = %(run_id)s) AS seen
WHERE s.source_product_id = seen.id AND s.left_by_run_id IS NOT NULL AND s.back_run_id IS NULL
