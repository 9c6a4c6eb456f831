-- Brings price, stock and visibility of these documents up to date. A new version only where something that is searched
-- has changed: `recheck_at` is our own.
UPDATE search_documents AS d
SET rating = s.rating, price = s.price, currency = s.currency, availability = s.availability,
    shown_price = s.shown_price, shown_currency = s.shown_currency, shown_availability = s.shown_availability,
    shown_until = s.shown_until, recheck_at = s.recheck_at,
    version = CASE
        WHEN (d.rating, d.price, d.currency, d.availability, d.shown_price, d.shown_currency, d.shown_availability,
              d.shown_until)
            IS DISTINCT FROM (s.rating, s.price, s.currency, s.availability, s.shown_price, s.shown_currency,
                              s.shown_availability, s.shown_until)
        THEN nextval('search_version') ELSE d.version END,
    indexed_at = now()
FROM search_states AS s
WHERE s.product_id = ANY(%(id)b::bigint[]) AND d.product_id = s.product_id
    AND (d.rating, d.price, d.currency, d.availability, d.shown_price, d.shown_currency, d.shown_availability,
         d.shown_until, d.recheck_at)
        IS DISTINCT FROM (s.rating, s.price, s.currency, s.availability, s.shown_price, s.shown_currency,
                          s.shown_availability, s.shown_until, s.recheck_at)
