-- Watches of the targets whose price was just appended, in the same transaction: each moves on, and those whose
-- condition was crossed come back. Only what changes is written; with no watch on a target this is one look into an
-- index. A price in another currency than the watch's says nothing.
WITH seen AS (
    SELECT * FROM unnest(
        %(target_id)b::bigint[], %(product_id)b::bigint[], %(amount)b::bigint[], %(currency)b::text[],
        %(exponent)b::smallint[], %(availability)b::text[], %(changed)b::boolean[]
    ) AS g (target_id, product_id, amount, currency, exponent, availability, changed)
), held AS MATERIALIZED (
    SELECT w.*, s.product_id, s.amount, s.currency AS seen_currency, s.exponent, s.availability, s.changed
    FROM watches AS w JOIN seen AS s USING (target_id)
    WHERE w.enabled AND (%(only)s::bigint IS NULL OR w.id = %(only)s) AND (w.currency IS NULL OR w.currency = s.currency)
    ORDER BY w.id
    FOR UPDATE OF w
), judged AS (
    SELECT h.*,
        CASE h.condition
            WHEN 'price_below' THEN h.amount * power(10::numeric, h.threshold_exponent)
                < h.threshold_minor * power(10::numeric, h.exponent)
            WHEN 'price_drop' THEN h.amount::numeric * 100 <= h.reference_minor * (100 - h.drop_percent::numeric)
            WHEN 'back_in_stock' THEN h.availability = 'IN_STOCK'
            ELSE h.changed
        END AS met
    FROM held AS h
), next AS (
    SELECT j.id, j.product_id, j.reference_minor AS reference_before,
        coalesce(j.met AND (j.armed OR j.condition NOT IN ('price_below', 'back_in_stock')), false) AS fired,
        CASE WHEN j.condition IN ('price_below', 'back_in_stock') THEN NOT j.met ELSE j.armed END AS armed,
        CASE WHEN j.condition <> 'price_drop' THEN NULL
             WHEN j.met OR j.reference_minor IS NULL THEN j.amount
             ELSE greatest(j.reference_minor, j.amount) END AS reference_minor,
        CASE WHEN j.condition IN ('price_below', 'price_drop') THEN j.seen_currency ELSE j.currency END AS currency
    FROM judged AS j
), moved AS (
    UPDATE watches AS w
    SET armed = n.armed, reference_minor = n.reference_minor, currency = n.currency,
        last_fired_at = CASE WHEN n.fired THEN now() ELSE w.last_fired_at END,
        fired_count = w.fired_count + n.fired::integer
    FROM next AS n
    WHERE w.id = n.id
        AND (n.fired OR (w.armed, w.reference_minor, w.currency)
            IS DISTINCT FROM (n.armed, n.reference_minor, n.currency::char(3)))
    RETURNING w.*, n.fired, n.product_id, n.reference_before
)
SELECT id, target_id, product_id, condition, threshold_minor, threshold_exponent, currency, drop_percent, endpoint_id,
       reference_before
FROM moved WHERE fired ORDER BY id
