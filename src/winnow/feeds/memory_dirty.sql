-- Offers whose rows in the memory no longer tell what the database says: changed since by anybody, or priced by a run
-- that did not get as far as being remembered.
SELECT id FROM source_products WHERE source_id = %(source_id)s AND updated_at > %(made_at)s
UNION
SELECT source_product_id FROM prices
WHERE affiliate_feed_run_id = ANY (ARRAY(
    SELECT id FROM affiliate_feed_runs WHERE feed_id = %(feed_id)s AND id > %(run_id)s))
