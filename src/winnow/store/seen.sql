-- The offer is there: seen now, and successfully (F-026; a scraped offer needs no promotion). One that was read from an
-- older page was seen when that was fetched (E-043).
INSERT INTO source_product_presence AS s (source_product_id, last_seen_at, last_seen_success_at)
SELECT id, coalesce(at, now()), coalesce(at, now()) FROM unnest(%s::bigint[], %s::timestamptz[]) AS g (id, at) ORDER BY id
ON CONFLICT (source_product_id) DO UPDATE
SET last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
    last_seen_success_at = greatest(s.last_seen_success_at, excluded.last_seen_success_at), updated_at = now()
