-- One chunk of a feed: from the staging table into offers and prices (F-044 … F-049, F-071).
-- Rows of one identity were collapsed before, the last one wins. Nothing is read or written row by row. The first load
-- of a source does not come this way (load_reserve.sql).
-- Returns the offers in the order of the rows, with when each was priced last, as bytes to be remembered.
WITH s AS MATERIALIZED (
    SELECT g.*, p.id AS old_id, coalesce(p.id, nextval('source_products_id_seq')) AS id,
           p.id IS NOT NULL AND (p.title, p.url, p.image_url, p.brand, p.description, p.category, p.condition, p.sku,
               p.mpn, p.impact_item_id, p.normalized_url_hash, p.gtin)
           IS DISTINCT FROM (g.title, g.url, g.image_url, g.brand, g.description, g.category, g.condition, g.sku,
               g.mpn, g.impact_item_id, g.normalized_url_hash, coalesce(g.gtin, p.gtin)) AS changed,
           p.id IS NOT NULL AND p.feed_run_id IS NULL AS adopted
    FROM feed_stage AS g
    LEFT JOIN LATERAL (
        SELECT *
        FROM source_products AS o
        WHERE o.source_id = %(source_id)s AND o.identity_key = g.identity_type || ':' || g.identity_value
        OFFSET 0
    ) AS p ON true
),
added AS (
    INSERT INTO source_products (
        id, source_id, identity_type, identity_value, title, url, image_url, brand, description, category, condition,
        sku, mpn, impact_item_id, normalized_url_hash, gtin, attributes, created_by_run_id, last_updated_by_run_id,
        feed_run_id, resolve_requested_at)
    SELECT id, %(source_id)s, identity_type, identity_value, title, url, image_url, brand, description, category,
           condition, sku, mpn, impact_item_id, normalized_url_hash, gtin,
           CASE WHEN tracking_url IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('tracking_url', tracking_url) END,
           %(run_id)s, %(run_id)s, %(run_id)s, NULL
    FROM s WHERE old_id IS NULL
),
before AS (
    INSERT INTO offer_before (
        run_id, source_product_id, title, url, image_url, brand, description, category, condition, sku, mpn,
        impact_item_id, normalized_url_hash, gtin, attributes, feed_run_id)
    SELECT %(run_id)s, p.id, p.title, p.url, p.image_url, p.brand, p.description, p.category, p.condition, p.sku, p.mpn,
           p.impact_item_id, p.normalized_url_hash, p.gtin, p.attributes, p.feed_run_id
    FROM s
    JOIN source_products AS p ON p.id = s.old_id
    WHERE s.changed OR s.adopted
    ON CONFLICT DO NOTHING
),
changed AS (
    UPDATE source_products AS p
    SET title = s.title, url = s.url, image_url = s.image_url, brand = s.brand, description = s.description,
        category = s.category, condition = s.condition, sku = s.sku, mpn = s.mpn, impact_item_id = s.impact_item_id,
        normalized_url_hash = s.normalized_url_hash, gtin = coalesce(s.gtin, p.gtin),
        attributes = CASE WHEN s.tracking_url IS NULL THEN p.attributes - 'tracking_url'
                          ELSE p.attributes || jsonb_build_object('tracking_url', s.tracking_url) END,
        feed_run_id = coalesce(p.feed_run_id, %(run_id)s),
        last_updated_by_run_id = %(run_id)s, updated_at = now(), resolve_requested_at = now()
    FROM s
    WHERE p.id = s.old_id AND (s.changed OR p.feed_run_id IS NULL)
    RETURNING p.id
),
due AS MATERIALIZED (
    SELECT s.n, s.id, s.old_id, s.changed, s.adopted, s.amount, s.currency, s.exponent, s.list_price, s.availability, s.in_stock, s.signature,
           l.created_at AS priced_at, l.amount_minor AS old_amount, l.currency AS old_currency,
           CASE WHEN l.created_at IS NULL THEN 'new'
                WHEN l.price_signature_hash IS DISTINCT FROM s.signature THEN 'changed'
                WHEN l.created_at <= now() - make_interval(hours => %(heartbeat_hours)s) THEN 'heartbeat' END AS reason
    FROM s
    LEFT JOIN LATERAL (
        SELECT created_at, price_signature_hash, amount_minor, currency
        FROM latest_prices
        WHERE s.old_id IS NOT NULL AND source_product_id = s.old_id AND NOT scraped
        OFFSET 0
    ) AS l ON true
),
-- Brought by a run that nobody outside has seen: what product it is has not been looked at (store/resolve_take.sql).
unseen AS (
    UPDATE source_products AS p
    SET resolve_requested_at = now()
    FROM due
    WHERE p.id = due.old_id AND due.reason = 'new' AND NOT due.changed AND NOT due.adopted
),
-- What is new has no price yet that could be the same: without looking for one it costs a third less.
first AS (
    INSERT INTO prices (
        source_product_id, amount_minor, currency, exponent, list_price_minor, availability, in_stock, observed_at,
        ingestion_run_type, affiliate_feed_run_id, price_signature_hash)
    SELECT id, amount, currency, exponent, list_price, availability,
           in_stock, now(), 'AFFILIATE_FEED', %(run_id)s, signature
    FROM due WHERE old_id IS NULL
    RETURNING *
),
first_latest AS (
    INSERT INTO latest_prices (
        source_product_id, scraped, price_id, created_at, amount_minor, currency, exponent, list_price_minor,
        shipping_minor, availability, in_stock, observed_at, ingestion_run_type, price_signature_hash)
    SELECT source_product_id, false, id, created_at, amount_minor, currency, exponent, list_price_minor,
           shipping_minor, availability, in_stock, observed_at, ingestion_run_type, price_signature_hash
    FROM first
),
priced AS (
    INSERT INTO prices (
        source_product_id, amount_minor, currency, exponent, list_price_minor, availability, in_stock, observed_at,
        ingestion_run_type, affiliate_feed_run_id, price_signature_hash)
    SELECT id, amount, currency, exponent, list_price, availability,
           in_stock, now(), 'AFFILIATE_FEED', %(run_id)s, signature
    FROM due WHERE reason IS NOT NULL AND old_id IS NOT NULL
    ON CONFLICT (source_product_id, affiliate_feed_run_id, price_signature_hash)
        WHERE affiliate_feed_run_id IS NOT NULL DO NOTHING
    RETURNING *
),
latest AS (
    INSERT INTO latest_prices AS l (
        source_product_id, scraped, price_id, created_at, amount_minor, currency, exponent, list_price_minor,
        shipping_minor, availability, in_stock, observed_at, ingestion_run_type, price_signature_hash)
    SELECT source_product_id, false, id, created_at, amount_minor, currency, exponent, list_price_minor,
           shipping_minor, availability, in_stock, observed_at, ingestion_run_type, price_signature_hash
    FROM priced
    ON CONFLICT (source_product_id, scraped) DO UPDATE SET
        price_id = EXCLUDED.price_id, created_at = EXCLUDED.created_at, amount_minor = EXCLUDED.amount_minor,
        currency = EXCLUDED.currency, exponent = EXCLUDED.exponent, list_price_minor = EXCLUDED.list_price_minor,
        shipping_minor = EXCLUDED.shipping_minor, availability = EXCLUDED.availability, in_stock = EXCLUDED.in_stock,
        observed_at = EXCLUDED.observed_at, ingestion_run_type = EXCLUDED.ingestion_run_type,
        price_signature_hash = EXCLUDED.price_signature_hash
    WHERE (l.created_at, l.price_id) < (EXCLUDED.created_at, EXCLUDED.price_id)
)
SELECT string_agg(
           int8send(id) || timestamptz_send(CASE WHEN reason IS NULL THEN priced_at ELSE now() END), '' ORDER BY n
       ) AS entries,
       count(*) FILTER (WHERE old_id IS NULL) AS created,
       (SELECT count(*) FROM changed) AS updated,
       count(*) FILTER (WHERE adopted) AS adopted,
       count(*) FILTER (WHERE old_id IS NULL) + (SELECT count(*) FROM priced) AS prices,
       count(*) FILTER (WHERE reason = 'heartbeat') AS heartbeats,
       count(*) FILTER (WHERE reason = 'changed' AND (
           currency <> old_currency OR greatest(amount, old_amount) >= %(jump_factor)s * least(amount, old_amount)
       )) AS jumps
FROM due
