-- The whole row is compared, so a column added later is protected too (DESIGN §11.8). What may change:
-- a run reference may become NULL when clean-up deletes the run (F-114).
CREATE FUNCTION prices_only_forget_runs() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    kept prices := NEW;
BEGIN
    IF NEW.ingestion_run_id IS NULL THEN
        kept.ingestion_run_id := OLD.ingestion_run_id;
    END IF;
    IF NEW.affiliate_feed_run_id IS NULL THEN
        kept.affiliate_feed_run_id := OLD.affiliate_feed_run_id;
    END IF;
    IF kept IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION USING
            ERRCODE = 'restrict_violation',
            MESSAGE = 'prices is append-only: only the reference to a deleted run may be nulled';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER prices_append_only BEFORE UPDATE ON prices
FOR EACH ROW EXECUTE FUNCTION prices_only_forget_runs();

CREATE TRIGGER prices_never_deleted BEFORE DELETE ON prices
FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER prices_never_truncated BEFORE TRUNCATE ON prices
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
