"""The first schema: every table of DESIGN §2, with its functions, triggers and views.

Frozen: what the declarations in db/tables/ were when this was written. Later changes are later migrations.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    # extensions
    op.execute("""
-- pg_trgm: search that forgives a wrong letter. earthdistance (on cube): how far away an event is.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS cube;
CREATE EXTENSION IF NOT EXISTS earthdistance;

-- pgvector is optional: without it only semantic deduplication is off (DESIGN §9).
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        CREATE EXTENSION IF NOT EXISTS vector;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'pgvector is there but may not be installed by this user: semantic deduplication stays off';
END $$;
""")
    # currency_exponent
    op.execute("""
-- Decimals of a currency (ISO 4217). The same table as normalise/currencies.py; a test compares them.
CREATE FUNCTION currency_exponent(currency text) RETURNS smallint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND',
                      'VUV', 'XAF', 'XOF', 'XPF') THEN 0::smallint
    WHEN currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3::smallint
    ELSE 2::smallint
END;
""")
    # money_decimal
    op.execute("""
-- Minor units as a decimal, for views and exports only (DESIGN §11.6): 1999 and 2 give 19.99.
CREATE FUNCTION money_decimal(minor bigint, exponent smallint) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN round(minor / power(10::numeric, exponent), exponent);
""")
    # refuse_change
    op.execute("""
-- For tables that only ever grow.
CREATE FUNCTION refuse_change() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION USING
        ERRCODE = 'restrict_violation',
        MESSAGE = TG_TABLE_NAME || ' is append-only: ' || TG_OP || ' is refused';
END $$;
""")
    op.execute("CREATE SEQUENCE task_fences")
    op.create_table(
        "adapter_versions",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("adapter_id", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="candidate", nullable=False),
        sa.Column("domain", sa.Text(), nullable=True),
        sa.Column(
            "first_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("promoted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("promoted_by", sa.Text(), nullable=True),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state IN ('candidate','live','retired')", name=op.f("adapter_versions_state_check")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("adapter_versions_pkey")),
        sa.UniqueConstraint("adapter_id", "version", name=op.f("adapter_versions_adapter_id_version_key")),
    )
    op.create_index(
        "adapter_versions_one_live",
        "adapter_versions",
        ["adapter_id"],
        unique=True,
        postgresql_where=sa.text("state = 'live'"),
    )
    op.create_table(
        "alerts",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("dedupe_key", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column(
            "details",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("occurrences", sa.Integer(), server_default="1", nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column(
            "last_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("acknowledged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("acknowledged_by", sa.Text(), nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolved_by", sa.Text(), nullable=True),
        sa.CheckConstraint("severity IN ('P1','P2','P3')", name=op.f("alerts_severity_check")),
        sa.CheckConstraint(
            "(acknowledged_at IS NULL) = (acknowledged_by IS NULL)", name=op.f("alerts_acknowledged_check")
        ),
        sa.CheckConstraint(
            "(resolved_at IS NULL) = (resolved_by IS NULL)", name=op.f("alerts_resolved_check")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("alerts_pkey")),
    )
    op.create_index(
        "alerts_one_open",
        "alerts",
        ["dedupe_key"],
        unique=True,
        postgresql_where=sa.text("resolved_at IS NULL"),
    )
    op.create_index("idx_alerts_opened_at", "alerts", ["opened_at"], unique=False)
    op.create_table(
        "api_keys",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_by", sa.Text(), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "scopes <@ ARRAY['admin','scrape','read'] AND cardinality(scopes) >= 1",
            name=op.f("api_keys_scopes_check"),
        ),
        sa.CheckConstraint("octet_length(key_hash) = 32", name=op.f("api_keys_key_hash_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("api_keys_pkey")),
        sa.UniqueConstraint("key_hash", name=op.f("api_keys_key_hash_key")),
    )
    op.create_index(
        "api_keys_name_key", "api_keys", ["name"], unique=True, postgresql_where=sa.text("revoked_at IS NULL")
    )
    op.create_table(
        "audit_log",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("object_type", sa.Text(), nullable=False),
        sa.Column("object_id", sa.Text(), nullable=False),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("after", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "actor <> '' AND action <> '' AND object_type <> ''", name=op.f("audit_log_named_check")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("audit_log_pkey")),
    )
    op.create_index("idx_audit_log_at", "audit_log", ["at"], unique=False)
    op.create_index("idx_audit_log_object", "audit_log", ["object_type", "object_id", "at"], unique=False)
    op.create_table(
        "dead_letters",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("task_id", sa.UUID(), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("error_type", sa.Text(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("error_stack", sa.Text(), nullable=True),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("retry_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("max_retries", sa.Integer(), server_default="3", nullable=False),
        sa.Column("next_retry_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolution_notes", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "stage IN ('fetch','extract','normalise','persist','done')", name=op.f("dead_letters_stage_check")
        ),
        sa.CheckConstraint(
            "status IN ('pending','retrying','resolved','discarded')", name=op.f("dead_letters_status_check")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("dead_letters_pkey")),
    )
    op.create_index(
        "idx_dead_letters_due",
        "dead_letters",
        ["next_retry_at"],
        unique=False,
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "idx_dead_letters_status", "dead_letters", ["status", "stage", "error_type"], unique=False
    )
    op.create_index("idx_dead_letters_task_id", "dead_letters", ["task_id"], unique=False)
    op.create_table(
        "domain_circuits",
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), server_default="closed", nullable=False),
        sa.Column("recent", sa.ARRAY(sa.Boolean()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("open_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("probe_task", sa.UUID(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "state IN ('closed','open','half_open')", name=op.f("domain_circuits_state_check")
        ),
        sa.PrimaryKeyConstraint("domain", name=op.f("domain_circuits_pkey")),
    )
    op.create_table(
        "domains",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("domain_name", sa.Text(), nullable=False),
        sa.Column("base_url", sa.Text(), nullable=False),
        sa.Column("crawl_delay_seconds", sa.Double(), nullable=True),
        sa.Column("max_concurrent_requests", sa.Integer(), nullable=True),
        sa.Column("tokens_per_interval", sa.Integer(), nullable=True),
        sa.Column("interval_seconds", sa.Double(), nullable=True),
        sa.Column("min_delay_ms", sa.Integer(), nullable=True),
        sa.Column("max_delay_ms", sa.Integer(), nullable=True),
        sa.Column("hours_start", sa.SmallInteger(), nullable=True),
        sa.Column("hours_end", sa.SmallInteger(), nullable=True),
        sa.Column("respect_robots_txt", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "(hours_start IS NULL) = (hours_end IS NULL)", name=op.f("domains_hours_pair_check")
        ),
        sa.CheckConstraint(
            "(tokens_per_interval IS NULL) = (interval_seconds IS NULL)", name=op.f("domains_rate_pair_check")
        ),
        sa.CheckConstraint("char_length(base_url) <= 512", name=op.f("domains_base_url_length_check")),
        sa.CheckConstraint(
            "char_length(domain_name) BETWEEN 1 AND 255", name=op.f("domains_domain_name_length_check")
        ),
        sa.CheckConstraint(
            "crawl_delay_seconds >= 0 AND max_concurrent_requests >= 1", name=op.f("domains_limits_check")
        ),
        sa.CheckConstraint(
            "hours_start BETWEEN 0 AND 23 AND hours_end BETWEEN 0 AND 24", name=op.f("domains_hours_check")
        ),
        sa.CheckConstraint(
            "tokens_per_interval >= 1 AND interval_seconds > 0", name=op.f("domains_rate_check")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("domains_pkey")),
        sa.UniqueConstraint("domain_name", name=op.f("domains_domain_name_key")),
    )
    op.create_index("idx_domains_is_active", "domains", ["is_active"], unique=False)
    op.create_table(
        "drafts",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("task_id", sa.UUID(), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column(
            "values",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("raw_html", sa.Text(), nullable=True),
        sa.Column("strategy", sa.Text(), nullable=False),
        sa.Column("adapter_id", sa.Text(), nullable=True),
        sa.Column("adapter_version", sa.Text(), nullable=True),
        sa.Column("confidence", sa.Double(), server_default="1", nullable=False),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "kind IN ('offer','product','event','job_posting','company','profile')",
            name=op.f("drafts_kind_check"),
        ),
        sa.CheckConstraint("status IN ('pending','normalized','failed')", name=op.f("drafts_status_check")),
        sa.CheckConstraint(
            "strategy IN ('adapter','hydration','json_ld','microdata','feed','dom')",
            name=op.f("drafts_strategy_check"),
        ),
        sa.CheckConstraint("confidence BETWEEN 0 AND 1", name=op.f("drafts_confidence_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("drafts_pkey")),
    )
    op.create_index(
        "idx_drafts_pending", "drafts", ["id"], unique=False, postgresql_where=sa.text("status = 'pending'")
    )
    op.create_index("idx_drafts_task_id", "drafts", ["task_id"], unique=False)
    op.create_table(
        "enrichment_results",
        sa.Column("task_id", sa.UUID(), nullable=False),
        sa.Column("job_id", sa.UUID(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=True),
        sa.Column("target_url", sa.Text(), nullable=False),
        sa.Column("url_hash", sa.CHAR(length=64), nullable=False),
        sa.Column("requested_fields", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "kind IN ('profile','company','job_posting')", name=op.f("enrichment_results_kind_check")
        ),
        sa.CheckConstraint(
            "(data IS NULL) = (erased_at IS NOT NULL)", name=op.f("enrichment_results_erased_check")
        ),
        sa.PrimaryKeyConstraint("task_id", name=op.f("enrichment_results_pkey")),
    )
    op.create_index(
        "idx_enrichment_results_expires_at",
        "enrichment_results",
        ["expires_at"],
        unique=False,
        postgresql_where=sa.text("data IS NOT NULL"),
    )
    op.create_index(
        "idx_enrichment_results_job_id",
        "enrichment_results",
        ["job_id"],
        unique=False,
        postgresql_where=sa.text("job_id IS NOT NULL"),
    )
    op.create_index(
        "idx_enrichment_results_url_hash",
        "enrichment_results",
        ["kind", "url_hash", "created_at"],
        unique=False,
    )
    op.create_table(
        "error_logs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("task_id", sa.UUID(), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("error_class", sa.Text(), nullable=False),
        sa.Column("error_type", sa.Text(), nullable=False),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("stack_trace", sa.Text(), nullable=True),
        sa.Column("occurred_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "error_class IN ('network','parse','validation','storage','internal')",
            name=op.f("error_logs_error_class_check"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("error_logs_pkey")),
    )
    op.create_index("idx_error_logs_error_type", "error_logs", ["error_type", "occurred_at"], unique=False)
    op.create_index("idx_error_logs_occurred_at", "error_logs", ["occurred_at"], unique=False)
    op.create_index("idx_error_logs_task_id", "error_logs", ["task_id"], unique=False)
    op.create_table(
        "geocodes",
        sa.Column("query", sa.Text(), nullable=False),
        sa.Column("latitude", sa.Double(), nullable=True),
        sa.Column("longitude", sa.Double(), nullable=True),
        sa.Column("label", sa.Text(), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(latitude IS NULL) = (longitude IS NULL)", name=op.f("geocodes_coordinates_pair_check")
        ),
        sa.CheckConstraint(
            "latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180",
            name=op.f("geocodes_coordinates_check"),
        ),
        sa.PrimaryKeyConstraint("query", name=op.f("geocodes_pkey")),
    )
    op.create_table(
        "insights",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("task_id", sa.UUID(), nullable=True),
        sa.Column("job_id", sa.UUID(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("winning_strategy", sa.Text(), nullable=True),
        sa.Column(
            "strategy_trace",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("failure_reason", sa.Text(), nullable=True),
        sa.Column("detected_cms", sa.Text(), nullable=True),
        sa.Column("events_found", sa.Integer(), server_default="0", nullable=False),
        sa.Column("execution_time_ms", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "kind IN ('offer','product','event','job_posting','company','profile')",
            name=op.f("insights_kind_check"),
        ),
        sa.CheckConstraint(
            "winning_strategy IN ('adapter','hydration','json_ld','microdata','feed','dom')",
            name=op.f("insights_winning_strategy_check"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("insights_pkey")),
    )
    op.create_index("idx_insights_source_id", "insights", ["source_id", "created_at"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("producer", sa.Text(), server_default="enrichment", nullable=False),
        sa.Column("workspace_id", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), server_default="queued", nullable=False),
        sa.Column("total_tasks", sa.Integer(), nullable=False),
        sa.Column("completed_tasks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed_tasks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cancelled_tasks", sa.Integer(), server_default="0", nullable=False),
        sa.Column("callback_url", sa.Text(), nullable=True),
        sa.Column("idempotency_key", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "producer IN ('prices','catalogue','enrichment','events','feeds')",
            name=op.f("jobs_producer_check"),
        ),
        sa.CheckConstraint(
            "status IN ('queued','running','completed','partially_completed','failed','cancelled')",
            name=op.f("jobs_status_check"),
        ),
        sa.CheckConstraint("total_tasks >= 1", name=op.f("jobs_total_tasks_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("jobs_pkey")),
    )
    op.create_index("idx_jobs_created_at", "jobs", ["created_at"], unique=False)
    op.create_index("idx_jobs_status", "jobs", ["status"], unique=False)
    op.create_index(
        "jobs_idempotency_key_key",
        "jobs",
        ["idempotency_key"],
        unique=True,
        postgresql_where=sa.text("idempotency_key IS NOT NULL"),
    )
    op.create_table(
        "lanes",
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("queued", sa.Integer(), server_default="0", nullable=False),
        sa.Column("in_flight", sa.Integer(), server_default="0", nullable=False),
        sa.Column("best_rank", sa.SmallInteger(), server_default="100", nullable=False),
        sa.Column("tokens", sa.Integer(), server_default="1", nullable=False),
        sa.Column("interval_seconds", sa.Double(), server_default="2", nullable=False),
        sa.Column("spacing_seconds", sa.Double(), server_default="2", nullable=False),
        sa.Column("max_concurrent", sa.Integer(), server_default="1", nullable=False),
        sa.Column("hours_start", sa.SmallInteger(), nullable=True),
        sa.Column("hours_end", sa.SmallInteger(), nullable=True),
        sa.Column(
            "limits_from",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column(
            "slot_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("'-infinity'::timestamptz"),
            nullable=False,
        ),
        sa.Column(
            "turn_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("'-infinity'::timestamptz"),
            nullable=False,
        ),
        sa.Column(
            "grant_at",
            sa.ARRAY(sa.DateTime(timezone=True)),
            server_default=sa.text("'{}'::timestamptz[]"),
            nullable=False,
        ),
        sa.Column(
            "grant_n", sa.ARRAY(sa.Integer()), server_default=sa.text("'{}'::integer[]"), nullable=False
        ),
        sa.Column("slowed_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("held_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("half_open", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("paused", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "(hours_start IS NULL) = (hours_end IS NULL)", name=op.f("lanes_hours_pair_check")
        ),
        sa.CheckConstraint(
            "hours_start BETWEEN 0 AND 23 AND hours_end BETWEEN 0 AND 24", name=op.f("lanes_hours_check")
        ),
        sa.CheckConstraint("max_concurrent >= 1", name=op.f("lanes_concurrency_check")),
        sa.CheckConstraint("queued >= 0 AND in_flight >= 0", name=op.f("lanes_counts_check")),
        sa.CheckConstraint(
            "tokens >= 1 AND interval_seconds > 0 AND spacing_seconds >= 0", name=op.f("lanes_rate_check")
        ),
        sa.PrimaryKeyConstraint("lane", name=op.f("lanes_pkey")),
        postgresql_with={
            "fillfactor": "50",
            "autovacuum_vacuum_scale_factor": "0",
            "autovacuum_vacuum_threshold": "500",
        },
    )
    op.create_index(
        "idx_lanes_turn_at",
        "lanes",
        ["turn_at"],
        unique=False,
        postgresql_where=sa.text("queued > 0 AND in_flight < max_concurrent AND NOT paused"),
    )
    op.create_table(
        "municipalities",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("region", sa.Text(), server_default="", nullable=False),
        sa.Column("country", sa.CHAR(length=2), server_default="NL", nullable=False),
        sa.Column("population", sa.Integer(), server_default="0", nullable=False),
        sa.Column("latitude", sa.Double(), nullable=False),
        sa.Column("longitude", sa.Double(), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("last_searched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180",
            name=op.f("municipalities_coordinates_check"),
        ),
        sa.CheckConstraint("population >= 0", name=op.f("municipalities_population_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("municipalities_pkey")),
        sa.UniqueConstraint("country", "region", "name", name=op.f("municipalities_country_region_name_key")),
    )
    op.create_index(
        "idx_municipalities_last_searched_at",
        "municipalities",
        ["last_searched_at"],
        unique=False,
        postgresql_where=sa.text("enabled"),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("topic <> ''", name=op.f("outbox_topic_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("outbox_pkey")),
    )
    op.create_index(
        "idx_outbox_published_at",
        "outbox",
        ["published_at"],
        unique=False,
        postgresql_where=sa.text("published_at IS NOT NULL"),
    )
    op.create_index(
        "idx_outbox_unpublished",
        "outbox",
        ["id"],
        unique=False,
        postgresql_where=sa.text("published_at IS NULL"),
    )
    op.create_table(
        "pages",
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("task_id", sa.UUID(), nullable=True),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("target_id", sa.BigInteger(), nullable=True),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("final_url", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("status_code", sa.SmallInteger(), nullable=True),
        sa.Column("fetcher_used", sa.Text(), server_default="static", nullable=False),
        sa.Column("is_failover", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("fetch_duration_ms", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=True),
        sa.Column("body_bytes", sa.Integer(), nullable=True),
        sa.Column("stored_bytes", sa.Integer(), nullable=True),
        sa.Column("charset", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.Column(
            "decision",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("screenshot_hash", sa.Text(), nullable=True),
        sa.Column("body_deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "fetcher_used IN ('static','dynamic','scrapingbee')", name=op.f("pages_fetcher_used_check")
        ),
        sa.CheckConstraint(
            "outcome IN ('ok','error','blocked','timeout','too_large','robots_blocked','incomplete','refused')",
            name=op.f("pages_outcome_check"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pages_pkey")),
    )
    op.create_index("idx_pages_content_hash", "pages", ["source_id", "content_hash"], unique=False)
    op.create_index("idx_pages_created_at", "pages", ["created_at"], unique=False)
    op.create_index(
        "idx_pages_target_id",
        "pages",
        ["target_id", "created_at"],
        unique=False,
        postgresql_where=sa.text("target_id IS NOT NULL"),
    )
    op.create_index("idx_pages_task_id", "pages", ["task_id"], unique=False)
    op.create_table(
        "products",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("brand", sa.Text(), nullable=True),
        sa.Column("mpn", sa.Text(), nullable=True),
        sa.Column("gtin", sa.CHAR(length=14), nullable=True),
        sa.Column("brand_key", sa.Text(), nullable=True),
        sa.Column("mpn_key", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("image_url", sa.Text(), nullable=True),
        sa.Column(
            "attributes",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("gtin ~ '^[0-9]{14}$'", name=op.f("products_gtin_check")),
        sa.CheckConstraint(
            "(brand_key IS NULL) = (mpn_key IS NULL)", name=op.f("products_brand_mpn_pair_check")
        ),
        sa.CheckConstraint("gtin IS NOT NULL OR mpn_key IS NOT NULL", name=op.f("products_identified_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("products_pkey")),
    )
    op.create_index(
        "idx_products_brand_mpn",
        "products",
        ["brand_key", "mpn_key"],
        unique=False,
        postgresql_where=sa.text("mpn_key IS NOT NULL"),
    )
    op.create_index(
        "products_brand_mpn_key",
        "products",
        ["brand_key", "mpn_key"],
        unique=True,
        postgresql_where=sa.text("gtin IS NULL"),
    )
    op.create_index(
        "products_gtin_key", "products", ["gtin"], unique=True, postgresql_where=sa.text("gtin IS NOT NULL")
    )
    op.create_table(
        "proxies",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("proxy_url", sa.Text(), nullable=False),
        sa.Column("proxy_port", sa.Integer(), nullable=False),
        sa.Column("proxy_protocol", sa.Text(), server_default="http", nullable=False),
        sa.Column("proxy_username", sa.Text(), nullable=True),
        sa.Column("proxy_password", sa.LargeBinary(), nullable=True),
        sa.Column("region", sa.Text(), nullable=True),
        sa.Column("is_active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("is_healthy", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("success_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("total_failure_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_success_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_failure_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("avg_response_time_ms", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "proxy_protocol IN ('http','https','socks5')", name=op.f("proxies_proxy_protocol_check")
        ),
        sa.CheckConstraint("proxy_port BETWEEN 1 AND 65535", name=op.f("proxies_proxy_port_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("proxies_pkey")),
    )
    op.create_index("idx_proxies_failure_count", "proxies", ["failure_count"], unique=False)
    op.create_index("idx_proxies_is_active", "proxies", ["is_active"], unique=False)
    op.create_index("idx_proxies_last_used_at", "proxies", ["last_used_at"], unique=False)
    op.create_index(
        "proxies_endpoint_key",
        "proxies",
        ["proxy_protocol", "proxy_url", "proxy_port", "proxy_username"],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    op.create_table(
        "proxy_uses",
        sa.Column("proxy_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("window_start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("request_count", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("proxy_id", "domain", name=op.f("proxy_uses_pkey")),
    )
    op.create_table(
        "quarantine",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("record_id", sa.BigInteger(), nullable=True),
        sa.Column("task_id", sa.UUID(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("target_id", sa.BigInteger(), nullable=True),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("kind", sa.Text(), server_default="offer", nullable=False),
        sa.Column("adapter_id", sa.Text(), nullable=True),
        sa.Column("adapter_version", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=True),
        sa.Column(
            "findings",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolved_by", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('offer','product','event','job_posting','company','profile')",
            name=op.f("quarantine_kind_check"),
        ),
        sa.CheckConstraint(
            "reason IN ('VALIDATION_FAILED','DRIFT_DETECTED','SELECTOR_FAILURE','NORMALIZATION_FAILED','ZERO_PRICE_EXTRACTED','AMBIGUOUS_PRICE','IMPLAUSIBLE_PRICE')",
            name=op.f("quarantine_reason_check"),
        ),
        sa.CheckConstraint(
            "resolution IN ('accept','reject','corrected','superseded')",
            name=op.f("quarantine_resolution_check"),
        ),
        sa.CheckConstraint(
            "(resolution IS NULL) = (resolved_at IS NULL) AND (resolution IS NULL OR resolved_by IS NOT NULL)",
            name=op.f("quarantine_resolved_check"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("quarantine_pkey")),
    )
    op.create_index(
        "idx_quarantine_open",
        "quarantine",
        ["created_at"],
        unique=False,
        postgresql_where=sa.text("resolved_at IS NULL"),
    )
    op.create_index("idx_quarantine_run_id", "quarantine", ["run_id"], unique=False)
    op.create_index(
        "idx_quarantine_target_id",
        "quarantine",
        ["target_id"],
        unique=False,
        postgresql_where=sa.text("resolved_at IS NULL"),
    )
    op.create_table(
        "records",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("task_id", sa.UUID(), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("target_id", sa.BigInteger(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("draft_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("identity_key", sa.Text(), nullable=True),
        sa.Column("fingerprint", sa.CHAR(length=64), nullable=True),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column(
            "provenance",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("adapter_id", sa.Text(), nullable=True),
        sa.Column("adapter_version", sa.Text(), nullable=True),
        sa.Column("normalization_method", sa.Text(), server_default="rules", nullable=False),
        sa.Column("confidence", sa.Double(), server_default="1", nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reasons", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False),
        sa.Column(
            "findings",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "kind <> 'event' OR fingerprint IS NOT NULL", name=op.f("records_event_fingerprint_check")
        ),
        sa.CheckConstraint(
            "kind IN ('offer','product','event','job_posting','company','profile')",
            name=op.f("records_kind_check"),
        ),
        sa.CheckConstraint(
            "normalization_method IN ('rules','ai','hybrid')", name=op.f("records_normalization_method_check")
        ),
        sa.CheckConstraint(
            "status IN ('pending','persisted','duplicate','failed')", name=op.f("records_status_check")
        ),
        sa.CheckConstraint("verdict <> 'reject' OR status = 'failed'", name=op.f("records_rejected_check")),
        sa.CheckConstraint(
            "verdict = 'accept' OR cardinality(reasons) > 0", name=op.f("records_reasons_check")
        ),
        sa.CheckConstraint("verdict IN ('accept','hold','reject')", name=op.f("records_verdict_check")),
        sa.CheckConstraint("confidence BETWEEN 0 AND 1", name=op.f("records_confidence_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("records_pkey")),
    )
    op.create_index(
        "idx_records_fingerprint",
        "records",
        ["source_id", "fingerprint"],
        unique=True,
        postgresql_where=sa.text("kind = 'event' AND status = 'pending'"),
    )
    op.create_index("idx_records_task_id", "records", ["task_id"], unique=False)
    op.create_table(
        "replays",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("mode", sa.Text(), server_default="stored", nullable=False),
        sa.Column("adapter_id", sa.Text(), nullable=False),
        sa.Column("live_version", sa.Text(), nullable=True),
        sa.Column("candidate_version", sa.Text(), nullable=True),
        sa.Column(
            "scope",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("status", sa.Text(), server_default="running", nullable=False),
        sa.Column("pages", sa.Integer(), server_default="0", nullable=False),
        sa.Column("same", sa.Integer(), server_default="0", nullable=False),
        sa.Column("changed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("gained", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lost", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("requested_by", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("mode IN ('stored','shadow')", name=op.f("replays_mode_check")),
        sa.CheckConstraint(
            "status IN ('running','done','failed','cancelled')", name=op.f("replays_status_check")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("replays_pkey")),
    )
    op.create_index("idx_replays_adapter_id", "replays", ["adapter_id", "created_at"], unique=False)
    op.create_table(
        "retailers",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("website", sa.Text(), nullable=True),
        sa.Column("domain", sa.Text(), nullable=True),
        sa.Column("logo_url", sa.Text(), nullable=True),
        sa.Column("tier", sa.Text(), server_default="standard", nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("btrim(name) <> ''", name=op.f("retailers_name_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("retailers_pkey")),
        sa.UniqueConstraint("name", name=op.f("retailers_name_key")),
    )
    op.create_table(
        "robots",
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("status_code", sa.SmallInteger(), nullable=True),
        sa.Column("error_class", sa.Text(), nullable=True),
        sa.Column("failures", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("crawl_delay_seconds", sa.Double(), nullable=True),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("refreshing_until", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state <> 'rules' OR body IS NOT NULL", name=op.f("robots_rules_have_body_check")),
        sa.CheckConstraint(
            "state IN ('unknown','rules','allow_all','unreachable')", name=op.f("robots_state_check")
        ),
        sa.PrimaryKeyConstraint("origin", name=op.f("robots_pkey")),
    )
    op.create_index("idx_robots_domain", "robots", ["domain"], unique=False)
    op.create_table(
        "scheduler_state",
        sa.Column("id", sa.SmallInteger(), server_default="1", autoincrement=False, nullable=False),
        sa.Column("scheduler_backoff_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rejected_cycles", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_tick_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_recheck_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_stale_sweep_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("scheduler_state_single_row_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("scheduler_state_pkey")),
    )
    op.create_table(
        "scrape_adapter_status",
        sa.Column("adapter_id", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("disabled_by", sa.Text(), nullable=True),
        sa.Column("enabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("enabled_by", sa.Text(), nullable=True),
        sa.Column("close_monitoring", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("baseline_failure_rate", sa.Numeric(precision=5, scale=4), nullable=True),
        sa.Column("baseline_yield_rate", sa.Numeric(precision=5, scale=4), nullable=True),
        sa.Column("baseline_sample_size", sa.Integer(), server_default="0", nullable=False),
        sa.Column("baseline_updated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("consecutive_failed_batches", sa.Integer(), server_default="0", nullable=False),
        sa.Column("consecutive_zero_offer_runs", sa.Integer(), server_default="0", nullable=False),
        sa.Column("consecutive_zero_price_runs", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_batch_failure_rate", sa.Numeric(precision=5, scale=4), nullable=True),
        sa.Column("last_run_id", sa.BigInteger(), nullable=True),
        sa.Column("live_version", sa.Text(), nullable=True),
        sa.Column("candidate_version", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "disabled_reason IN ('MANUAL','DRIFT_DETECTED','ToS_VIOLATION')",
            name=op.f("scrape_adapter_status_disabled_reason_check"),
        ),
        sa.CheckConstraint(
            "consecutive_failed_batches >= 0 AND consecutive_zero_offer_runs >= 0 AND consecutive_zero_price_runs >= 0",
            name=op.f("scrape_adapter_status_counts_check"),
        ),
        sa.CheckConstraint(
            "enabled OR (disabled_at IS NOT NULL AND disabled_reason IS NOT NULL)",
            name=op.f("scrape_adapter_status_disabled_check"),
        ),
        sa.PrimaryKeyConstraint("adapter_id", name=op.f("scrape_adapter_status_pkey")),
    )
    op.create_table(
        "task_archive",
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="offer", nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), server_default="", nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("rank", sa.SmallInteger(), server_default="100", nullable=False),
        sa.Column("status", sa.Text(), server_default="queued", nullable=False),
        sa.Column("stage", sa.Text(), server_default="fetch", nullable=False),
        sa.Column("trigger", sa.Text(), server_default="SCHEDULED", nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("target_id", sa.BigInteger(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("job_id", sa.UUID(), nullable=True),
        sa.Column("adapter_id", sa.Text(), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("max_attempts", sa.SmallInteger(), server_default="3", nullable=False),
        sa.Column("losses", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("leased_by", sa.Text(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("task_archive_pkey")),
    )
    op.create_index("idx_task_archive_finished_at", "task_archive", ["finished_at"], unique=False)
    op.create_index(
        "idx_task_archive_job_id",
        "task_archive",
        ["job_id"],
        unique=False,
        postgresql_where=sa.text("job_id IS NOT NULL"),
    )
    op.create_index(
        "idx_task_archive_run_id",
        "task_archive",
        ["run_id"],
        unique=False,
        postgresql_where=sa.text("run_id IS NOT NULL"),
    )
    op.create_index(
        "idx_task_archive_target_id",
        "task_archive",
        ["target_id"],
        unique=False,
        postgresql_where=sa.text("target_id IS NOT NULL"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.UUID(), nullable=False),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="offer", nullable=False),
        sa.Column("lane", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), server_default="", nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("rank", sa.SmallInteger(), server_default="100", nullable=False),
        sa.Column("status", sa.Text(), server_default="queued", nullable=False),
        sa.Column("stage", sa.Text(), server_default="fetch", nullable=False),
        sa.Column("trigger", sa.Text(), server_default="SCHEDULED", nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("target_id", sa.BigInteger(), nullable=True),
        sa.Column("run_id", sa.BigInteger(), nullable=True),
        sa.Column("job_id", sa.UUID(), nullable=True),
        sa.Column("adapter_id", sa.Text(), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("max_attempts", sa.SmallInteger(), server_default="3", nullable=False),
        sa.Column("losses", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("fence", sa.BigInteger(), nullable=True),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("leased_by", sa.Text(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "producer IN ('prices','catalogue','enrichment','events','feeds')",
            name=op.f("tasks_producer_check"),
        ),
        sa.CheckConstraint(
            "stage IN ('fetch','extract','normalise','persist','done')", name=op.f("tasks_stage_check")
        ),
        sa.CheckConstraint(
            "status <> 'running' OR (fence IS NOT NULL AND lease_until IS NOT NULL)",
            name=op.f("tasks_leased_check"),
        ),
        sa.CheckConstraint(
            "status IN ('queued','running','done','failed','cancelled','stale')",
            name=op.f("tasks_status_check"),
        ),
        sa.CheckConstraint(
            "trigger IN ('SCHEDULED','MANUAL','RETRY','RECHECK')", name=op.f("tasks_trigger_check")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("tasks_pkey")),
        postgresql_with={
            "fillfactor": "70",
            "autovacuum_vacuum_scale_factor": "0.02",
            "autovacuum_vacuum_insert_scale_factor": "0.05",
        },
    )
    op.create_index(
        "idx_tasks_finished",
        "tasks",
        ["finished_at"],
        unique=False,
        postgresql_where=sa.text("finished_at IS NOT NULL"),
    )
    op.create_index(
        "idx_tasks_job_id", "tasks", ["job_id"], unique=False, postgresql_where=sa.text("job_id IS NOT NULL")
    )
    op.create_index(
        "idx_tasks_leased",
        "tasks",
        ["lease_until"],
        unique=False,
        postgresql_where=sa.text("status = 'running'"),
    )
    op.create_index(
        "idx_tasks_one_per_target",
        "tasks",
        ["target_id"],
        unique=True,
        postgresql_where=sa.text("target_id IS NOT NULL AND status IN ('queued','running')"),
    )
    op.create_index(
        "idx_tasks_pending",
        "tasks",
        ["producer", "adapter_id"],
        unique=False,
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "idx_tasks_ready",
        "tasks",
        ["lane", "rank", "id"],
        unique=False,
        postgresql_where=sa.text("status = 'queued' AND due_at IS NULL"),
    )
    op.create_index(
        "idx_tasks_run_id", "tasks", ["run_id"], unique=False, postgresql_where=sa.text("run_id IS NOT NULL")
    )
    op.create_index(
        "idx_tasks_waiting",
        "tasks",
        ["due_at"],
        unique=False,
        postgresql_where=sa.text("status = 'queued' AND due_at IS NOT NULL"),
    )
    op.create_table(
        "users",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), server_default="viewer", nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("failed_logins", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("locked_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_login_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "password_changed_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("must_change_password", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("session_epoch", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("password_hash LIKE '$argon2id$%%'", name=op.f("users_password_hash_check")),
        sa.CheckConstraint("role IN ('admin','operator','viewer')", name=op.f("users_role_check")),
        sa.CheckConstraint("failed_logins >= 0", name=op.f("users_failed_logins_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("users_pkey")),
    )
    op.create_index("users_username_key", "users", [sa.literal_column("lower(username)")], unique=True)
    op.create_table(
        "webhook_endpoints",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), server_default="webhook", nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("topics", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False),
        sa.Column("secret_ciphertext", sa.LargeBinary(), nullable=True),
        sa.Column("secret_key_id", sa.Text(), nullable=True),
        sa.Column("secret_version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("consecutive_failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.CheckConstraint("channel IN ('webhook','slack')", name=op.f("webhook_endpoints_channel_check")),
        sa.PrimaryKeyConstraint("id", name=op.f("webhook_endpoints_pkey")),
        sa.UniqueConstraint("name", name=op.f("webhook_endpoints_name_key")),
    )
    op.create_table(
        "deliveries",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("message_id", sa.UUID(), nullable=False),
        sa.Column("outbox_id", sa.BigInteger(), nullable=True),
        sa.Column("endpoint_id", sa.BigInteger(), nullable=True),
        sa.Column("job_id", sa.UUID(), nullable=True),
        sa.Column("channel", sa.Text(), server_default="webhook", nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("max_attempts", sa.SmallInteger(), server_default="4", nullable=False),
        sa.Column(
            "next_attempt_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_status_code", sa.SmallInteger(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("last_duration_ms", sa.Integer(), nullable=True),
        sa.Column("redelivery_of", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("delivered_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(status = 'delivered') = (delivered_at IS NOT NULL)", name=op.f("deliveries_delivered_check")
        ),
        sa.CheckConstraint("channel IN ('webhook','slack')", name=op.f("deliveries_channel_check")),
        sa.CheckConstraint(
            "status IN ('pending','sending','delivered','dead')", name=op.f("deliveries_status_check")
        ),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name=op.f("deliveries_endpoint_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("deliveries_pkey")),
        sa.UniqueConstraint("message_id", name=op.f("deliveries_message_id_key")),
    )
    op.create_index(
        "deliveries_once_per_endpoint",
        "deliveries",
        ["outbox_id", "endpoint_id"],
        unique=True,
        postgresql_where=sa.text("outbox_id IS NOT NULL AND redelivery_of IS NULL"),
    )
    op.create_index(
        "idx_deliveries_due",
        "deliveries",
        ["next_attempt_at"],
        unique=False,
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "idx_deliveries_job_id",
        "deliveries",
        ["job_id"],
        unique=False,
        postgresql_where=sa.text("job_id IS NOT NULL"),
    )
    op.create_index(
        "idx_deliveries_leased",
        "deliveries",
        ["lease_until"],
        unique=False,
        postgresql_where=sa.text("status = 'sending'"),
    )
    op.create_index("idx_deliveries_status", "deliveries", ["status", "created_at"], unique=False)
    op.create_table(
        "discovery_jobs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("municipality_id", sa.BigInteger(), nullable=False),
        sa.Column("municipality", sa.Text(), nullable=False),
        sa.Column("population", sa.Integer(), nullable=False),
        sa.Column("latitude", sa.Double(), nullable=False),
        sa.Column("longitude", sa.Double(), nullable=False),
        sa.Column(
            "search_queries", sa.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("status", sa.Text(), server_default="pending", nullable=False),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("attempts", sa.SmallInteger(), server_default="0", nullable=False),
        sa.Column("checkpoint", sa.Integer(), server_default="0", nullable=False),
        sa.Column("results", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("sources_found", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "status IN ('pending','processing','completed','failed')",
            name=op.f("discovery_jobs_status_check"),
        ),
        sa.ForeignKeyConstraint(
            ["municipality_id"],
            ["municipalities.id"],
            name=op.f("discovery_jobs_municipality_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("discovery_jobs_pkey")),
    )
    op.create_index(
        "discovery_jobs_one_open_per_municipality",
        "discovery_jobs",
        ["municipality_id"],
        unique=True,
        postgresql_where=sa.text("status IN ('pending','processing')"),
    )
    op.create_index(
        "idx_discovery_jobs_cache", "discovery_jobs", ["municipality_id", "completed_at"], unique=False
    )
    op.create_table(
        "replay_differences",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("replay_id", sa.BigInteger(), nullable=False),
        sa.Column("page_id", sa.UUID(), nullable=False),
        sa.Column("identity_key", sa.Text(), nullable=True),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("after", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["replay_id"], ["replays.id"], name=op.f("replay_differences_replay_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("replay_differences_pkey")),
    )
    op.create_index(
        "idx_replay_differences_replay_id", "replay_differences", ["replay_id", "field"], unique=False
    )
    op.create_table(
        "sources",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="offer", nullable=False),
        sa.Column("retailer_id", sa.BigInteger(), nullable=True),
        sa.Column("source_kind", sa.Text(), server_default="DIRECT", nullable=False),
        sa.Column("is_display_primary", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("affiliate_network", sa.Text(), nullable=True),
        sa.Column("affiliate_account_id", sa.Text(), nullable=True),
        sa.Column("affiliate_account_name", sa.Text(), nullable=True),
        sa.Column("affiliate_tracking_template", sa.Text(), nullable=True),
        sa.Column("adapter_id", sa.Text(), nullable=True),
        sa.Column(
            "scrape_config",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column(
            "tier_config",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("tos_reviewed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tos_approved_by", sa.Text(), nullable=True),
        sa.Column("robots_compliant", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("auto_disabled", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("auto_disabled_reason", sa.Text(), nullable=True),
        sa.Column("paused", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("needs_review", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("review_reason", sa.Text(), nullable=True),
        sa.Column("schedule", sa.Text(), nullable=True),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("tier", sa.Text(), server_default="standard", nullable=False),
        sa.Column("deep_scrape_enabled", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("default_latitude", sa.Double(), nullable=True),
        sa.Column("default_longitude", sa.Double(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=True),
        sa.Column("locale", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("preferred_method", sa.Text(), nullable=True),
        sa.Column("last_winning_strategy", sa.Text(), nullable=True),
        sa.Column("consecutive_wins", sa.Integer(), server_default="0", nullable=False),
        sa.Column("preferred_fetcher", sa.Text(), nullable=True),
        sa.Column("detected_cms", sa.Text(), nullable=True),
        sa.Column("last_scraped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_success_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_failure_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("consecutive_failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("historical_event_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("reliability_score", sa.Double(), server_default="0.5", nullable=False),
        sa.Column("discovery_confidence", sa.Double(), nullable=True),
        sa.Column("discovery_job_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.CheckConstraint("affiliate_network IN ('IMPACT')", name=op.f("sources_affiliate_network_check")),
        sa.CheckConstraint(
            "kind IN ('offer','product','event','job_posting','company','profile')",
            name=op.f("sources_kind_check"),
        ),
        sa.CheckConstraint(
            "last_winning_strategy IN ('adapter','hydration','json_ld','microdata','feed','dom')",
            name=op.f("sources_last_winning_strategy_check"),
        ),
        sa.CheckConstraint(
            "preferred_fetcher IN ('static','dynamic','scrapingbee')",
            name=op.f("sources_preferred_fetcher_check"),
        ),
        sa.CheckConstraint(
            "preferred_method IN ('adapter','hydration','json_ld','microdata','feed','dom')",
            name=op.f("sources_preferred_method_check"),
        ),
        sa.CheckConstraint(
            "retailer_id IS NOT NULL OR (kind <> 'offer' AND source_kind <> 'AFFILIATE_FEED')",
            name=op.f("sources_retailer_check"),
        ),
        sa.CheckConstraint(
            "source_kind IN ('DIRECT','AFFILIATE_FEED','OTHER')", name=op.f("sources_source_kind_check")
        ),
        sa.CheckConstraint(
            "(default_latitude IS NULL) = (default_longitude IS NULL)",
            name=op.f("sources_default_coordinates_pair_check"),
        ),
        sa.CheckConstraint(
            "consecutive_failures >= 0 AND consecutive_wins >= 0", name=op.f("sources_counts_check")
        ),
        sa.CheckConstraint(
            "default_latitude BETWEEN -90 AND 90 AND default_longitude BETWEEN -180 AND 180",
            name=op.f("sources_default_coordinates_check"),
        ),
        sa.CheckConstraint(
            "discovery_confidence BETWEEN 0 AND 1", name=op.f("sources_discovery_confidence_check")
        ),
        sa.CheckConstraint("reliability_score BETWEEN 0 AND 1", name=op.f("sources_reliability_score_check")),
        sa.ForeignKeyConstraint(
            ["discovery_job_id"],
            ["discovery_jobs.id"],
            name=op.f("sources_discovery_job_id_fkey"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(["retailer_id"], ["retailers.id"], name=op.f("sources_retailer_id_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("sources_pkey")),
    )
    op.create_index("idx_sources_domain", "sources", ["domain"], unique=False)
    op.create_index(
        "sources_one_primary_per_retailer",
        "sources",
        ["retailer_id"],
        unique=True,
        postgresql_where=sa.text("is_display_primary"),
    )
    op.create_index("sources_retailer_id_idx", "sources", ["retailer_id"], unique=False)
    op.create_table(
        "affiliate_feeds",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("network", sa.Text(), server_default="IMPACT", nullable=False),
        sa.Column("status", sa.Text(), server_default="DRAFT", nullable=False),
        sa.Column("schedule_frequency_hours", sa.Integer(), nullable=True),
        sa.Column("next_run_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expiry_hours", sa.Integer(), server_default="48", nullable=False),
        sa.Column("heartbeat_hours", sa.Integer(), server_default="24", nullable=False),
        sa.Column("consecutive_failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_run_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("manual_run_pending", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("manual_run_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("transport", sa.Text(), server_default="SFTP", nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("port", sa.Integer(), nullable=True),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("username", sa.Text(), nullable=True),
        sa.Column("host_key_fingerprint", sa.Text(), nullable=True),
        sa.Column("secret_ciphertext", sa.LargeBinary(), nullable=True),
        sa.Column("secret_key_id", sa.Text(), nullable=True),
        sa.Column("secret_version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("format", sa.Text(), server_default="CSV", nullable=False),
        sa.Column("compression", sa.Text(), server_default="NONE", nullable=False),
        sa.Column("last_remote_mtime", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_remote_size", sa.BigInteger(), nullable=True),
        sa.Column("last_content_hash", sa.Text(), nullable=True),
        sa.Column("max_file_size_bytes", sa.BigInteger(), nullable=True),
        sa.Column("max_row_count", sa.Integer(), nullable=True),
        sa.Column("feed_lock_id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.CheckConstraint("compression IN ('NONE','GZIP')", name=op.f("affiliate_feeds_compression_check")),
        sa.CheckConstraint("format IN ('CSV')", name=op.f("affiliate_feeds_format_check")),
        sa.CheckConstraint("network IN ('IMPACT')", name=op.f("affiliate_feeds_network_check")),
        sa.CheckConstraint(
            "next_run_at IS NULL OR status NOT IN ('PAUSED','DISABLED')",
            name=op.f("affiliate_feeds_next_run_at_check"),
        ),
        sa.CheckConstraint(
            "status IN ('DRAFT','ENABLED','PAUSED','DISABLED')", name=op.f("affiliate_feeds_status_check")
        ),
        sa.CheckConstraint(
            "transport IN ('FTP','SFTP','FILE')", name=op.f("affiliate_feeds_transport_check")
        ),
        sa.CheckConstraint(
            "consecutive_failures >= 0 AND secret_version >= 1", name=op.f("affiliate_feeds_counts_check")
        ),
        sa.CheckConstraint("expiry_hours BETWEEN 1 AND 168", name=op.f("expiry_hours_range")),
        sa.CheckConstraint("heartbeat_hours >= 1", name=op.f("affiliate_feeds_heartbeat_hours_check")),
        sa.CheckConstraint(
            "max_file_size_bytes > 0 AND max_row_count > 0", name=op.f("affiliate_feeds_limits_check")
        ),
        sa.CheckConstraint("port BETWEEN 1 AND 65535", name=op.f("affiliate_feeds_port_check")),
        sa.CheckConstraint(
            "schedule_frequency_hours IN (1,2,4,6,12,24)",
            name=op.f("affiliate_feeds_schedule_frequency_hours_check"),
        ),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("affiliate_feeds_source_id_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("affiliate_feeds_pkey")),
        sa.UniqueConstraint("feed_lock_id", name=op.f("affiliate_feeds_feed_lock_id_key")),
        sa.UniqueConstraint("source_id", name=op.f("affiliate_feeds_source_id_key")),
    )
    op.create_index(
        "idx_affiliate_feeds_due",
        "affiliate_feeds",
        ["next_run_at"],
        unique=False,
        postgresql_where=sa.text("status = 'ENABLED'"),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("event_fingerprint", sa.CHAR(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("event_date", sa.DateTime(timezone=True), nullable=False),
        sa.Column("event_time", sa.Text(), server_default="TBD", nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column(
            "structured_date",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("venue_name", sa.Text(), nullable=False),
        sa.Column("latitude", sa.Double(), nullable=False),
        sa.Column("longitude", sa.Double(), nullable=False),
        sa.Column("structured_location", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("needs_geocoding", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("category", sa.Text(), server_default="community", nullable=False),
        sa.Column("image_url", sa.Text(), nullable=True),
        sa.Column("detail_url", sa.Text(), nullable=True),
        sa.Column("event_type", sa.Text(), server_default="anchor", nullable=False),
        sa.Column("status", sa.Text(), server_default="published", nullable=False),
        sa.Column("merged_into", sa.BigInteger(), nullable=True),
        sa.Column("social_proof", sa.Integer(), server_default="0", nullable=False),
        sa.Column("confidence_score", sa.Double(), server_default="1", nullable=False),
        sa.Column("normalization_method", sa.Text(), server_default="rules", nullable=False),
        sa.Column("content_hash", sa.CHAR(length=64), nullable=True),
        sa.Column("record_id", sa.BigInteger(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column(
            "last_seen_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint("btrim(title) <> '' AND btrim(venue_name) <> ''", name=op.f("events_texts_check")),
        sa.CheckConstraint(
            "category IN ('arts','community','education','family','food','market','music','nature','nightlife','sport')",
            name=op.f("events_category_check"),
        ),
        sa.CheckConstraint(
            "event_time = 'TBD' OR event_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'",
            name=op.f("events_event_time_check"),
        ),
        sa.CheckConstraint(
            "normalization_method IN ('rules','ai','hybrid')", name=op.f("events_normalization_method_check")
        ),
        sa.CheckConstraint("status <> 'merged' OR merged_into IS NOT NULL", name=op.f("events_merged_check")),
        sa.CheckConstraint(
            "status IN ('published','hidden','cancelled','merged')", name=op.f("events_status_check")
        ),
        sa.CheckConstraint("confidence_score BETWEEN 0 AND 1", name=op.f("events_confidence_score_check")),
        sa.CheckConstraint(
            "latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180",
            name=op.f("events_coordinates_check"),
        ),
        sa.CheckConstraint("merged_into <> id", name=op.f("events_merged_into_check")),
        sa.ForeignKeyConstraint(
            ["merged_into"], ["events.id"], name=op.f("events_merged_into_fkey"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("events_source_id_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("events_pkey")),
        sa.UniqueConstraint(
            "source_id", "event_fingerprint", name=op.f("events_source_id_event_fingerprint_key")
        ),
    )
    op.create_index(
        "idx_events_event_date",
        "events",
        ["event_date"],
        unique=False,
        postgresql_where=sa.text("status = 'published'"),
    )
    op.create_index(
        "idx_events_merged_into",
        "events",
        ["merged_into"],
        unique=False,
        postgresql_where=sa.text("merged_into IS NOT NULL"),
    )
    op.create_index(
        "idx_events_needs_geocoding",
        "events",
        ["id"],
        unique=False,
        postgresql_where=sa.text("needs_geocoding"),
    )
    op.create_index(
        "idx_events_place",
        "events",
        [sa.literal_column("point(longitude, latitude)")],
        unique=False,
        postgresql_using="gist",
        postgresql_where=sa.text("status = 'published'"),
    )
    op.create_table(
        "scrape_runs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("adapter_id", sa.Text(), nullable=False),
        sa.Column("adapter_version", sa.Text(), server_default="", nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("retailer_id", sa.BigInteger(), nullable=True),
        sa.Column("trigger", sa.Text(), server_default="SCHEDULED", nullable=False),
        sa.Column("status", sa.Text(), server_default="RUNNING", nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("duration_ms", sa.BigInteger(), nullable=True),
        sa.Column("urls_planned", sa.Integer(), server_default="0", nullable=False),
        sa.Column("urls_attempted", sa.Integer(), server_default="0", nullable=False),
        sa.Column("urls_succeeded", sa.Integer(), server_default="0", nullable=False),
        sa.Column("urls_failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("urls_unchanged", sa.Integer(), server_default="0", nullable=False),
        sa.Column("urls_robots_blocked", sa.Integer(), server_default="0", nullable=False),
        sa.Column("urls_cancelled", sa.Integer(), server_default="0", nullable=False),
        sa.Column("offers_extracted", sa.Integer(), server_default="0", nullable=False),
        sa.Column("offers_valid", sa.Integer(), server_default="0", nullable=False),
        sa.Column("offers_dropped", sa.Integer(), server_default="0", nullable=False),
        sa.Column("offers_quarantined", sa.Integer(), server_default="0", nullable=False),
        sa.Column("oos_no_price_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("zero_price_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("unknown_availability_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failure_rate", sa.Numeric(precision=5, scale=4), nullable=True),
        sa.Column("yield_rate", sa.Numeric(precision=5, scale=4), nullable=True),
        sa.Column("drop_rate", sa.Numeric(precision=5, scale=4), nullable=True),
        sa.Column("close_monitoring", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("drift_checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("requested_by", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "status IN ('RUNNING','SUCCESS','FAILED','QUARANTINED')", name=op.f("scrape_runs_status_check")
        ),
        sa.CheckConstraint(
            "trigger IN ('SCHEDULED','MANUAL','RETRY','RECHECK')", name=op.f("scrape_runs_trigger_check")
        ),
        sa.ForeignKeyConstraint(["retailer_id"], ["retailers.id"], name=op.f("scrape_runs_retailer_id_fkey")),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("scrape_runs_source_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("scrape_runs_pkey")),
    )
    op.create_index("idx_scrape_runs_adapter", "scrape_runs", ["adapter_id"], unique=False)
    op.create_index("idx_scrape_runs_retailer", "scrape_runs", ["retailer_id"], unique=False)
    op.create_index("idx_scrape_runs_source", "scrape_runs", ["source_id"], unique=False)
    op.create_index("idx_scrape_runs_started", "scrape_runs", ["started_at"], unique=False)
    op.create_index("idx_scrape_runs_status", "scrape_runs", ["status"], unique=False)
    op.create_index(
        "scrape_runs_one_active_per_source",
        "scrape_runs",
        ["source_id"],
        unique=True,
        postgresql_where=sa.text("status = 'RUNNING'"),
    )
    op.create_table(
        "source_circuits",
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), server_default="CLOSED", nullable=False),
        sa.Column("failure_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_failure_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("cooldown_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("consecutive_opens", sa.Integer(), server_default="0", nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "state IN ('CLOSED','OPEN','HALF_OPEN')", name=op.f("source_circuits_state_check")
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("source_circuits_source_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("source_circuits_pkey")),
    )
    op.create_table(
        "source_products",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("identity_type", sa.Text(), nullable=False),
        sa.Column("identity_value", sa.Text(), nullable=False),
        sa.Column(
            "identity_key",
            sa.Text(),
            sa.Computed("identity_type || ':' || identity_value", persisted=True),
            nullable=False,
        ),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("url_hash", sa.CHAR(length=64), nullable=True),
        sa.Column("domain", sa.Text(), nullable=True),
        sa.Column("image_url", sa.Text(), nullable=True),
        sa.Column("brand", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("condition", sa.Text(), nullable=True),
        sa.Column("sku", sa.Text(), nullable=True),
        sa.Column("retailer_product_id", sa.Text(), nullable=True),
        sa.Column("mpn", sa.Text(), nullable=True),
        sa.Column("impact_item_id", sa.Text(), nullable=True),
        sa.Column("normalized_url_hash", sa.Text(), nullable=True),
        sa.Column("rating", sa.Numeric(precision=3, scale=2), nullable=True),
        sa.Column("review_count", sa.Integer(), nullable=True),
        sa.Column(
            "attributes",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'{}'::jsonb"),
            nullable=False,
        ),
        sa.Column("content_hash", sa.CHAR(length=64), nullable=True),
        sa.Column("adapter_version", sa.Text(), nullable=True),
        sa.Column("created_by_run_id", sa.BigInteger(), nullable=True),
        sa.Column("last_updated_by_run_id", sa.BigInteger(), nullable=True),
        sa.Column("resolve_requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "identity_type IN ('PID','SKU','URL','IMPACT_ITEM_ID','URL_HASH')",
            name=op.f("source_products_identity_type_check"),
        ),
        sa.CheckConstraint(
            "identity_type NOT IN ('PID','URL') OR position(':' in identity_value) = 0",
            name=op.f("source_products_identity_value_colon_check"),
        ),
        sa.CheckConstraint(
            "char_length(identity_value) BETWEEN 1 AND 255",
            name=op.f("source_products_identity_value_length_check"),
        ),
        sa.CheckConstraint("rating BETWEEN 0 AND 5", name=op.f("source_products_rating_check")),
        sa.CheckConstraint("review_count >= 0", name=op.f("source_products_review_count_check")),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("source_products_source_id_fkey")),
        sa.PrimaryKeyConstraint("id", name=op.f("source_products_pkey")),
        sa.UniqueConstraint("source_id", "identity_key", name="source_products_source_identity_key_unique"),
        sa.UniqueConstraint(
            "source_id",
            "identity_type",
            "identity_value",
            name=op.f("source_products_source_id_identity_type_identity_value_key"),
        ),
        postgresql_with={"fillfactor": "85"},
    )
    op.create_index(
        "idx_source_products_impact_item_id",
        "source_products",
        ["impact_item_id"],
        unique=False,
        postgresql_where=sa.text("impact_item_id IS NOT NULL"),
    )
    op.create_index(
        "idx_source_products_sku",
        "source_products",
        ["sku"],
        unique=False,
        postgresql_where=sa.text("sku IS NOT NULL"),
    )
    op.create_index(
        "idx_source_products_unresolved",
        "source_products",
        ["resolve_requested_at"],
        unique=False,
        postgresql_where=sa.text("resolve_requested_at IS NOT NULL"),
    )
    op.create_index(
        "idx_source_products_url_hash",
        "source_products",
        ["url_hash"],
        unique=False,
        postgresql_where=sa.text("url_hash IS NOT NULL"),
    )
    op.create_index("sp_source_id_id_idx", "source_products", ["source_id", "id"], unique=False)
    op.create_table(
        "source_trust_config",
        sa.Column("source_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("visibility_status", sa.Text(), server_default="INELIGIBLE", nullable=False),
        sa.Column("upc_trusted", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("expiry_hours", sa.Integer(), nullable=True),
        sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reviewed_by", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "visibility_status IN ('ELIGIBLE','INELIGIBLE')",
            name=op.f("source_trust_config_visibility_status_check"),
        ),
        sa.CheckConstraint("expiry_hours >= 1", name=op.f("source_trust_config_expiry_hours_check")),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("source_trust_config_source_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", name=op.f("source_trust_config_pkey")),
    )
    op.create_table(
        "affiliate_feed_runs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("feed_id", sa.BigInteger(), nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("trigger", sa.Text(), server_default="SCHEDULED", nullable=False),
        sa.Column("status", sa.Text(), server_default="RUNNING", nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("duration_ms", sa.BigInteger(), nullable=True),
        sa.Column("expiry_hours_at_run", sa.Integer(), nullable=True),
        sa.Column("expiry_blocked", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("expiry_blocked_reason", sa.Text(), nullable=True),
        sa.Column("expiry_approved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expiry_approved_by", sa.Text(), nullable=True),
        sa.Column("is_partial", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("expiry_step_failed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("skipped_reason", sa.Text(), nullable=True),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("artifact_url", sa.Text(), nullable=True),
        sa.Column("download_bytes", sa.BigInteger(), nullable=True),
        sa.Column("rows_read", sa.Integer(), nullable=True),
        sa.Column("rows_parsed", sa.Integer(), nullable=True),
        sa.Column("products_upserted", sa.Integer(), nullable=True),
        sa.Column("products_expired", sa.Integer(), nullable=True),
        sa.Column("products_rejected", sa.Integer(), nullable=True),
        sa.Column("products_promoted", sa.Integer(), nullable=True),
        sa.Column("prices_written", sa.Integer(), nullable=True),
        sa.Column("error_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("duplicate_key_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("unknown_stock_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("url_hash_fallback_count", sa.Integer(), nullable=True),
        sa.Column("active_count_before", sa.Integer(), nullable=True),
        sa.Column("seen_success_count", sa.Integer(), nullable=True),
        sa.Column("would_expire_count", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "(status = 'RUNNING') = (finished_at IS NULL)", name=op.f("affiliate_feed_runs_finished_check")
        ),
        sa.CheckConstraint(
            "expiry_blocked_reason IN ('SPIKE_THRESHOLD_EXCEEDED','DATA_QUALITY_URL_HASH_SPIKE')",
            name=op.f("affiliate_feed_runs_expiry_blocked_reason_check"),
        ),
        sa.CheckConstraint(
            "skipped_reason IN ('UNCHANGED_HASH','UNCHANGED_MTIME')",
            name=op.f("affiliate_feed_runs_skipped_reason_check"),
        ),
        sa.CheckConstraint(
            "status IN ('RUNNING','SUCCEEDED','FAILED')", name=op.f("affiliate_feed_runs_status_check")
        ),
        sa.CheckConstraint(
            "trigger IN ('SCHEDULED','MANUAL','MANUAL_PENDING','ADMIN_TEST')",
            name=op.f("affiliate_feed_runs_trigger_check"),
        ),
        sa.CheckConstraint(
            "(expiry_approved_at IS NULL) = (expiry_approved_by IS NULL) AND (expiry_approved_at IS NULL OR expiry_blocked)",
            name=op.f("affiliate_feed_runs_expiry_approved_check"),
        ),
        sa.CheckConstraint(
            "expiry_blocked = (expiry_blocked_reason IS NOT NULL)",
            name=op.f("affiliate_feed_runs_expiry_blocked_check"),
        ),
        sa.ForeignKeyConstraint(
            ["feed_id"], ["affiliate_feeds.id"], name=op.f("affiliate_feed_runs_feed_id_fkey")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("affiliate_feed_runs_pkey")),
    )
    op.create_index(
        "affiliate_feed_runs_feed_started_idx", "affiliate_feed_runs", ["feed_id", "started_at"], unique=False
    )
    op.create_index(
        "affiliate_feed_runs_feed_status_started_idx",
        "affiliate_feed_runs",
        ["feed_id", "status", "started_at"],
        unique=False,
    )
    op.create_index(
        "affiliate_feed_runs_feed_trigger_started_idx",
        "affiliate_feed_runs",
        ["feed_id", "trigger", "started_at"],
        unique=False,
    )
    op.create_index("affiliate_feed_runs_started_idx", "affiliate_feed_runs", ["started_at"], unique=False)
    op.create_table(
        "event_embeddings",
        sa.Column("event_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("embedding", sa.ARRAY(sa.REAL()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "cardinality(embedding) BETWEEN 1 AND 4096 AND array_position(embedding, NULL) IS NULL",
            name=op.f("event_embeddings_embedding_check"),
        ),
        sa.ForeignKeyConstraint(
            ["event_id"], ["events.id"], name=op.f("event_embeddings_event_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("event_id", name=op.f("event_embeddings_pkey")),
    )
    op.create_table(
        "event_merges",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("kept_event_id", sa.BigInteger(), nullable=False),
        sa.Column("merged_event_id", sa.BigInteger(), nullable=True),
        sa.Column("record_id", sa.BigInteger(), nullable=True),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("event_fingerprint", sa.CHAR(length=64), nullable=False),
        sa.Column("payload", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("similarity", sa.Double(), nullable=True),
        sa.Column("merged_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("merged_by", sa.Text(), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(method = 'semantic') = (similarity IS NOT NULL)", name=op.f("event_merges_similarity_check")
        ),
        sa.CheckConstraint(
            "method IN ('fingerprint','semantic','manual')", name=op.f("event_merges_method_check")
        ),
        sa.CheckConstraint(
            "(undone_at IS NULL) = (undone_by IS NULL)", name=op.f("event_merges_undone_check")
        ),
        sa.ForeignKeyConstraint(
            ["kept_event_id"], ["events.id"], name=op.f("event_merges_kept_event_id_fkey"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["merged_event_id"],
            ["events.id"],
            name=op.f("event_merges_merged_event_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("event_merges_pkey")),
    )
    op.create_index(
        "idx_event_merges_fingerprint", "event_merges", ["source_id", "event_fingerprint"], unique=False
    )
    op.create_index("idx_event_merges_kept_event_id", "event_merges", ["kept_event_id"], unique=False)
    op.create_table(
        "images",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("product_id", sa.BigInteger(), nullable=False),
        sa.Column("image_url", sa.Text(), nullable=False),
        sa.Column("image_path", sa.Text(), nullable=True),
        sa.Column("alt_text", sa.Text(), nullable=True),
        sa.Column("image_type", sa.Text(), server_default="primary", nullable=False),
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("width", sa.Integer(), nullable=True),
        sa.Column("height", sa.Integer(), nullable=True),
        sa.Column("file_size", sa.BigInteger(), nullable=True),
        sa.Column("content_hash", sa.Text(), nullable=True),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("task_id", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "image_type IN ('primary','gallery','thumbnail')", name=op.f("images_image_type_check")
        ),
        sa.CheckConstraint(
            "char_length(image_path) <= 512 AND char_length(alt_text) <= 512",
            name=op.f("images_lengths_check"),
        ),
        sa.CheckConstraint("width > 0 AND height > 0 AND file_size >= 0", name=op.f("images_size_check")),
        sa.ForeignKeyConstraint(
            ["product_id"], ["source_products.id"], name=op.f("images_product_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("images_pkey")),
        sa.UniqueConstraint("product_id", "image_url", name=op.f("images_product_id_image_url_key")),
    )
    op.create_index("idx_images_product_id", "images", ["product_id"], unique=False)
    op.create_table(
        "latest_prices",
        sa.Column("source_product_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("scraped", sa.Boolean(), nullable=False),
        sa.Column("price_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.CHAR(length=3), nullable=False),
        sa.Column("exponent", sa.SmallInteger(), server_default="2", nullable=False),
        sa.Column("list_price_minor", sa.BigInteger(), nullable=True),
        sa.Column("shipping_minor", sa.BigInteger(), nullable=True),
        sa.Column("availability", sa.Text(), nullable=False),
        sa.Column("in_stock", sa.Boolean(), nullable=False),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ingestion_run_type", sa.Text(), nullable=True),
        sa.Column("price_signature_hash", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("latest_prices_source_product_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_product_id", "scraped", name=op.f("latest_prices_pkey")),
        postgresql_with={"fillfactor": "70"},
    )
    op.create_index("idx_latest_prices_amount_minor", "latest_prices", ["amount_minor"], unique=False)
    op.create_table(
        "offer_clicks",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_product_id", sa.BigInteger(), nullable=False),
        sa.Column("price_id", sa.BigInteger(), nullable=True),
        sa.Column("placement", sa.Text(), nullable=True),
        sa.Column("clicked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("offer_clicks_source_product_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("offer_clicks_pkey")),
    )
    op.create_index(
        "idx_offer_clicks_source_product_id",
        "offer_clicks",
        ["source_product_id", sa.literal_column("clicked_at DESC")],
        unique=False,
    )
    op.create_table(
        "product_links",
        sa.Column("source_product_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("product_id", sa.BigInteger(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("linked_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("linked_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "method <> 'manual' OR linked_by IS NOT NULL", name=op.f("product_links_manual_check")
        ),
        sa.CheckConstraint(
            "method IN ('gtin','brand_mpn','manual')", name=op.f("product_links_method_check")
        ),
        sa.ForeignKeyConstraint(
            ["product_id"], ["products.id"], name=op.f("product_links_product_id_fkey"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("product_links_source_product_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_product_id", name=op.f("product_links_pkey")),
    )
    op.create_index("idx_product_links_product_id", "product_links", ["product_id"], unique=False)
    op.create_table(
        "scrape_targets",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("canonical_url", sa.Text(), nullable=False),
        sa.Column("url_hash", sa.CHAR(length=64), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="offer", nullable=False),
        sa.Column("source_id", sa.BigInteger(), nullable=False),
        sa.Column("adapter_id", sa.Text(), nullable=False),
        sa.Column("source_product_id", sa.BigInteger(), nullable=True),
        sa.Column("schedule", sa.Text(), nullable=True),
        sa.Column("crawl_frequency", sa.Interval(), nullable=True),
        sa.Column("next_crawl_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("priority", sa.Integer(), server_default="0", nullable=False),
        sa.Column("status", sa.Text(), server_default="ACTIVE", nullable=False),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("robots_path_blocked", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("last_task_id", sa.UUID(), nullable=True),
        sa.Column("last_page_id", sa.UUID(), nullable=True),
        sa.Column("last_scraped_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_status", sa.Text(), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("last_adapter_version", sa.Text(), nullable=True),
        sa.Column("last_verdict", sa.Text(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("last_modified", sa.Text(), nullable=True),
        sa.Column("content_hash", sa.Text(), nullable=True),
        sa.Column("last_changed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("unchanged_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("consecutive_failures", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "crawl_frequency > interval '0'", name=op.f("scrape_targets_crawl_frequency_check")
        ),
        sa.CheckConstraint(
            "kind IN ('offer','product','event','job_posting','company','profile')",
            name=op.f("scrape_targets_kind_check"),
        ),
        sa.CheckConstraint(
            "last_verdict IN ('accept','hold','reject')", name=op.f("scrape_targets_last_verdict_check")
        ),
        sa.CheckConstraint(
            "status IN ('ACTIVE','PAUSED','BROKEN','STALE')", name=op.f("scrape_targets_status_check")
        ),
        sa.CheckConstraint("url_hash ~ '^[0-9a-f]{64}$'", name=op.f("scrape_targets_url_hash_check")),
        sa.CheckConstraint(
            "consecutive_failures >= 0 AND unchanged_count >= 0", name=op.f("scrape_targets_counts_check")
        ),
        sa.ForeignKeyConstraint(
            ["source_id"], ["sources.id"], name=op.f("scrape_targets_source_id_fkey"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("scrape_targets_source_product_id_fkey"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("scrape_targets_pkey")),
        sa.UniqueConstraint(
            "source_id", "canonical_url", name=op.f("scrape_targets_source_id_canonical_url_key")
        ),
        postgresql_with={"fillfactor": "80"},
    )
    op.create_index("idx_scrape_targets_adapter", "scrape_targets", ["adapter_id"], unique=False)
    op.create_index("idx_scrape_targets_domain", "scrape_targets", ["domain"], unique=False)
    op.create_index(
        "idx_scrape_targets_next_crawl_at",
        "scrape_targets",
        ["next_crawl_at"],
        unique=False,
        postgresql_where=sa.text("enabled AND status = 'ACTIVE'"),
    )
    op.create_index(
        "idx_scrape_targets_schedule",
        "scrape_targets",
        ["schedule"],
        unique=False,
        postgresql_where=sa.text("enabled"),
    )
    op.create_index("idx_scrape_targets_source", "scrape_targets", ["source_id"], unique=False)
    op.create_index(
        "idx_scrape_targets_source_product_id",
        "scrape_targets",
        ["source_product_id"],
        unique=False,
        postgresql_where=sa.text("source_product_id IS NOT NULL"),
    )
    op.create_index("idx_scrape_targets_status", "scrape_targets", ["status"], unique=False)
    op.create_index(
        "idx_scrape_targets_url_hash",
        "scrape_targets",
        ["url_hash"],
        unique=True,
        postgresql_where=sa.text("kind = 'product'"),
    )
    op.create_table(
        "source_product_identifiers",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_product_id", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.CheckConstraint(
            "type IN ('GTIN','UPC','EAN','ISBN','MPN','SKU','ASIN')",
            name=op.f("source_product_identifiers_type_check"),
        ),
        sa.CheckConstraint(
            "char_length(value) BETWEEN 1 AND 255", name=op.f("source_product_identifiers_value_check")
        ),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("source_product_identifiers_source_product_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("source_product_identifiers_pkey")),
        sa.UniqueConstraint(
            "source_product_id",
            "type",
            "value",
            name=op.f("source_product_identifiers_source_product_id_type_value_key"),
        ),
    )
    op.create_index(
        "idx_source_product_identifiers_value", "source_product_identifiers", ["type", "value"], unique=False
    )
    op.create_table(
        "source_product_presence",
        sa.Column("source_product_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_success_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("source_product_presence_source_product_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("source_product_id", name=op.f("source_product_presence_pkey")),
        postgresql_with={"fillfactor": "80"},
    )
    op.create_index(
        "spp_last_seen_success_at_idx", "source_product_presence", ["last_seen_success_at"], unique=False
    )
    op.create_table(
        "affiliate_feed_run_errors",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("run_id", sa.BigInteger(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("row_number", sa.Integer(), nullable=True),
        sa.Column("raw_row", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["affiliate_feed_runs.id"],
            name=op.f("affiliate_feed_run_errors_run_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("affiliate_feed_run_errors_pkey")),
    )
    op.create_index(
        "affiliate_feed_run_errors_run_idx", "affiliate_feed_run_errors", ["run_id"], unique=False
    )
    op.create_table(
        "prices",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("source_product_id", sa.BigInteger(), nullable=False),
        sa.Column("tax_included", sa.Boolean(), nullable=True),
        sa.Column("promo", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("ingestion_run_id", sa.BigInteger(), nullable=True),
        sa.Column("affiliate_feed_run_id", sa.BigInteger(), nullable=True),
        sa.Column("task_id", sa.UUID(), nullable=True),
        sa.Column("page_id", sa.UUID(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.CHAR(length=3), nullable=False),
        sa.Column("exponent", sa.SmallInteger(), server_default="2", nullable=False),
        sa.Column("list_price_minor", sa.BigInteger(), nullable=True),
        sa.Column("shipping_minor", sa.BigInteger(), nullable=True),
        sa.Column("availability", sa.Text(), nullable=False),
        sa.Column("in_stock", sa.Boolean(), nullable=False),
        sa.Column("observed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ingestion_run_type", sa.Text(), nullable=True),
        sa.Column("price_signature_hash", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "affiliate_feed_run_id IS NULL OR ingestion_run_type IS NOT DISTINCT FROM 'AFFILIATE_FEED'",
            name=op.f("prices_feed_run_check"),
        ),
        sa.CheckConstraint(
            "availability IN ('IN_STOCK','OUT_OF_STOCK','BACKORDER','UNKNOWN')",
            name=op.f("prices_availability_check"),
        ),
        sa.CheckConstraint(
            "currency <> 'USD' OR amount_minor <= 99999999", name=op.f("prices_amount_usd_check")
        ),
        sa.CheckConstraint("currency ~ '^[A-Z]{3}$'", name=op.f("prices_currency_check")),
        sa.CheckConstraint("in_stock = (availability = 'IN_STOCK')", name=op.f("prices_in_stock_check")),
        sa.CheckConstraint(
            "ingestion_run_type IN ('SCRAPE','AFFILIATE_FEED','MANUAL','IMPORT')",
            name=op.f("prices_ingestion_run_type_check"),
        ),
        sa.CheckConstraint(
            "ingestion_run_type IS DISTINCT FROM 'SCRAPE' OR availability <> 'UNKNOWN'",
            name=op.f("prices_scraped_stock_check"),
        ),
        sa.CheckConstraint("amount_minor >= 1", name=op.f("prices_amount_minor_check")),
        sa.CheckConstraint("exponent = currency_exponent(currency)", name=op.f("prices_exponent_check")),
        sa.CheckConstraint(
            "list_price_minor >= 1 AND shipping_minor >= 0", name=op.f("prices_other_amounts_check")
        ),
        sa.ForeignKeyConstraint(
            ["affiliate_feed_run_id"],
            ["affiliate_feed_runs.id"],
            name=op.f("prices_affiliate_feed_run_id_fkey"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["source_product_id"], ["source_products.id"], name=op.f("prices_source_product_id_fkey")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("prices_pkey")),
    )
    op.create_index(
        "idx_prices_affiliate_feed_run_id",
        "prices",
        ["affiliate_feed_run_id"],
        unique=False,
        postgresql_where=sa.text("affiliate_feed_run_id IS NOT NULL"),
    )
    op.create_index(
        "idx_prices_ingestion_run_id",
        "prices",
        ["ingestion_run_id"],
        unique=False,
        postgresql_where=sa.text("ingestion_run_id IS NOT NULL"),
    )
    op.create_index(
        "prices_affiliate_dedupe",
        "prices",
        ["source_product_id", "affiliate_feed_run_id", "price_signature_hash"],
        unique=True,
        postgresql_where=sa.text("affiliate_feed_run_id IS NOT NULL"),
    )
    op.create_index(
        "prices_source_product_latest",
        "prices",
        ["source_product_id", sa.literal_column("created_at DESC")],
        unique=False,
    )
    op.create_table(
        "source_product_seen",
        sa.Column("run_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("source_product_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["affiliate_feed_runs.id"],
            name=op.f("source_product_seen_run_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("source_product_seen_source_product_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", "source_product_id", name=op.f("source_product_seen_pkey")),
    )
    op.create_table(
        "watches",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("target_id", sa.BigInteger(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.Column("threshold_minor", sa.BigInteger(), nullable=True),
        sa.Column("currency", sa.CHAR(length=3), nullable=True),
        sa.Column("drop_percent", sa.Double(), nullable=True),
        sa.Column("endpoint_id", sa.BigInteger(), nullable=True),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("last_price_id", sa.BigInteger(), nullable=True),
        sa.Column("last_fired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "condition <> 'price_below' OR (threshold_minor >= 1 AND currency IS NOT NULL)",
            name=op.f("watches_price_below_check"),
        ),
        sa.CheckConstraint(
            "condition <> 'price_drop' OR drop_percent IS NOT NULL", name=op.f("watches_price_drop_check")
        ),
        sa.CheckConstraint(
            "condition IN ('price_below','price_drop','back_in_stock','any_change')",
            name=op.f("watches_condition_check"),
        ),
        sa.CheckConstraint(
            "drop_percent > 0 AND drop_percent <= 100", name=op.f("watches_drop_percent_check")
        ),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name=op.f("watches_endpoint_id_fkey"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["target_id"], ["scrape_targets.id"], name=op.f("watches_target_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("watches_pkey")),
    )
    op.create_index(
        "idx_watches_target_id", "watches", ["target_id"], unique=False, postgresql_where=sa.text("enabled")
    )
    op.create_table(
        "price_corrections",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("factor", sa.Numeric(), nullable=True),
        sa.Column("price_id", sa.BigInteger(), nullable=True),
        sa.Column("source_product_id", sa.BigInteger(), nullable=True),
        sa.Column("source_id", sa.BigInteger(), nullable=True),
        sa.Column("scrape_run_id", sa.BigInteger(), nullable=True),
        sa.Column("affiliate_feed_run_id", sa.BigInteger(), nullable=True),
        sa.Column("observed_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("observed_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_by", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "(action = 'MULTIPLY') = (factor IS NOT NULL) AND factor > 0",
            name=op.f("price_corrections_factor_check"),
        ),
        sa.CheckConstraint("action IN ('IGNORE','MULTIPLY')", name=op.f("price_corrections_action_check")),
        sa.CheckConstraint(
            "num_nonnulls(price_id, source_product_id, source_id, scrape_run_id, affiliate_feed_run_id) >= 1",
            name=op.f("price_corrections_scope_check"),
        ),
        sa.CheckConstraint("observed_from < observed_until", name=op.f("price_corrections_window_check")),
        sa.ForeignKeyConstraint(
            ["affiliate_feed_run_id"],
            ["affiliate_feed_runs.id"],
            name=op.f("price_corrections_affiliate_feed_run_id_fkey"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(["price_id"], ["prices.id"], name=op.f("price_corrections_price_id_fkey")),
        sa.ForeignKeyConstraint(
            ["scrape_run_id"],
            ["scrape_runs.id"],
            name=op.f("price_corrections_scrape_run_id_fkey"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(["source_id"], ["sources.id"], name=op.f("price_corrections_source_id_fkey")),
        sa.ForeignKeyConstraint(
            ["source_product_id"],
            ["source_products.id"],
            name=op.f("price_corrections_source_product_id_fkey"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("price_corrections_pkey")),
    )
    op.create_index(
        "idx_price_corrections_active",
        "price_corrections",
        ["id"],
        unique=False,
        postgresql_where=sa.text("revoked_at IS NULL"),
    )
    # ### end Alembic commands ###
    # lane_functions
    op.execute("""
-- The arithmetic of the politeness ledger. A lane row goes in, a number or the changed row comes out;
-- the statements of schedule/ decide when to call which.

-- How far back the sliding log looks: the rule's interval, doubled while slowed (429, S-059), plus
-- 100 ms, because a grant may be used up to 100 ms after it was given (DESIGN §11.11). With that
-- slack no window of the interval, as the site sees it, ever holds more than `tokens` requests.
CREATE FUNCTION lane_window(l lanes, moment timestamptz) RETURNS interval
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN make_interval(secs => l.interval_seconds * CASE WHEN l.slowed_until > moment THEN 2 ELSE 1 END + 0.1);
END $$;

-- The first moment at or after `moment` inside the allowed hours (UTC; start = end means all day).
CREATE FUNCTION lane_opening(l lanes, moment timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
DECLARE
    utc timestamp := moment AT TIME ZONE 'UTC';
    hour integer := extract(hour FROM utc);
    opening timestamp;
BEGIN
    IF l.hours_start IS NULL OR l.hours_start = l.hours_end THEN
        RETURN moment;
    END IF;
    IF (l.hours_start < l.hours_end AND hour >= l.hours_start AND hour < l.hours_end)
        OR (l.hours_start > l.hours_end AND (hour >= l.hours_start OR hour < l.hours_end)) THEN
        RETURN moment;
    END IF;
    opening := date_trunc('day', utc) + make_interval(hours => l.hours_start);
    IF opening <= utc THEN
        opening := opening + interval '1 day';
    END IF;
    RETURN opening AT TIME ZONE 'UTC';
END $$;

-- How many requests may be granted at `moment`. Lanes named @… make no requests and have no limit.
CREATE FUNCTION lane_room(l lanes, moment timestamptz) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
DECLARE
    since timestamptz;
    room integer := least(l.queued, l.max_concurrent - l.in_flight);
    used integer := 0;
BEGIN
    IF left(l.lane, 1) = '@' THEN
        RETURN room;
    END IF;
    IF l.half_open THEN
        room := least(room, 1 - l.in_flight);
    END IF;
    IF l.held_until > moment OR lane_opening(l, moment) > moment THEN
        RETURN 0;
    END IF;
    IF l.spacing_seconds > 0 THEN
        room := least(room, 1);
    END IF;
    since := moment - lane_window(l, moment);
    FOR i IN 1 .. cardinality(l.grant_at) LOOP
        IF l.grant_at[i] > since THEN
            used := used + l.grant_n[i];
        END IF;
    END LOOP;
    RETURN greatest(0, least(room, l.tokens - used));
END $$;

-- Sets slot_at and turn_at from the log, the hold and the hours. `turn_at` adds 20 ms per rank: the
-- order lanes are served in, so rank weighs at most a few seconds of waiting and ages by itself.
CREATE FUNCTION lane_timed(l lanes, moment timestamptz) RETURNS lanes
LANGUAGE plpgsql STABLE AS $$
DECLARE
    span interval := lane_window(l, moment);
    pace interval;
    used integer := 0;
    slot timestamptz := '-infinity';
BEGIN
    IF left(l.lane, 1) <> '@' THEN
        pace := make_interval(
            secs => l.spacing_seconds * CASE WHEN l.slowed_until > moment THEN 2 ELSE 1 END + 0.1);
        FOR i IN REVERSE cardinality(l.grant_at) .. 1 LOOP
            EXIT WHEN l.grant_at[i] <= moment - span;
            used := used + l.grant_n[i];
            IF l.spacing_seconds > 0 THEN
                slot := greatest(slot, l.grant_at[i] + pace);
            END IF;
            IF used >= l.tokens THEN
                slot := greatest(slot, l.grant_at[i] + span);
                EXIT;
            END IF;
        END LOOP;
        -- The pace can reach further back than the window: the newest grant always counts for it.
        IF l.spacing_seconds > 0 AND cardinality(l.grant_at) > 0 THEN
            slot := greatest(slot, l.grant_at[cardinality(l.grant_at)] + pace);
        END IF;
        slot := greatest(slot, l.held_until);
        slot := CASE WHEN lane_opening(l, greatest(slot, moment)) > greatest(slot, moment)
                     THEN lane_opening(l, greatest(slot, moment)) ELSE slot END;
    END IF;
    l.slot_at := slot;
    l.turn_at := greatest(slot, moment) + l.best_rank * interval '20 milliseconds';
    l.updated_at := moment;
    RETURN l;
END $$;

-- Takes `n` grants at `moment`: counts them in flight and writes them to the log. Rates above 32 per
-- window are logged in 32 steps, each rounded up to its end, so that the row stays small; rounding
-- up only ever grants later, never more.
CREATE FUNCTION lane_grant(l lanes, n integer, rank integer, moment timestamptz) RETURNS lanes
LANGUAGE plpgsql STABLE AS $$
DECLARE
    span double precision := extract(epoch FROM lane_window(l, moment));
    stamp timestamptz := moment;
    kept_at timestamptz[] := '{}';
    kept_n integer[] := '{}';
    last integer;
BEGIN
    l.in_flight := l.in_flight + n;
    l.queued := greatest(0, l.queued - n);
    l.best_rank := coalesce(rank, l.best_rank);
    IF left(l.lane, 1) <> '@' THEN
        IF l.tokens > 32 THEN
            stamp := to_timestamp(ceil(extract(epoch FROM moment) / (span / 32)) * (span / 32));
        END IF;
        FOR i IN 1 .. cardinality(l.grant_at) LOOP
            -- Twice the window is kept, so that a halved rate still sees what was granted before.
            IF l.grant_at[i] > moment - make_interval(secs => 2 * span) THEN
                kept_at := kept_at || l.grant_at[i];
                kept_n := kept_n || l.grant_n[i];
            END IF;
        END LOOP;
        IF n > 0 THEN
            last := cardinality(kept_at);
            IF last > 0 AND kept_at[last] >= stamp THEN
                kept_n[last] := kept_n[last] + n;
            ELSE
                kept_at := kept_at || stamp;
                kept_n := kept_n || n;
            END IF;
        ELSIF cardinality(kept_at) = 0 AND cardinality(l.grant_at) > 0 AND l.spacing_seconds > 0 THEN
            kept_at := l.grant_at[cardinality(l.grant_at):];
            kept_n := l.grant_n[cardinality(l.grant_n):];
        END IF;
        l.grant_at := kept_at;
        l.grant_n := kept_n;
    END IF;
    RETURN lane_timed(l, moment);
END $$;

-- A grant that was never used goes back: exactly the entry it was written to, so that later grants
-- keep counting. An entry that is not found any more stays forgotten: stricter, never looser.
CREATE FUNCTION lane_return(l lanes, granted_at timestamptz, n integer, moment timestamptz) RETURNS lanes
LANGUAGE plpgsql STABLE AS $$
BEGIN
    FOR i IN 1 .. cardinality(l.grant_at) LOOP
        IF l.grant_at[i] >= granted_at THEN
            IF l.grant_n[i] > n THEN
                l.grant_n[i] := l.grant_n[i] - n;
            ELSE
                l.grant_at := l.grant_at[: i - 1] || l.grant_at[i + 1 :];
                l.grant_n := l.grant_n[: i - 1] || l.grant_n[i + 1 :];
            END IF;
            EXIT;
        END IF;
    END LOOP;
    RETURN lane_timed(l, moment);
END $$;

-- The one way counts change outside a claim: work joins or leaves a lane, slots come free. Call it
-- in lane order, so that two transactions never wait for each other.
CREATE FUNCTION lane_change(name text, queued_by integer, in_flight_by integer, rank integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    joining timestamptz := statement_timestamp() + rank * interval '20 milliseconds';
BEGIN
    INSERT INTO lanes AS l (lane, queued, in_flight, best_rank, turn_at, max_concurrent)
    VALUES (name, greatest(0, queued_by), greatest(0, in_flight_by), rank, joining,
            CASE WHEN left(name, 1) = '@' THEN 1000000 ELSE 1 END)
    ON CONFLICT (lane) DO UPDATE SET
        queued = greatest(0, l.queued + queued_by),
        in_flight = greatest(0, l.in_flight + in_flight_by),
        best_rank = CASE WHEN queued_by <= 0 THEN l.best_rank
                         WHEN l.queued = 0 THEN excluded.best_rank
                         ELSE least(l.best_rank, excluded.best_rank) END,
        turn_at = CASE WHEN queued_by <= 0 THEN l.turn_at
                       WHEN l.queued = 0 THEN greatest(l.slot_at, statement_timestamp()) + rank * interval '20 milliseconds'
                       ELSE least(l.turn_at, greatest(l.slot_at, statement_timestamp()) + rank * interval '20 milliseconds')
                  END;
END $$;

-- One request outside a claim (a redirect to another domain): 0 = granted and logged, otherwise the
-- seconds until it is worth asking again. It needs a slot of the rate; it does not hold one in flight.
CREATE FUNCTION lane_take(name text) RETURNS double precision
LANGUAGE plpgsql AS $$
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
END $$;

-- New limits, a slow-down, a hold or a pause: whatever changes, the next slot is computed anew.
CREATE FUNCTION lane_retime() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    l lanes;
BEGIN
    l := lane_timed(NEW, statement_timestamp());
    NEW.slot_at := l.slot_at;
    NEW.turn_at := l.turn_at;
    RETURN NEW;
END $$;

CREATE TRIGGER lanes_retime
BEFORE UPDATE OF tokens, interval_seconds, spacing_seconds, max_concurrent, hours_start, hours_end,
                 slowed_until, held_until, half_open, paused
ON lanes FOR EACH ROW EXECUTE FUNCTION lane_retime();
""")
    # prices_only_forget_runs
    op.execute("""
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
""")
    # prices_append_only
    op.execute("""
CREATE TRIGGER prices_append_only BEFORE UPDATE ON prices
FOR EACH ROW EXECUTE FUNCTION prices_only_forget_runs();

CREATE TRIGGER prices_never_deleted BEFORE DELETE ON prices
FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER prices_never_truncated BEFORE TRUNCATE ON prices
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
""")
    # prices_latest
    op.execute("""
-- Keeps latest_prices in the transaction of the append (DESIGN §7), whoever appends. Once per statement;
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
FOR EACH STATEMENT EXECUTE FUNCTION prices_latest();
""")
    # audit_log_append_only
    op.execute("""
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER audit_log_never_truncated BEFORE TRUNCATE ON audit_log
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
""")
    # sources_default_trust
    op.execute("""
-- P-094: every new source starts not eligible and with UPCs not trusted, whoever adds it.
CREATE FUNCTION sources_default_trust() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO source_trust_config (source_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER sources_default_trust AFTER INSERT ON sources
FOR EACH ROW EXECUTE FUNCTION sources_default_trust();
""")
    # corrected_prices
    op.execute("""
-- The price history with the overlay of corrections (ADR-015): what is to be ignored is left out, what
-- is to be scaled is scaled. One correction applies to a price: IGNORE before MULTIPLY, then the newest.
CREATE VIEW corrected_prices AS
SELECT
    p.id,
    p.source_product_id,
    o.source_id,
    CASE WHEN c.factor IS NULL THEN p.amount_minor ELSE greatest(1, round(p.amount_minor * c.factor))::bigint END
        AS amount_minor,
    CASE WHEN c.factor IS NULL THEN p.list_price_minor ELSE round(p.list_price_minor * c.factor)::bigint END
        AS list_price_minor,
    p.shipping_minor,
    p.currency,
    p.exponent,
    p.tax_included,
    p.promo,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at,
    p.ingestion_run_type,
    p.ingestion_run_id,
    p.affiliate_feed_run_id,
    p.task_id,
    p.page_id,
    c.id AS correction_id
FROM prices p
JOIN source_products o ON o.id = p.source_product_id
LEFT JOIN LATERAL (
    SELECT k.id, k.action, k.factor
    FROM price_corrections k
    WHERE k.revoked_at IS NULL
        AND (k.price_id IS NULL OR k.price_id = p.id)
        AND (k.source_product_id IS NULL OR k.source_product_id = p.source_product_id)
        AND (k.source_id IS NULL OR k.source_id = o.source_id)
        AND (k.scrape_run_id IS NULL
            OR (p.ingestion_run_type = 'SCRAPE' AND k.scrape_run_id = p.ingestion_run_id))
        AND (k.affiliate_feed_run_id IS NULL OR k.affiliate_feed_run_id = p.affiliate_feed_run_id)
        AND (k.observed_from IS NULL OR p.observed_at >= k.observed_from)
        AND (k.observed_until IS NULL OR p.observed_at < k.observed_until)
    ORDER BY k.action = 'IGNORE' DESC, k.id DESC
    LIMIT 1
) c ON true
WHERE c.action IS DISTINCT FROM 'IGNORE';
""")
    # consumer_prices
    op.execute("""
-- The price history consumers may read (P-092): nothing scraped until its source is made eligible, and
-- nothing scraped at all for an affiliate's offer (FN-18). Null-safe: prices from before runs were
-- recorded stay visible (PN-15), a source without a trust row is not eligible.
CREATE VIEW consumer_prices AS
SELECT
    p.id,
    p.source_product_id,
    p.source_id,
    p.amount_minor,
    p.list_price_minor,
    p.shipping_minor,
    p.currency,
    p.exponent,
    money_decimal(p.amount_minor, p.exponent) AS price,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at,
    p.ingestion_run_type
FROM corrected_prices p
JOIN sources s ON s.id = p.source_id
LEFT JOIN source_trust_config t ON t.source_id = p.source_id
WHERE p.ingestion_run_type IS DISTINCT FROM 'SCRAPE'
    OR (s.source_kind <> 'AFFILIATE_FEED' AND t.visibility_status IS NOT DISTINCT FROM 'ELIGIBLE');
""")
    # consumer_offers
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
""")
    # catalog_products
    op.execute("""
-- The catalogue's product: an offer with its newest observation (C-031 … C-035, DESIGN §11.2). For
-- operators: it hides nothing, consumers read consumer_offers.
CREATE VIEW catalog_products AS
SELECT
    o.id,
    d.id AS domain_id,
    coalesce(o.domain, s.domain) AS domain_name,
    o.source_id,
    target.id AS crawl_task_id,
    o.url,
    o.url_hash,
    o.title AS product_name,
    o.description,
    money_decimal(p.amount_minor, p.exponent) AS price,
    p.amount_minor,
    p.exponent,
    coalesce(p.currency, 'USD') AS currency,
    lower(p.availability) AS availability,
    o.rating,
    o.review_count,
    o.brand,
    o.category,
    o.sku,
    o.image_url,
    o.content_hash,
    o.attributes AS metadata,
    o.adapter_version AS parser_version,
    p.observed_at,
    o.created_at,
    o.updated_at
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN domains d ON d.domain_name = coalesce(o.domain, s.domain)
LEFT JOIN LATERAL (
    SELECT t.id FROM scrape_targets t WHERE t.source_product_id = o.id ORDER BY t.id LIMIT 1
) target ON true
LEFT JOIN LATERAL (
    SELECT l.* FROM latest_prices l
    WHERE l.source_product_id = o.id
    ORDER BY l.created_at DESC, l.price_id DESC
    LIMIT 1
) p ON true;
""")
    # crawl_tasks
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
    SELECT id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM (
        SELECT 1 AS nth, live.* FROM tasks live
        WHERE live.target_id = t.id AND live.target_id IS NOT NULL AND live.status IN ('queued', 'running')
        UNION ALL
        SELECT 2, recent.* FROM tasks recent WHERE recent.id = t.last_task_id
        UNION ALL
        SELECT 3, old.* FROM task_archive old WHERE old.id = t.last_task_id
    ) found
    ORDER BY nth
    LIMIT 1
) k ON true
LEFT JOIN pages page ON page.id = coalesce(k.page_id, t.last_page_id);
""")
    # pipeline_jobs
    op.execute("""
-- The events pipeline's job: a task of the events producer, in the document's words (E-098 … E-100).
-- run_id is what all jobs of one daily run share (E-029): the batch they were asked for in, else the run
-- of their source. Priority: higher first (E-031), internally the lower rank runs first.
CREATE VIEW pipeline_jobs AS
WITH work AS (
    SELECT * FROM tasks WHERE producer = 'events'
    UNION ALL
    SELECT * FROM task_archive WHERE producer = 'events'
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
) at_stage (stage, nth, name) ON at_stage.stage = k.stage;
""")
    # source_health_status
    op.execute("""
-- Which sources may be scheduled and in which order (E-110, E-111, E-027). A source that was never
-- scraped counts as 30 days old, so that it is not left behind. `rate_limited_until` is the state the
-- orchestrator leaves sources out by (E-026); it is no part of is_available.
CREATE VIEW source_health_status AS
SELECT
    s.*,
    coalesce(c.state, 'CLOSED') AS circuit_state,
    coalesce(c.failure_count, 0) AS failure_count,
    c.cooldown_until,
    CASE
        WHEN c.state = 'OPEN' AND c.cooldown_until > now() THEN false
        WHEN s.auto_disabled THEN false
        WHEN NOT s.enabled THEN false
        ELSE true
    END AS is_available,
    age.days AS days_since_last_scrape,
    age.days * 10 + s.historical_event_count / 10.0 + s.reliability_score * 5 - s.consecutive_failures * 20
        AS priority_score,
    greatest(l.slowed_until, l.held_until) AS rate_limited_until,
    coalesce(greatest(l.slowed_until, l.held_until) > now(), false) AS rate_limited
FROM sources s
CROSS JOIN LATERAL (
    SELECT coalesce(floor(extract(epoch FROM now() - s.last_scraped_at) / 86400), 30)::integer AS days
) age
LEFT JOIN source_circuits c ON c.source_id = s.id
LEFT JOIN lanes l ON l.lane = s.domain;
""")


def downgrade() -> None:
    # The extensions stay: they may have been there before Winnow.
    op.execute("DROP VIEW source_health_status")
    op.execute("DROP VIEW pipeline_jobs")
    op.execute("DROP VIEW crawl_tasks")
    op.execute("DROP VIEW catalog_products")
    op.execute("DROP VIEW consumer_offers")
    op.execute("DROP VIEW consumer_prices")
    op.execute("DROP VIEW corrected_prices")
    op.execute("DROP FUNCTION lane_return")
    op.execute("DROP FUNCTION lane_grant")
    op.execute("DROP FUNCTION lane_timed")
    op.execute("DROP FUNCTION lane_room")
    op.execute("DROP FUNCTION lane_opening")
    op.execute("DROP FUNCTION lane_window")
    op.drop_table("price_corrections")
    op.drop_table("watches")
    op.drop_table("source_product_seen")
    op.drop_table("prices")
    op.drop_table("affiliate_feed_run_errors")
    op.drop_table("source_product_presence")
    op.drop_table("source_product_identifiers")
    op.drop_table("scrape_targets")
    op.drop_table("product_links")
    op.drop_table("offer_clicks")
    op.drop_table("latest_prices")
    op.drop_table("images")
    op.drop_table("event_merges")
    op.drop_table("event_embeddings")
    op.drop_table("affiliate_feed_runs")
    op.drop_table("source_trust_config")
    op.drop_table("source_products")
    op.drop_table("source_circuits")
    op.drop_table("scrape_runs")
    op.drop_table("events")
    op.drop_table("affiliate_feeds")
    op.drop_table("sources")
    op.drop_table("replay_differences")
    op.drop_table("discovery_jobs")
    op.drop_table("deliveries")
    op.drop_table("webhook_endpoints")
    op.drop_table("users")
    op.drop_table("tasks")
    op.drop_table("task_archive")
    op.drop_table("scrape_adapter_status")
    op.drop_table("scheduler_state")
    op.drop_table("robots")
    op.drop_table("retailers")
    op.drop_table("replays")
    op.drop_table("records")
    op.drop_table("quarantine")
    op.drop_table("proxy_uses")
    op.drop_table("proxies")
    op.drop_table("products")
    op.drop_table("pages")
    op.drop_table("outbox")
    op.drop_table("municipalities")
    op.drop_table("lanes")
    op.drop_table("jobs")
    op.drop_table("insights")
    op.drop_table("geocodes")
    op.drop_table("error_logs")
    op.drop_table("enrichment_results")
    op.drop_table("drafts")
    op.drop_table("domains")
    op.drop_table("domain_circuits")
    op.drop_table("dead_letters")
    op.drop_table("audit_log")
    op.drop_table("api_keys")
    op.drop_table("alerts")
    op.drop_table("adapter_versions")
    # ### end Alembic commands ###
    op.execute("DROP SEQUENCE task_fences")
    op.execute("DROP FUNCTION sources_default_trust")
    op.execute("DROP FUNCTION prices_latest")
    op.execute("DROP FUNCTION prices_only_forget_runs")
    op.execute("DROP FUNCTION lane_retime")
    op.execute("DROP FUNCTION lane_take")
    op.execute("DROP FUNCTION lane_change")
    op.execute("DROP FUNCTION refuse_change")
    op.execute("DROP FUNCTION money_decimal")
    op.execute("DROP FUNCTION currency_exponent")
