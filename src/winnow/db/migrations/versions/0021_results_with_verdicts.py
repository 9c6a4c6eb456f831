"""Results of the scraping service carry their verdict; a repeated submit is recognised."""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

UP = """
ALTER TABLE enrichment_results DROP CONSTRAINT enrichment_results_kind_check;
ALTER TABLE enrichment_results ADD COLUMN target_type text;
ALTER TABLE enrichment_results ADD COLUMN version text;
ALTER TABLE enrichment_results ADD COLUMN further jsonb NOT NULL DEFAULT '[]'::jsonb;
ALTER TABLE enrichment_results ADD COLUMN problems jsonb NOT NULL DEFAULT '{}'::jsonb;
ALTER TABLE enrichment_results ADD COLUMN provenance jsonb NOT NULL DEFAULT '{}'::jsonb;
ALTER TABLE enrichment_results ADD COLUMN verdict text;
ALTER TABLE enrichment_results ADD COLUMN reasons text[] NOT NULL DEFAULT '{}'::text[];
UPDATE enrichment_results SET verdict = 'accept', version = '0.0.0', target_type =
    CASE kind WHEN 'profile' THEN 'linkedin_profile' WHEN 'company' THEN 'company_website' ELSE 'job_posting' END;
ALTER TABLE enrichment_results ALTER COLUMN target_type SET NOT NULL;
ALTER TABLE enrichment_results ALTER COLUMN version SET NOT NULL;
ALTER TABLE enrichment_results ALTER COLUMN verdict SET NOT NULL;
ALTER TABLE enrichment_results ADD CONSTRAINT enrichment_results_verdict_check
    CHECK (verdict IN ('accept','hold','reject'));
DROP INDEX jobs_idempotency_key_key;
ALTER TABLE jobs DROP COLUMN idempotency_key;
CREATE TABLE submissions (
    caller text NOT NULL,
    key text NOT NULL,
    digest char(64) NOT NULL,
    task_id uuid,
    job_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT submissions_pkey PRIMARY KEY (caller, key),
    CONSTRAINT submissions_made_check CHECK ((task_id IS NULL) <> (job_id IS NULL))
);
CREATE INDEX idx_submissions_created_at ON submissions (created_at);
"""
# What only today's types can say is not kept.
DOWN = """
DROP TABLE submissions;
ALTER TABLE jobs ADD COLUMN idempotency_key text;
CREATE UNIQUE INDEX jobs_idempotency_key_key ON jobs (idempotency_key) WHERE idempotency_key IS NOT NULL;
DELETE FROM enrichment_results WHERE kind NOT IN ('profile','company','job_posting') OR verdict <> 'accept';
ALTER TABLE enrichment_results DROP CONSTRAINT enrichment_results_verdict_check;
ALTER TABLE enrichment_results DROP COLUMN reasons;
ALTER TABLE enrichment_results DROP COLUMN verdict;
ALTER TABLE enrichment_results DROP COLUMN provenance;
ALTER TABLE enrichment_results DROP COLUMN problems;
ALTER TABLE enrichment_results DROP COLUMN further;
ALTER TABLE enrichment_results DROP COLUMN version;
ALTER TABLE enrichment_results DROP COLUMN target_type;
ALTER TABLE enrichment_results ADD CONSTRAINT enrichment_results_kind_check
    CHECK (kind IN ('profile','company','job_posting'));
"""


def upgrade() -> None:
    op.execute(UP)


def downgrade() -> None:
    op.execute(DOWN)
