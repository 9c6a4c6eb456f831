-- Notes what the search index has to look at again, in the transaction of the change (C-052). What an offer says of itself
-- goes through the resolver (resolve_requested_at); this is about prices, stock and what consumers may see.
CREATE FUNCTION search_price_added() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (product_id) SELECT DISTINCT source_product_id FROM added;
    RETURN NULL;
END $$;

CREATE FUNCTION search_price_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    -- An offer with prices of both kinds may change by which is the newer one.
    INSERT INTO search_changes (product_id)
    SELECT DISTINCT source_product_id
    FROM added JOIN was USING (source_product_id, scraped)
    WHERE (added.amount_minor, added.currency, added.exponent, added.availability)
            IS DISTINCT FROM (was.amount_minor, was.currency, was.exponent, was.availability)
        OR EXISTS (
            SELECT FROM latest_prices l WHERE l.source_product_id = added.source_product_id AND l.scraped <> added.scraped);
    RETURN NULL;
END $$;

-- A feed says once that all of it has changed: when its run is promoted.
CREATE TRIGGER search_price_added AFTER INSERT ON latest_prices
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT WHEN (current_setting('winnow.latest_by_writer', true) IS DISTINCT FROM 'on')
EXECUTE FUNCTION search_price_added();

CREATE TRIGGER search_price_changed AFTER UPDATE ON latest_prices
REFERENCING OLD TABLE AS was NEW TABLE AS added
FOR EACH STATEMENT WHEN (current_setting('winnow.latest_by_writer', true) IS DISTINCT FROM 'on')
EXECUTE FUNCTION search_price_changed();

-- Being seen again changes something only for a document whose time is up, or soon will be.
CREATE FUNCTION search_presence_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (product_id)
    SELECT added.source_product_id
    FROM added JOIN was USING (source_product_id) LEFT JOIN search_documents d ON d.product_id = added.source_product_id
    WHERE (added.unavailable_since IS NULL, added.unavailable_reason)
            IS DISTINCT FROM (was.unavailable_since IS NULL, was.unavailable_reason)
        OR (d.product_id IS NOT NULL AND coalesce(d.recheck_at, '-infinity') < now() + interval '1 hour');
    RETURN NULL;
END $$;

CREATE TRIGGER search_presence_changed AFTER UPDATE ON source_product_presence
REFERENCING OLD TABLE AS was NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION search_presence_changed();

CREATE FUNCTION search_presence_added() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (product_id) SELECT source_product_id FROM added;
    RETURN NULL;
END $$;

CREATE TRIGGER search_presence_added AFTER INSERT ON source_product_presence
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION search_presence_added();

CREATE FUNCTION search_source_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (source_id, hides) VALUES (NEW.source_id, true);
    RETURN NULL;
END $$;

CREATE TRIGGER search_trust_changed AFTER UPDATE ON source_trust_config
FOR EACH ROW WHEN ((OLD.visibility_status, OLD.expiry_hours) IS DISTINCT FROM (NEW.visibility_status, NEW.expiry_hours))
EXECUTE FUNCTION search_source_changed();

CREATE TRIGGER search_feed_expiry_changed AFTER UPDATE ON affiliate_feeds
FOR EACH ROW WHEN (OLD.expiry_hours IS DISTINCT FROM NEW.expiry_hours OR NEW.promoted_run_id < OLD.promoted_run_id
    OR (OLD.promoted_run_id IS NOT NULL AND NEW.promoted_run_id IS NULL))
EXECUTE FUNCTION search_source_changed();

CREATE FUNCTION search_feed_promoted() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (source_id) VALUES (NEW.source_id);
    RETURN NULL;
END $$;

-- One that had expired comes back with its next promotion, even when that finds nothing new.
CREATE TRIGGER search_feed_promoted AFTER UPDATE ON affiliate_feeds
FOR EACH ROW WHEN ((OLD.promoted_run_id, OLD.loaded_run_id) IS DISTINCT FROM (NEW.promoted_run_id, NEW.loaded_run_id)
    OR (OLD.promoted_at IS DISTINCT FROM NEW.promoted_at
        AND now() - OLD.promoted_at > make_interval(hours => OLD.expiry_hours)))
EXECUTE FUNCTION search_feed_promoted();

CREATE FUNCTION search_source_kind_changed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (source_id, hides) VALUES (NEW.id, true);
    RETURN NULL;
END $$;

CREATE TRIGGER search_source_kind_changed AFTER UPDATE ON sources
FOR EACH ROW WHEN ((OLD.source_kind, OLD.is_display_primary, OLD.domain)
    IS DISTINCT FROM (NEW.source_kind, NEW.is_display_primary, NEW.domain))
EXECUTE FUNCTION search_source_kind_changed();

CREATE FUNCTION search_run_invalidated() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (source_id, hides) SELECT f.source_id, true FROM affiliate_feeds f WHERE f.id = NEW.feed_id;
    RETURN NULL;
END $$;

CREATE TRIGGER search_run_invalidated AFTER UPDATE ON affiliate_feed_runs
FOR EACH ROW WHEN (OLD.invalidated_at IS DISTINCT FROM NEW.invalidated_at)
EXECUTE FUNCTION search_run_invalidated();

-- A correction is about one offer, or about a source.
CREATE FUNCTION search_prices_corrected() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    offer_id bigint := coalesce(NEW.source_product_id, (SELECT p.source_product_id FROM prices p WHERE p.id = NEW.price_id));
BEGIN
    IF offer_id IS NOT NULL THEN
        INSERT INTO search_changes (product_id) VALUES (offer_id);
    ELSE
        INSERT INTO search_changes (source_id, hides)
        SELECT id, true FROM (
            SELECT NEW.source_id
            UNION SELECT r.source_id FROM scrape_runs r WHERE r.id = NEW.scrape_run_id
            UNION SELECT f.source_id FROM affiliate_feed_runs r JOIN affiliate_feeds f ON f.id = r.feed_id
                WHERE r.id = NEW.affiliate_feed_run_id
        ) AS s (id) WHERE id IS NOT NULL;
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER search_prices_corrected AFTER INSERT OR UPDATE ON price_corrections
FOR EACH ROW EXECUTE FUNCTION search_prices_corrected();

-- A document goes with its offer (source_products_forget.sql); a search server hears of it later.
CREATE FUNCTION search_document_deleted() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_changes (product_id) SELECT product_id FROM gone;
    RETURN NULL;
END $$;

CREATE TRIGGER search_document_deleted AFTER DELETE ON search_documents
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION search_document_deleted();
