-- Ids of new offers and of their first prices, and this transaction's moment as bytes to be remembered. They need not
-- follow on each other: others take theirs from the same sequences meanwhile.
SELECT array_agg(offer), array_agg(price), timestamptz_send(now())
FROM (
    SELECT nextval('source_products_id_seq') AS offer, nextval('prices_id_seq') AS price
    FROM generate_series(1, %(count)s)
) AS taken
