-- One observation per offer and run (PN-12): the offer rows are locked, so what this statement does not see
-- yet cannot be written meanwhile. A week bounds the look-back; no run lasts longer than a day (P-071).
INSERT INTO prices (source_product_id, amount_minor, currency, exponent, list_price_minor, shipping_minor, availability,
                    in_stock, observed_at, ingestion_run_type, ingestion_run_id, task_id, page_id)
SELECT g.product_id, g.amount, g.currency, g.exponent, g.list_price, g.shipping, g.availability,
       g.availability = 'IN_STOCK', g.observed_at, 'SCRAPE', g.run_id, g.task_id, g.page_id
FROM unnest(
    %(product_id)b::bigint[], %(amount)b::bigint[], %(currency)b::text[], %(exponent)b::smallint[],
    %(list_price)b::bigint[], %(shipping)b::bigint[], %(availability)b::text[], %(observed_at)b::timestamptz[],
    %(run_id)b::bigint[], %(task_id)b::uuid[], %(page_id)b::uuid[]
) AS g (product_id, amount, currency, exponent, list_price, shipping, availability, observed_at, run_id, task_id, page_id)
WHERE NOT EXISTS (
    SELECT 1 FROM prices AS p
    WHERE p.source_product_id = g.product_id
      AND p.created_at > now() - interval '7 days'
      AND p.ingestion_run_type = 'SCRAPE'
      AND (p.ingestion_run_id = g.run_id OR p.task_id = g.task_id)
)
RETURNING source_product_id
