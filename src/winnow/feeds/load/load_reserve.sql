-- Ids for new offers and for their first prices: from which to which. They have gaps when others took theirs from the same
-- sequences meanwhile; then they are asked for one by one (load_reserve_each.sql), and these are nobody's.
-- With this transaction's moment, as it is remembered. The load writes the latest prices itself (prices_latest.sql).
SELECT min(offer), max(offer), min(price), max(price), timestamptz_send(now()),
       set_config('winnow.latest_by_writer', 'on', true)
FROM (
    SELECT nextval('source_products_id_seq') AS offer, nextval('prices_id_seq') AS price
    FROM generate_series(1, %(count)s)
) AS taken
