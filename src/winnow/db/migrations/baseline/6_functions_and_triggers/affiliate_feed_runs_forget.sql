-- What a run saw goes with the run; its prices stay and forget it (F-028, F-114). A price that a later one of the same
-- run replaced keeps the reference: without it consumers would see both.
CREATE FUNCTION affiliate_feed_runs_forget() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM feed_run_seen s USING gone WHERE s.run_id = gone.id;
    UPDATE prices p SET affiliate_feed_run_id = NULL FROM gone WHERE p.affiliate_feed_run_id = gone.id
        AND NOT EXISTS (
            SELECT FROM prices later
            WHERE later.source_product_id = p.source_product_id
                AND later.affiliate_feed_run_id = p.affiliate_feed_run_id AND later.id > p.id);
    DELETE FROM offer_before b USING gone WHERE b.run_id = gone.id;
    RETURN NULL;
END $$;

CREATE TRIGGER affiliate_feed_runs_forget AFTER DELETE ON affiliate_feed_runs
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION affiliate_feed_runs_forget();
