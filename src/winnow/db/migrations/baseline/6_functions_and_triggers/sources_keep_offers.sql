-- A source that has offers cannot be deleted: their prices are history.
CREATE FUNCTION sources_keep_offers() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM source_products WHERE source_id = OLD.id) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'foreign_key_violation',
            MESSAGE = 'a source that has offers cannot be deleted';
    END IF;
    RETURN OLD;
END $$;

CREATE TRIGGER sources_keep_offers BEFORE DELETE ON sources
FOR EACH ROW EXECUTE FUNCTION sources_keep_offers();
