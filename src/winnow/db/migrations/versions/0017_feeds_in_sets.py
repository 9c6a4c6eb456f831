"""Feeds are loaded in sets: presence in step with the feed, rows remembered by their digests, fewer indexes."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

FEED_COLUMNS = (
    "current_seen_at timestamptz",
    "current_seen_run_id bigint",
    "promoted_at timestamptz",
    "promoted_run_id bigint",
    "refresh_unchanged boolean NOT NULL DEFAULT false",
    "url_normalization_mode text NOT NULL DEFAULT 'PRESERVE_PATH_CASE'",
    "stale_alerted_at timestamptz",
)
RUN_COLUMNS = (
    "promoted_at timestamptz",
    "previous_seen_at timestamptz",
    "previous_seen_run_id bigint",
    "previous_promoted_at timestamptz",
    "previous_promoted_run_id bigint",
    "invalidated_at timestamptz",
    "invalidated_by text",
)
ADDED = {
    "affiliate_feeds": FEED_COLUMNS,
    "affiliate_feed_runs": RUN_COLUMNS,
    "source_product_presence": ("left_by_run_id bigint", "back_run_id bigint"),
    "source_products": ("feed_run_id bigint",),
}


def upgrade() -> None:
    for table, columns in ADDED.items():
        for column in columns:
            op.execute(f"ALTER TABLE {table} ADD COLUMN {column}")
    for statement in UP:
        op.execute(statement)


def downgrade() -> None:
    for statement in DOWN:
        op.execute(statement)
    for table, columns in ADDED.items():
        for column in reversed(columns):
            op.execute(f"ALTER TABLE {table} DROP COLUMN {column.split()[0]}")


UP = (
    "DROP VIEW consumer_offers",
    "DROP TABLE source_product_seen",
    "DROP TRIGGER affiliate_feed_runs_forget ON affiliate_feed_runs",
    "DROP FUNCTION affiliate_feed_runs_forget()",
    "DROP TRIGGER source_products_forget ON source_products",
    "DROP FUNCTION source_products_forget()",
    "DROP TRIGGER prices_latest ON prices",
    """
CREATE TABLE feed_run_seen (
    run_id bigint NOT NULL,
    part integer NOT NULL,
    source_product_ids bigint[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT feed_run_seen_pkey PRIMARY KEY (run_id, part)
)
""",
    """
CREATE TABLE feed_row_memory (
    feed_id bigint NOT NULL,
    part integer NOT NULL,
    run_id bigint NOT NULL,
    salt text NOT NULL,
    entries bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT feed_row_memory_pkey PRIMARY KEY (feed_id, part),
    CONSTRAINT feed_row_memory_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES affiliate_feeds (id) ON DELETE CASCADE
)
""",
    """
ALTER TABLE affiliate_feeds ADD CONSTRAINT affiliate_feeds_url_normalization_mode_check
    CHECK (url_normalization_mode IN ('PRESERVE_PATH_CASE','LOWERCASE_PATH'))
""",
    """
ALTER TABLE source_products DROP CONSTRAINT source_products_source_id_identity_type_identity_value_key
""",
    "ALTER TABLE source_products DROP CONSTRAINT source_products_source_id_fkey",
    """
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
""",
    """
CREATE TRIGGER sources_keep_offers BEFORE DELETE ON sources
FOR EACH ROW EXECUTE FUNCTION sources_keep_offers();
""",
    "DROP INDEX idx_source_products_impact_item_id",
    """
CREATE INDEX idx_source_products_impact_item_id ON source_products (impact_item_id)
    WHERE impact_item_id IS NOT NULL AND identity_type <> 'IMPACT_ITEM_ID'
""",
    "DROP INDEX idx_source_products_updated_at",
    "CREATE INDEX idx_source_products_updated_at ON source_products USING brin (updated_at)",
    "ALTER TABLE prices DROP CONSTRAINT prices_source_product_id_fkey",
    "ALTER TABLE prices DROP CONSTRAINT prices_affiliate_feed_run_id_fkey",
    "ALTER TABLE prices DROP CONSTRAINT prices_currency_check",
    "ALTER TABLE prices DROP CONSTRAINT prices_exponent_check",
    """
ALTER TABLE prices ADD CONSTRAINT prices_currency_check
    CHECK (currency IN ('USD','EUR','GBP') OR currency ~ '^[A-Z]{3}$')
""",
    """
ALTER TABLE prices ADD CONSTRAINT prices_exponent_check
    CHECK ((currency IN ('USD','EUR','GBP') AND exponent = 2) OR exponent = currency_exponent(currency))
""",
    "DROP INDEX idx_prices_affiliate_feed_run_id",
    """
CREATE INDEX idx_prices_affiliate_feed_run_id ON prices USING brin (affiliate_feed_run_id)
    WITH (pages_per_range = 16)
""",
    """
-- What a run saw goes with the run; its prices stay and forget it (F-028, F-114).
CREATE FUNCTION affiliate_feed_runs_forget() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM feed_run_seen s USING gone WHERE s.run_id = gone.id;
    UPDATE prices p SET affiliate_feed_run_id = NULL FROM gone WHERE p.affiliate_feed_run_id = gone.id;
    RETURN NULL;
END $$;
""",
    """
CREATE TRIGGER affiliate_feed_runs_forget AFTER DELETE ON affiliate_feed_runs
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION affiliate_feed_runs_forget();
""",
    """
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
    DELETE FROM source_product_identifiers i USING gone WHERE i.source_product_id = gone.id;
    DELETE FROM latest_prices l USING gone WHERE l.source_product_id = gone.id;
    DELETE FROM search_documents d USING gone WHERE d.product_id = gone.id;
    RETURN NULL;
END $$;
""",
    """
CREATE TRIGGER source_products_forget AFTER DELETE ON source_products
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION source_products_forget();
""",
    """
CREATE TRIGGER source_products_never_truncated BEFORE TRUNCATE ON source_products
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
""",
    """
CREATE TRIGGER prices_latest AFTER INSERT ON prices
REFERENCING NEW TABLE AS appended
FOR EACH STATEMENT WHEN (current_setting('winnow.latest_by_writer', true) IS DISTINCT FROM 'on')
EXECUTE FUNCTION prices_latest();
""",
    """
-- Which offers a run saw, one row each (F-028); offers that are gone are not shown.
CREATE VIEW source_product_seen AS
SELECT s.run_id, o.id AS source_product_id, s.created_at
FROM feed_run_seen s
CROSS JOIN LATERAL unnest(s.source_product_ids) AS seen (id)
JOIN source_products o ON o.id = seen.id;
""",
    """
-- When an offer was seen last, and last with success, whoever brought it (F-026, F-029). An offer of a feed that
-- every run sees is in step with the feed: what the feed's row says holds for it, from the run on that brought it
-- or brought it back. So a run that sees 500 000 offers again writes one row, not 500 000.
CREATE VIEW offer_presence AS
SELECT
    o.id AS source_product_id,
    o.source_id,
    k.since IS NOT NULL AS in_step,
    greatest(
        coalesce(s.last_seen_at, o.created_at),
        CASE WHEN f.current_seen_run_id >= k.since THEN f.current_seen_at END
    ) AS last_seen_at,
    CASE WHEN f.promoted_run_id >= k.since THEN f.promoted_at ELSE s.last_seen_success_at END AS last_seen_success_at
FROM source_products o
LEFT JOIN source_product_presence s ON s.source_product_id = o.id
LEFT JOIN affiliate_feeds f ON f.source_id = o.source_id AND o.feed_run_id IS NOT NULL
CROSS JOIN LATERAL (
    SELECT CASE WHEN s.left_by_run_id IS NULL THEN o.feed_run_id ELSE s.back_run_id END AS since
) AS k
WHERE o.feed_run_id IS NOT NULL OR s.source_product_id IS NOT NULL;
""",
    """
-- The offers consumers may see, each with its current price; the only way consumers read offers.
--   affiliate (F-108): promoted, not older than its feed's expiry, and its source the display primary;
--                      fails closed.
--   other     (F-109): visible whatever the flag says, until its source's own expiry if it has one.
-- `is_retailer_choice` is which of a retailer's sources to show when only one is to be shown: the
-- primary, and without any primary the direct ones (F-109).
-- The current price is the newest one that consumers may see; latest_prices names it, and only if a
-- correction hides that one is the history searched.
CREATE VIEW consumer_offers AS
SELECT
    o.id AS source_product_id,
    o.source_id,
    s.retailer_id,
    r.name AS retailer_name,
    s.source_kind,
    s.is_display_primary,
    s.is_display_primary OR (s.source_kind = 'DIRECT' AND NOT EXISTS (
        SELECT FROM sources other WHERE other.retailer_id = s.retailer_id AND other.is_display_primary
    )) AS is_retailer_choice,
    l.product_id,
    o.title,
    o.url,
    o.image_url,
    o.brand,
    o.category,
    o.sku,
    s.affiliate_tracking_template,
    p.id AS price_id,
    p.amount_minor,
    p.list_price_minor,
    p.shipping_minor,
    p.currency,
    p.exponent,
    p.price,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at AS priced_at,
    seen.last_seen_at,
    seen.last_seen_success_at
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN retailers r ON r.id = s.retailer_id
LEFT JOIN affiliate_feeds f ON f.source_id = s.id
LEFT JOIN source_trust_config t ON t.source_id = s.id
LEFT JOIN offer_presence seen ON seen.source_product_id = o.id
LEFT JOIN product_links l ON l.source_product_id = o.id
CROSS JOIN LATERAL (
    SELECT c.* FROM (
        SELECT newest.price_id
        FROM latest_prices newest
        WHERE newest.source_product_id = o.id
            AND (NOT newest.scraped
                OR (s.source_kind <> 'AFFILIATE_FEED' AND t.visibility_status IS NOT DISTINCT FROM 'ELIGIBLE'))
        ORDER BY newest.created_at DESC, newest.price_id DESC
        LIMIT 1
    ) newest
    JOIN consumer_prices c ON c.id = newest.price_id
    UNION ALL
    (SELECT c.* FROM consumer_prices c
    WHERE c.source_product_id = o.id
        AND EXISTS (SELECT FROM price_corrections WHERE revoked_at IS NULL)
    ORDER BY c.created_at DESC, c.id DESC
    LIMIT 1)
    LIMIT 1
) p
WHERE CASE
    WHEN s.source_kind = 'AFFILIATE_FEED' THEN
        s.is_display_primary AND now() - seen.last_seen_success_at <= make_interval(hours => f.expiry_hours)
    ELSE
        t.expiry_hours IS NULL OR now() - seen.last_seen_success_at <= make_interval(hours => t.expiry_hours)
END;
""",
)

DOWN = (
    "DROP VIEW consumer_offers",
    "DROP VIEW offer_presence",
    "DROP VIEW source_product_seen",
    "DROP TRIGGER source_products_never_truncated ON source_products",
    "DROP TRIGGER prices_latest ON prices",
    "DROP TRIGGER source_products_forget ON source_products",
    "DROP FUNCTION source_products_forget()",
    "DROP TRIGGER affiliate_feed_runs_forget ON affiliate_feed_runs",
    "DROP FUNCTION affiliate_feed_runs_forget()",
    "DROP TABLE feed_row_memory",
    "DROP TABLE feed_run_seen",
    """
CREATE TABLE source_product_seen (
    run_id bigint NOT NULL,
    source_product_id bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT source_product_seen_pkey PRIMARY KEY (run_id, source_product_id)
)
""",
    "DROP INDEX idx_prices_affiliate_feed_run_id",
    """
CREATE INDEX idx_prices_affiliate_feed_run_id ON prices (affiliate_feed_run_id)
    WHERE affiliate_feed_run_id IS NOT NULL
""",
    "ALTER TABLE prices DROP CONSTRAINT prices_currency_check",
    "ALTER TABLE prices DROP CONSTRAINT prices_exponent_check",
    "ALTER TABLE prices ADD CONSTRAINT prices_currency_check CHECK (currency ~ '^[A-Z]{3}$')",
    """
ALTER TABLE prices ADD CONSTRAINT prices_exponent_check CHECK (exponent = currency_exponent(currency))
""",
    """
ALTER TABLE prices ADD CONSTRAINT prices_source_product_id_fkey
    FOREIGN KEY (source_product_id) REFERENCES source_products (id)
""",
    """
ALTER TABLE prices ADD CONSTRAINT prices_affiliate_feed_run_id_fkey
    FOREIGN KEY (affiliate_feed_run_id) REFERENCES affiliate_feed_runs (id) ON DELETE SET NULL
""",
    "DROP INDEX idx_source_products_updated_at",
    "CREATE INDEX idx_source_products_updated_at ON source_products (updated_at)",
    "DROP INDEX idx_source_products_impact_item_id",
    """
CREATE INDEX idx_source_products_impact_item_id ON source_products (impact_item_id)
    WHERE impact_item_id IS NOT NULL
""",
    """
ALTER TABLE source_products ADD CONSTRAINT source_products_source_id_identity_type_identity_value_key
    UNIQUE (source_id, identity_type, identity_value)
""",
    "DROP TRIGGER sources_keep_offers ON sources",
    "DROP FUNCTION sources_keep_offers()",
    """
ALTER TABLE source_products ADD CONSTRAINT source_products_source_id_fkey
    FOREIGN KEY (source_id) REFERENCES sources (id)
""",
    "ALTER TABLE affiliate_feeds DROP CONSTRAINT affiliate_feeds_url_normalization_mode_check",
    """
-- What a run saw goes with the run (F-028, F-114).
CREATE FUNCTION affiliate_feed_runs_forget() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM source_product_seen s USING gone WHERE s.run_id = gone.id;
    RETURN NULL;
END $$;
""",
    """
CREATE TRIGGER affiliate_feed_runs_forget AFTER DELETE ON affiliate_feed_runs
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION affiliate_feed_runs_forget();
""",
    """
-- The small rows around an offer go with it (F-026, F-028). An offer that has a price is never deleted.
CREATE FUNCTION source_products_forget() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM source_product_presence s USING gone WHERE s.source_product_id = gone.id;
    DELETE FROM source_product_identifiers i USING gone WHERE i.source_product_id = gone.id;
    DELETE FROM source_product_seen s USING gone WHERE s.source_product_id = gone.id;
    DELETE FROM latest_prices l USING gone WHERE l.source_product_id = gone.id;
    DELETE FROM search_documents d USING gone WHERE d.product_id = gone.id;
    RETURN NULL;
END $$;
""",
    """
CREATE TRIGGER source_products_forget AFTER DELETE ON source_products
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION source_products_forget();
""",
    """
CREATE TRIGGER prices_latest AFTER INSERT ON prices
REFERENCING NEW TABLE AS appended
FOR EACH STATEMENT EXECUTE FUNCTION prices_latest();
""",
    """
-- The offers consumers may see, each with its current price; the only way consumers read offers.
--   affiliate (F-108): promoted, not older than its feed's expiry, and its source the display primary;
--                      fails closed.
--   other     (F-109): visible whatever the flag says, until its source's own expiry if it has one.
-- `is_retailer_choice` is which of a retailer's sources to show when only one is to be shown: the
-- primary, and without any primary the direct ones (F-109).
-- The current price is the newest one that consumers may see; latest_prices names it, and only if a
-- correction hides that one is the history searched.
CREATE VIEW consumer_offers AS
SELECT
    o.id AS source_product_id,
    o.source_id,
    s.retailer_id,
    r.name AS retailer_name,
    s.source_kind,
    s.is_display_primary,
    s.is_display_primary OR (s.source_kind = 'DIRECT' AND NOT EXISTS (
        SELECT FROM sources other WHERE other.retailer_id = s.retailer_id AND other.is_display_primary
    )) AS is_retailer_choice,
    l.product_id,
    o.title,
    o.url,
    o.image_url,
    o.brand,
    o.category,
    o.sku,
    s.affiliate_tracking_template,
    p.id AS price_id,
    p.amount_minor,
    p.list_price_minor,
    p.shipping_minor,
    p.currency,
    p.exponent,
    p.price,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at AS priced_at,
    seen.last_seen_at,
    seen.last_seen_success_at
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN retailers r ON r.id = s.retailer_id
LEFT JOIN affiliate_feeds f ON f.source_id = s.id
LEFT JOIN source_trust_config t ON t.source_id = s.id
LEFT JOIN source_product_presence seen ON seen.source_product_id = o.id
LEFT JOIN product_links l ON l.source_product_id = o.id
CROSS JOIN LATERAL (
    SELECT c.* FROM (
        SELECT newest.price_id
        FROM latest_prices newest
        WHERE newest.source_product_id = o.id
            AND (NOT newest.scraped
                OR (s.source_kind <> 'AFFILIATE_FEED' AND t.visibility_status IS NOT DISTINCT FROM 'ELIGIBLE'))
        ORDER BY newest.created_at DESC, newest.price_id DESC
        LIMIT 1
    ) newest
    JOIN consumer_prices c ON c.id = newest.price_id
    UNION ALL
    (SELECT c.* FROM consumer_prices c
    WHERE c.source_product_id = o.id
        AND EXISTS (SELECT FROM price_corrections WHERE revoked_at IS NULL)
    ORDER BY c.created_at DESC, c.id DESC
    LIMIT 1)
    LIMIT 1
) p
WHERE CASE
    WHEN s.source_kind = 'AFFILIATE_FEED' THEN
        s.is_display_primary AND now() - seen.last_seen_success_at <= make_interval(hours => f.expiry_hours)
    ELSE
        t.expiry_hours IS NULL OR now() - seen.last_seen_success_at <= make_interval(hours => t.expiry_hours)
END;
""",
)
