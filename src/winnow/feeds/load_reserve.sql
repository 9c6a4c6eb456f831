-- Ids for new offers and for their first prices: the offers as they are remembered, with this transaction's moment, the
-- prices one after the other. They may have gaps: others take theirs from the same sequences meanwhile.
-- The load writes the latest prices itself (prices_latest.sql).
SELECT string_agg(int8send(offer) || timestamptz_send(now()), ''), string_agg(int8send(price), ''),
       set_config('winnow.latest_by_writer', 'on', true)
FROM (
    SELECT nextval('source_products_id_seq') AS offer, nextval('prices_id_seq') AS price
    FROM generate_series(1, %(count)s)
) AS taken
