-- The small rows around an offer go with it (F-026, F-028). An offer that has a price is never deleted.
CREATE FUNCTION source_products_forget() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM gone JOIN prices p ON p.source_product_id = gone.id) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'foreign_key_violation',
            MESSAGE = 'an offer that has a price cannot be deleted: prices is append-only';
    END IF;
    DELETE FROM source_product_presence s USING gone WHERE s.source_product_id = gone.id;
    DELETE FROM source_product_codes i USING gone WHERE i.source_product_id = gone.id;
    DELETE FROM latest_prices l USING gone WHERE l.source_product_id = gone.id;
    DELETE FROM offer_reads r USING gone WHERE r.source_product_id = gone.id;
    DELETE FROM search_documents d USING gone WHERE d.product_id = gone.id;
    RETURN NULL;
END $$;

CREATE TRIGGER source_products_forget AFTER DELETE ON source_products
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION source_products_forget();

CREATE TRIGGER source_products_never_truncated BEFORE TRUNCATE ON source_products
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
