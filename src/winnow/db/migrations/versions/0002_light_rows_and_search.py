"""Lighter rows around an offer, the search index, and the ledger's functions as they are called now."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DROP VIEW pipeline_jobs")
    op.execute("DROP VIEW crawl_tasks")
    op.execute("DROP VIEW consumer_offers")
    op.execute("DROP FUNCTION lane_take(text)")
    op.execute("""
CREATE FUNCTION search_document(name text, description text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (setweight(to_tsvector('english'::regconfig, COALESCE(name, ''::text)), 'A'::"char") || setweight(to_tsvector('english'::regconfig, COALESCE(description, ''::text)), 'B'::"char"))
""")
    # C-027 names the index.
    op.drop_constraint("domains_domain_name_key", "domains", type_="unique")
    op.create_index("idx_domains_domain_name", "domains", ["domain_name"], unique=True)
    # No foreign key per row around an offer: 6 µs each, a third of a feed's first load; triggers forget instead.
    op.drop_constraint("latest_prices_source_product_id_fkey", "latest_prices", type_="foreignkey")
    op.drop_constraint(
        "source_product_presence_source_product_id_fkey", "source_product_presence", type_="foreignkey"
    )
    op.drop_constraint(
        "source_product_seen_source_product_id_fkey", "source_product_seen", type_="foreignkey"
    )
    op.drop_constraint("source_product_seen_run_id_fkey", "source_product_seen", type_="foreignkey")
    op.drop_constraint(
        "source_product_identifiers_source_product_id_fkey", "source_product_identifiers", type_="foreignkey"
    )
    op.drop_constraint(
        "source_product_identifiers_source_product_id_type_value_key",
        "source_product_identifiers",
        type_="unique",
    )
    op.drop_column("source_product_identifiers", "id")
    op.create_primary_key(
        "source_product_identifiers_pkey",
        "source_product_identifiers",
        ["source_product_id", "type", "value"],
    )
    # Search stands in a table of its own: text indexes on source_products double the cost of a feed's load.
    op.create_index("idx_source_products_updated_at", "source_products", ["updated_at"])
    op.create_table(
        "search_documents",
        sa.Column("product_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("product_name", sa.Text(), nullable=False),
        sa.Column("brand", sa.Text()),
        sa.Column("category", sa.Text()),
        sa.Column("domain_name", sa.Text()),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", postgresql.TSVECTOR(), nullable=False),
        sa.Column("indexed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.PrimaryKeyConstraint("product_id", name="search_documents_pkey"),
    )
    op.create_index("idx_search_documents_document", "search_documents", ["document"], postgresql_using="gin")
    op.create_index(
        "idx_search_documents_product_name",
        "search_documents",
        ["product_name"],
        postgresql_using="gin",
        postgresql_ops={"product_name": "gin_trgm_ops"},
    )
    op.create_index("idx_search_documents_brand", "search_documents", ["brand"])
    op.create_index("idx_search_documents_category", "search_documents", ["category"])
    op.create_index("idx_search_documents_domain_name", "search_documents", ["domain_name"])
    op.create_index("idx_search_documents_created_at", "search_documents", ["created_at"])
    op.create_index(
        "idx_events_search",
        "events",
        [sa.text("search_document(title, description)")],
        postgresql_using="gin",
    )
    op.execute("""
CREATE FUNCTION affiliate_feed_runs_forget()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    DELETE FROM source_product_seen s USING gone WHERE s.run_id = gone.id;
    RETURN NULL;
END $function$
""")
    op.execute("""
CREATE FUNCTION lane_take(name text, holding boolean)
 RETURNS double precision
 LANGUAGE plpgsql
AS $function$
DECLARE
    moment timestamptz := clock_timestamp();
    l lanes;
BEGIN
    INSERT INTO lanes (lane) VALUES (name) ON CONFLICT (lane) DO NOTHING;
    SELECT * INTO l FROM lanes WHERE lane = name FOR UPDATE;
    moment := greatest(moment, clock_timestamp());
    IF l.paused THEN
        RETURN 60;
    END IF;
    l.queued := l.queued + 1;
    l.in_flight := greatest(0, l.in_flight - holding::integer);
    IF lane_room(l, moment) < 1 THEN
        l := lane_timed(l, moment);
        RETURN greatest(0.05, extract(epoch FROM l.slot_at - moment));
    END IF;
    l := lane_grant(l, 1, NULL, moment);
    UPDATE lanes SET grant_at = l.grant_at, grant_n = l.grant_n, slot_at = l.slot_at, turn_at = l.turn_at
    WHERE lane = name;
    RETURN 0;
END $function$
""")
    op.execute("""
CREATE FUNCTION source_products_forget()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    DELETE FROM source_product_presence s USING gone WHERE s.source_product_id = gone.id;
    DELETE FROM source_product_identifiers i USING gone WHERE i.source_product_id = gone.id;
    DELETE FROM source_product_seen s USING gone WHERE s.source_product_id = gone.id;
    DELETE FROM latest_prices l USING gone WHERE l.source_product_id = gone.id;
    DELETE FROM search_documents d USING gone WHERE d.product_id = gone.id;
    RETURN NULL;
END $function$
""")
    op.execute("""
CREATE TRIGGER affiliate_feed_runs_forget AFTER DELETE ON affiliate_feed_runs REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION affiliate_feed_runs_forget()
""")
    op.execute("""
CREATE TRIGGER source_products_forget AFTER DELETE ON source_products REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION source_products_forget()
""")
    op.execute("""
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
END
""")
    op.execute("""
-- The catalogue's recurring crawl task: a target with its latest task (C-028 … C-030, DESIGN §11.1), in
-- the catalogue's words (C-010, C-011). A task that is finished and due again is pending (C-019).
CREATE VIEW crawl_tasks AS
SELECT
    t.id,
    d.id AS domain_id,
    t.domain AS domain_name,
    t.source_id,
    t.url,
    t.url_hash,
    CASE
        WHEN k.status = 'running' AND k.stage = 'fetch' THEN 'crawling'
        WHEN k.status = 'running' THEN 'parsing'
        WHEN k.status = 'queued' AND k.stage <> 'fetch' THEN 'downloaded'
        WHEN k.status = 'queued' AND k.due_at IS NULL THEN 'queued'
        WHEN k.status = 'queued' OR k.status IS NULL THEN 'pending'
        WHEN t.enabled AND t.status = 'ACTIVE' AND t.next_crawl_at <= now() THEN 'pending'
        WHEN k.status = 'done' THEN 'completed'
        ELSE 'failed'
    END AS status,
    greatest(1, least(10, 5 - t.priority)) AS priority,
    coalesce(CASE WHEN k.status IN ('queued', 'running') THEN k.due_at END, t.next_crawl_at, k.created_at, t.created_at)
        AS scheduled_at,
    k.started_at,
    CASE WHEN k.status NOT IN ('queued', 'running') THEN k.finished_at END AS completed_at,
    coalesce(k.last_error, t.last_error) AS error_message,
    greatest(0, coalesce(k.attempts, 0) - 1) AS retry_count,
    coalesce(k.max_attempts, 3) AS max_retries,
    coalesce(t.crawl_frequency, interval '1 day') AS crawl_frequency,
    t.next_crawl_at,
    page.content_hash AS html_path,
    k.id AS task_id,
    t.status AS target_status,
    t.enabled,
    t.created_at,
    t.updated_at
FROM scrape_targets t
LEFT JOIN domains d ON d.domain_name = t.domain
LEFT JOIN LATERAL (
    SELECT 1 AS nth, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks
    WHERE target_id = t.id AND target_id IS NOT NULL AND status IN ('queued', 'running')
    UNION ALL
    SELECT 2, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks WHERE id = t.last_task_id
    UNION ALL
    SELECT 3, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM task_archive WHERE id = t.last_task_id
    ORDER BY nth
    LIMIT 1
) k ON true
LEFT JOIN pages page ON page.id = coalesce(k.page_id, t.last_page_id)
""")
    op.execute("""
-- The events pipeline's job: a task of the events producer, in the document's words (E-098 … E-100).
-- run_id is what all jobs of one daily run share (E-029): the batch they were asked for in, else the run
-- of their source. Priority: higher first (E-031), internally the lower rank runs first.
CREATE VIEW pipeline_jobs AS
WITH work AS (
    SELECT id, source_id, job_id, run_id, status, stage, rank, attempts, max_attempts, last_error, created_at,
        started_at, finished_at
    FROM tasks WHERE producer = 'events'
    UNION ALL
    SELECT id, source_id, job_id, run_id, status, stage, rank, attempts, max_attempts, last_error, created_at,
        started_at, finished_at
    FROM task_archive WHERE producer = 'events'
)
SELECT
    k.id,
    k.source_id,
    coalesce(k.job_id::text, k.run_id::text, k.id::text) AS run_id,
    CASE
        WHEN k.status = 'done' THEN 'completed'
        WHEN k.status IN ('failed', 'cancelled', 'stale') THEN 'dead_letter'
        ELSE at_stage.name
    END AS current_stage,
    (
        SELECT jsonb_object_agg(s.name, CASE
            WHEN k.status = 'done' OR s.nth < at_stage.nth THEN 'completed'
            WHEN s.nth > at_stage.nth OR k.status = 'queued' THEN 'pending'
            WHEN k.status = 'running' THEN 'running'
            ELSE 'failed'
        END)
        FROM (VALUES (1, 'fetch'), (2, 'parse'), (3, 'normalize'), (4, 'persist')) s (nth, name)
    ) AS stage_status,
    k.attempts,
    k.max_attempts,
    k.last_error,
    k.created_at,
    k.started_at,
    CASE WHEN k.status = 'done' THEN k.finished_at END AS completed_at,
    100 - k.rank AS priority
FROM work k
JOIN (VALUES
    ('fetch', 1, 'fetch'), ('extract', 2, 'parse'), ('normalise', 3, 'normalize'), ('persist', 4, 'persist'),
    ('done', 5, 'completed')
) at_stage (stage, nth, name) ON at_stage.stage = k.stage
""")


def downgrade() -> None:
    op.execute("DROP VIEW pipeline_jobs")
    op.execute("DROP VIEW crawl_tasks")
    op.execute("DROP VIEW consumer_offers")
    op.execute("DROP TRIGGER affiliate_feed_runs_forget ON affiliate_feed_runs")
    op.execute("DROP TRIGGER source_products_forget ON source_products")
    op.drop_index("idx_events_search", "events")
    op.drop_table("search_documents")
    op.drop_index("idx_source_products_updated_at", "source_products")
    op.drop_constraint("source_product_identifiers_pkey", "source_product_identifiers", type_="primary")
    op.add_column(
        "source_product_identifiers",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
    )
    op.create_primary_key("source_product_identifiers_pkey", "source_product_identifiers", ["id"])
    op.create_unique_constraint(
        "source_product_identifiers_source_product_id_type_value_key",
        "source_product_identifiers",
        ["source_product_id", "type", "value"],
    )
    for table in (
        "source_product_identifiers",
        "source_product_seen",
        "source_product_presence",
        "latest_prices",
    ):
        op.create_foreign_key(
            f"{table}_source_product_id_fkey",
            table,
            "source_products",
            ["source_product_id"],
            ["id"],
            ondelete="CASCADE",
        )
    op.create_foreign_key(
        "source_product_seen_run_id_fkey",
        "source_product_seen",
        "affiliate_feed_runs",
        ["run_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.drop_index("idx_domains_domain_name", "domains")
    op.create_unique_constraint("domains_domain_name_key", "domains", ["domain_name"])
    op.execute("DROP FUNCTION affiliate_feed_runs_forget()")
    op.execute("DROP FUNCTION lane_take(text,boolean)")
    op.execute("DROP FUNCTION search_document(text,text)")
    op.execute("DROP FUNCTION source_products_forget()")
    op.execute("""
CREATE FUNCTION lane_take(name text)
 RETURNS double precision
 LANGUAGE plpgsql
AS $function$
DECLARE
    moment timestamptz := clock_timestamp();
    l lanes;
BEGIN
    INSERT INTO lanes (lane) VALUES (name) ON CONFLICT (lane) DO NOTHING;
    SELECT * INTO l FROM lanes WHERE lane = name FOR UPDATE;
    moment := greatest(moment, clock_timestamp());
    IF l.paused THEN
        RETURN 60;
    END IF;
    l.queued := l.queued + 1;
    IF lane_room(l, moment) < 1 THEN
        l := lane_timed(l, moment);
        RETURN greatest(0.05, extract(epoch FROM l.slot_at - moment));
    END IF;
    l := lane_grant(l, 1, NULL, moment);
    UPDATE lanes SET grant_at = l.grant_at, grant_n = l.grant_n, slot_at = l.slot_at, turn_at = l.turn_at
    WHERE lane = name;
    RETURN 0;
END $function$
""")
    op.execute("""
CREATE VIEW consumer_offers AS
 SELECT o.id AS source_product_id,
    o.source_id,
    s.retailer_id,
    r.name AS retailer_name,
    s.source_kind,
    s.is_display_primary,
    (s.is_display_primary OR ((s.source_kind = 'DIRECT'::text) AND (NOT (EXISTS ( SELECT
           FROM sources other
          WHERE ((other.retailer_id = s.retailer_id) AND other.is_display_primary)))))) AS is_retailer_choice,
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
   FROM (((((((source_products o
     JOIN sources s ON ((s.id = o.source_id)))
     LEFT JOIN retailers r ON ((r.id = s.retailer_id)))
     LEFT JOIN affiliate_feeds f ON ((f.source_id = s.id)))
     LEFT JOIN source_trust_config t ON ((t.source_id = s.id)))
     LEFT JOIN source_product_presence seen ON ((seen.source_product_id = o.id)))
     LEFT JOIN product_links l ON ((l.source_product_id = o.id)))
     CROSS JOIN LATERAL ( SELECT c.id,
            c.source_product_id,
            c.source_id,
            c.amount_minor,
            c.list_price_minor,
            c.shipping_minor,
            c.currency,
            c.exponent,
            c.price,
            c.availability,
            c.in_stock,
            c.observed_at,
            c.created_at,
            c.ingestion_run_type
           FROM (( SELECT newest_1.price_id
                   FROM latest_prices newest_1
                  WHERE ((newest_1.source_product_id = o.id) AND ((NOT newest_1.scraped) OR ((s.source_kind <> 'AFFILIATE_FEED'::text) AND (NOT (t.visibility_status IS DISTINCT FROM 'ELIGIBLE'::text)))))
                  ORDER BY newest_1.created_at DESC, newest_1.price_id DESC
                 LIMIT 1) newest
             JOIN consumer_prices c ON ((c.id = newest.price_id)))
        UNION ALL
        ( SELECT c.id,
            c.source_product_id,
            c.source_id,
            c.amount_minor,
            c.list_price_minor,
            c.shipping_minor,
            c.currency,
            c.exponent,
            c.price,
            c.availability,
            c.in_stock,
            c.observed_at,
            c.created_at,
            c.ingestion_run_type
           FROM consumer_prices c
          WHERE (c.source_product_id = o.id)
          ORDER BY c.created_at DESC, c.id DESC
         LIMIT 1)
 LIMIT 1) p)
  WHERE
        CASE
            WHEN (s.source_kind = 'AFFILIATE_FEED'::text) THEN (s.is_display_primary AND ((now() - seen.last_seen_success_at) <= make_interval(hours => f.expiry_hours)))
            ELSE ((t.expiry_hours IS NULL) OR ((now() - seen.last_seen_success_at) <= make_interval(hours => t.expiry_hours)))
        END
""")
    op.execute("""
CREATE VIEW crawl_tasks AS
 SELECT t.id,
    d.id AS domain_id,
    t.domain AS domain_name,
    t.source_id,
    t.url,
    t.url_hash,
        CASE
            WHEN ((k.status = 'running'::text) AND (k.stage = 'fetch'::text)) THEN 'crawling'::text
            WHEN (k.status = 'running'::text) THEN 'parsing'::text
            WHEN ((k.status = 'queued'::text) AND (k.stage <> 'fetch'::text)) THEN 'downloaded'::text
            WHEN ((k.status = 'queued'::text) AND (k.due_at IS NULL)) THEN 'queued'::text
            WHEN ((k.status = 'queued'::text) OR (k.status IS NULL)) THEN 'pending'::text
            WHEN (t.enabled AND (t.status = 'ACTIVE'::text) AND (t.next_crawl_at <= now())) THEN 'pending'::text
            WHEN (k.status = 'done'::text) THEN 'completed'::text
            ELSE 'failed'::text
        END AS status,
    GREATEST(1, LEAST(10, (5 - t.priority))) AS priority,
    COALESCE(
        CASE
            WHEN (k.status = ANY (ARRAY['queued'::text, 'running'::text])) THEN k.due_at
            ELSE NULL::timestamp with time zone
        END, t.next_crawl_at, k.created_at, t.created_at) AS scheduled_at,
    k.started_at,
        CASE
            WHEN (k.status <> ALL (ARRAY['queued'::text, 'running'::text])) THEN k.finished_at
            ELSE NULL::timestamp with time zone
        END AS completed_at,
    COALESCE(k.last_error, t.last_error) AS error_message,
    GREATEST(0, (COALESCE((k.attempts)::integer, 0) - 1)) AS retry_count,
    COALESCE((k.max_attempts)::integer, 3) AS max_retries,
    COALESCE(t.crawl_frequency, '1 day'::interval) AS crawl_frequency,
    t.next_crawl_at,
    page.content_hash AS html_path,
    k.id AS task_id,
    t.status AS target_status,
    t.enabled,
    t.created_at,
    t.updated_at
   FROM (((scrape_targets t
     LEFT JOIN domains d ON ((d.domain_name = t.domain)))
     LEFT JOIN LATERAL ( SELECT found.id,
            found.status,
            found.stage,
            found.due_at,
            found.created_at,
            found.started_at,
            found.finished_at,
            found.last_error,
            found.attempts,
            found.max_attempts,
            found.page_id
           FROM ( SELECT 1 AS nth,
                    live.id,
                    live.producer,
                    live.kind,
                    live.lane,
                    live.origin,
                    live.url,
                    live.rank,
                    live.status,
                    live.stage,
                    live.trigger,
                    live.source_id,
                    live.target_id,
                    live.run_id,
                    live.job_id,
                    live.adapter_id,
                    live.due_at,
                    live.attempts,
                    live.max_attempts,
                    live.losses,
                    live.fence,
                    live.lease_until,
                    live.leased_by,
                    live.page_id,
                    live.payload,
                    live.outcome,
                    live.reason,
                    live.last_error,
                    live.created_at,
                    live.started_at,
                    live.finished_at
                   FROM tasks live
                  WHERE ((live.target_id = t.id) AND (live.target_id IS NOT NULL) AND (live.status = ANY (ARRAY['queued'::text, 'running'::text])))
                UNION ALL
                 SELECT 2,
                    recent.id,
                    recent.producer,
                    recent.kind,
                    recent.lane,
                    recent.origin,
                    recent.url,
                    recent.rank,
                    recent.status,
                    recent.stage,
                    recent.trigger,
                    recent.source_id,
                    recent.target_id,
                    recent.run_id,
                    recent.job_id,
                    recent.adapter_id,
                    recent.due_at,
                    recent.attempts,
                    recent.max_attempts,
                    recent.losses,
                    recent.fence,
                    recent.lease_until,
                    recent.leased_by,
                    recent.page_id,
                    recent.payload,
                    recent.outcome,
                    recent.reason,
                    recent.last_error,
                    recent.created_at,
                    recent.started_at,
                    recent.finished_at
                   FROM tasks recent
                  WHERE (recent.id = t.last_task_id)
                UNION ALL
                 SELECT 3,
                    old.id,
                    old.producer,
                    old.kind,
                    old.lane,
                    old.origin,
                    old.url,
                    old.rank,
                    old.status,
                    old.stage,
                    old.trigger,
                    old.source_id,
                    old.target_id,
                    old.run_id,
                    old.job_id,
                    old.adapter_id,
                    old.due_at,
                    old.attempts,
                    old.max_attempts,
                    old.losses,
                    old.fence,
                    old.lease_until,
                    old.leased_by,
                    old.page_id,
                    old.payload,
                    old.outcome,
                    old.reason,
                    old.last_error,
                    old.created_at,
                    old.started_at,
                    old.finished_at
                   FROM task_archive old
                  WHERE (old.id = t.last_task_id)) found
          ORDER BY found.nth
         LIMIT 1) k ON (true))
     LEFT JOIN pages page ON ((page.id = COALESCE(k.page_id, t.last_page_id))))
""")
    op.execute("""
CREATE VIEW pipeline_jobs AS
 WITH work AS (
         SELECT tasks.id,
            tasks.producer,
            tasks.kind,
            tasks.lane,
            tasks.origin,
            tasks.url,
            tasks.rank,
            tasks.status,
            tasks.stage,
            tasks.trigger,
            tasks.source_id,
            tasks.target_id,
            tasks.run_id,
            tasks.job_id,
            tasks.adapter_id,
            tasks.due_at,
            tasks.attempts,
            tasks.max_attempts,
            tasks.losses,
            tasks.fence,
            tasks.lease_until,
            tasks.leased_by,
            tasks.page_id,
            tasks.payload,
            tasks.outcome,
            tasks.reason,
            tasks.last_error,
            tasks.created_at,
            tasks.started_at,
            tasks.finished_at
           FROM tasks
          WHERE (tasks.producer = 'events'::text)
        UNION ALL
         SELECT task_archive.id,
            task_archive.producer,
            task_archive.kind,
            task_archive.lane,
            task_archive.origin,
            task_archive.url,
            task_archive.rank,
            task_archive.status,
            task_archive.stage,
            task_archive.trigger,
            task_archive.source_id,
            task_archive.target_id,
            task_archive.run_id,
            task_archive.job_id,
            task_archive.adapter_id,
            task_archive.due_at,
            task_archive.attempts,
            task_archive.max_attempts,
            task_archive.losses,
            task_archive.fence,
            task_archive.lease_until,
            task_archive.leased_by,
            task_archive.page_id,
            task_archive.payload,
            task_archive.outcome,
            task_archive.reason,
            task_archive.last_error,
            task_archive.created_at,
            task_archive.started_at,
            task_archive.finished_at
           FROM task_archive
          WHERE (task_archive.producer = 'events'::text)
        )
 SELECT k.id,
    k.source_id,
    COALESCE((k.job_id)::text, (k.run_id)::text, (k.id)::text) AS run_id,
        CASE
            WHEN (k.status = 'done'::text) THEN 'completed'::text
            WHEN (k.status = ANY (ARRAY['failed'::text, 'cancelled'::text, 'stale'::text])) THEN 'dead_letter'::text
            ELSE at_stage.name
        END AS current_stage,
    ( SELECT jsonb_object_agg(s.name,
                CASE
                    WHEN ((k.status = 'done'::text) OR (s.nth < at_stage.nth)) THEN 'completed'::text
                    WHEN ((s.nth > at_stage.nth) OR (k.status = 'queued'::text)) THEN 'pending'::text
                    WHEN (k.status = 'running'::text) THEN 'running'::text
                    ELSE 'failed'::text
                END) AS jsonb_object_agg
           FROM ( VALUES (1,'fetch'::text), (2,'parse'::text), (3,'normalize'::text), (4,'persist'::text)) s(nth, name)) AS stage_status,
    k.attempts,
    k.max_attempts,
    k.last_error,
    k.created_at,
    k.started_at,
        CASE
            WHEN (k.status = 'done'::text) THEN k.finished_at
            ELSE NULL::timestamp with time zone
        END AS completed_at,
    (100 - k.rank) AS priority
   FROM (work k
     JOIN ( VALUES ('fetch'::text,1,'fetch'::text), ('extract'::text,2,'parse'::text), ('normalise'::text,3,'normalize'::text), ('persist'::text,4,'persist'::text), ('done'::text,5,'completed'::text)) at_stage(stage, nth, name) ON ((at_stage.stage = k.stage)))
""")
