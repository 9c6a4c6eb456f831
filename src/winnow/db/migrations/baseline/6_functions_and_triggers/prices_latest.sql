-- Keeps latest_prices in the transaction of the append (DESIGN §7), whoever appends; a feed, which knows what is
-- new, does it itself and says so (feeds/load/load_chunk.sql). Once per statement;
-- in the order of the key, so that two writers cannot wait for each other. Newest is by created_at and
-- then id (F-050): a row that was late to commit does not push out a newer one.
CREATE FUNCTION prices_latest() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO latest_prices AS latest (
        source_product_id, scraped, price_id, created_at, amount_minor, currency, exponent, list_price_minor,
        shipping_minor, availability, in_stock, observed_at, ingestion_run_type, price_signature_hash)
    SELECT DISTINCT ON (source_product_id, ingestion_run_type IS NOT DISTINCT FROM 'SCRAPE')
        source_product_id, ingestion_run_type IS NOT DISTINCT FROM 'SCRAPE', id, created_at, amount_minor,
        currency, exponent, list_price_minor, shipping_minor, availability, in_stock, observed_at,
        ingestion_run_type, price_signature_hash
    FROM appended
    ORDER BY source_product_id, ingestion_run_type IS NOT DISTINCT FROM 'SCRAPE', created_at DESC, id DESC
    ON CONFLICT (source_product_id, scraped) DO UPDATE SET
        price_id = EXCLUDED.price_id,
        created_at = EXCLUDED.created_at,
        amount_minor = EXCLUDED.amount_minor,
        currency = EXCLUDED.currency,
        exponent = EXCLUDED.exponent,
        list_price_minor = EXCLUDED.list_price_minor,
        shipping_minor = EXCLUDED.shipping_minor,
        availability = EXCLUDED.availability,
        in_stock = EXCLUDED.in_stock,
        observed_at = EXCLUDED.observed_at,
        ingestion_run_type = EXCLUDED.ingestion_run_type,
        price_signature_hash = EXCLUDED.price_signature_hash
    WHERE (latest.created_at, latest.price_id) < (EXCLUDED.created_at, EXCLUDED.price_id);
    RETURN NULL;
END $$;

CREATE TRIGGER prices_latest AFTER INSERT ON prices
REFERENCING NEW TABLE AS appended
FOR EACH STATEMENT WHEN (current_setting('winnow.latest_by_writer', true) IS DISTINCT FROM 'on')
EXECUTE FUNCTION prices_latest();
