-- The offer is there: seen now, and successfully (F-026; a scraped offer needs no promotion).
INSERT INTO source_product_presence AS s (source_product_id, last_seen_at, last_seen_success_at)
SELECT id, now(), now() FROM unnest(%s::bigint[]) AS id ORDER BY id
ON CONFLICT (source_product_id) DO UPDATE
SET last_seen_at = excluded.last_seen_at, last_seen_success_at = excluded.last_seen_success_at, updated_at = now()
