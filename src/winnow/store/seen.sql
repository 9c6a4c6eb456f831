-- The offer is there: seen now, and successfully (F-026; a scraped offer needs no promotion). One that was read from an
-- older page was seen when that was fetched (E-043). A page that says sold out beside its price says so here too, since
-- it said so first. A page that says no price confirms none; anything else makes the offer available again (DESIGN §11.33).
INSERT INTO source_product_presence AS s (source_product_id, last_seen_at, last_seen_success_at, target_id,
                                          unavailable_since, unavailable_reason)
SELECT id, coalesce(at, now()), CASE WHEN priced THEN coalesce(at, now()) END, target_id,
       CASE WHEN sold_out THEN coalesce(at, now()) END, CASE WHEN sold_out THEN 'sold_out' END
FROM unnest(%(id)b::bigint[], %(at)b::timestamptz[], %(target_id)b::bigint[], %(sold_out)b::boolean[],
            %(priced)b::boolean[]) AS g (id, at, target_id, sold_out, priced)
-- Offers of feeds follow their feed alone (FN-18): a visit keeps none alive that its feed dropped, or that waits.
WHERE NOT EXISTS (SELECT FROM source_products AS o WHERE o.id = g.id AND o.feed_run_id IS NOT NULL)
ORDER BY id
ON CONFLICT (source_product_id) DO UPDATE
SET last_seen_at = greatest(s.last_seen_at, excluded.last_seen_at),
    last_seen_success_at = greatest(s.last_seen_success_at, excluded.last_seen_success_at),
    target_id = coalesce(excluded.target_id, s.target_id),
    unavailable_since = CASE WHEN excluded.unavailable_reason IS NOT NULL
                             THEN coalesce(s.unavailable_since, excluded.unavailable_since) END,
    unavailable_reason = excluded.unavailable_reason, updated_at = now()
