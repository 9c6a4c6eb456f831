-- Ids for new offers and for their first prices, each of them.
SELECT array_agg(offer), array_agg(price)
FROM (
    SELECT nextval('source_products_id_seq') AS offer, nextval('prices_id_seq') AS price
    FROM generate_series(1, %(count)s)
) AS taken
