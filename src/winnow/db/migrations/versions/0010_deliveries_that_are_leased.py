"""Deliveries are leased with a fence, alerts keep quiet, watches remember what they have told."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

UP = """
ALTER TABLE outbox ADD COLUMN endpoint_id bigint;

ALTER TABLE deliveries ADD COLUMN receiver text;
ALTER TABLE deliveries ADD COLUMN key text;
ALTER TABLE deliveries ADD COLUMN fence bigint NOT NULL DEFAULT '0'::bigint;
UPDATE deliveries SET receiver = coalesce('endpoint:' || endpoint_id, url), key = id::text;
UPDATE deliveries SET lease_until = NULL WHERE status <> 'sending';
UPDATE deliveries SET lease_until = now() WHERE status = 'sending' AND lease_until IS NULL;
ALTER TABLE deliveries ALTER COLUMN receiver SET NOT NULL;
ALTER TABLE deliveries ALTER COLUMN key SET NOT NULL;
ALTER TABLE deliveries ADD CONSTRAINT deliveries_leased_check CHECK ((status = 'sending') = (lease_until IS NOT NULL));
DROP INDEX deliveries_once_per_endpoint;
DROP INDEX idx_deliveries_due;
DROP INDEX idx_deliveries_leased;
DROP INDEX idx_deliveries_job_id;
ALTER TABLE deliveries DROP COLUMN redelivery_of;
ALTER TABLE deliveries DROP COLUMN max_attempts;
CREATE UNIQUE INDEX deliveries_once_per_endpoint ON deliveries (outbox_id, endpoint_id) WHERE outbox_id IS NOT NULL;
CREATE UNIQUE INDEX deliveries_once_per_job ON deliveries (job_id) WHERE job_id IS NOT NULL;
CREATE INDEX idx_deliveries_due ON deliveries (receiver, next_attempt_at) WHERE status = 'pending';
CREATE INDEX idx_deliveries_leased ON deliveries (receiver, lease_until) WHERE status = 'sending';
CREATE INDEX idx_deliveries_open ON deliveries (receiver, key, id) WHERE status IN ('pending','sending');

ALTER TABLE alerts ADD COLUMN occurrence text NOT NULL DEFAULT '';
ALTER TABLE alerts ADD COLUMN notified_at timestamptz;

ALTER TABLE watches ADD COLUMN threshold_exponent smallint;
ALTER TABLE watches ADD COLUMN armed boolean NOT NULL DEFAULT true;
ALTER TABLE watches ADD COLUMN reference_minor bigint;
ALTER TABLE watches ADD COLUMN fired_count integer NOT NULL DEFAULT 0;
UPDATE watches SET threshold_exponent = currency_exponent(currency) WHERE condition = 'price_below';
UPDATE watches SET threshold_minor = NULL WHERE condition <> 'price_below';
UPDATE watches SET drop_percent = NULL WHERE condition <> 'price_drop';
ALTER TABLE watches DROP CONSTRAINT watches_price_below_check;
ALTER TABLE watches DROP CONSTRAINT watches_price_drop_check;
ALTER TABLE watches DROP CONSTRAINT watches_endpoint_id_fkey;
ALTER TABLE watches ADD CONSTRAINT watches_price_below_check
    CHECK ((condition = 'price_below') = (threshold_minor IS NOT NULL AND threshold_exponent IS NOT NULL));
ALTER TABLE watches ADD CONSTRAINT watches_price_drop_check
    CHECK ((condition = 'price_drop') = (drop_percent IS NOT NULL));
ALTER TABLE watches ADD CONSTRAINT watches_threshold_check
    CHECK (threshold_minor >= 1 AND threshold_exponent BETWEEN 0 AND 4);
ALTER TABLE watches ADD CONSTRAINT watches_endpoint_id_fkey
    FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints (id) ON DELETE RESTRICT;
ALTER TABLE watches ADD CONSTRAINT watches_once UNIQUE NULLS NOT DISTINCT
    (target_id, condition, threshold_minor, threshold_exponent, drop_percent, endpoint_id);
"""

DOWN = """
ALTER TABLE watches DROP CONSTRAINT watches_once;
ALTER TABLE watches DROP CONSTRAINT watches_endpoint_id_fkey;
ALTER TABLE watches DROP CONSTRAINT watches_threshold_check;
ALTER TABLE watches DROP CONSTRAINT watches_price_drop_check;
ALTER TABLE watches DROP CONSTRAINT watches_price_below_check;
UPDATE watches SET currency = 'USD' WHERE condition = 'price_below' AND currency IS NULL;
ALTER TABLE watches ADD CONSTRAINT watches_price_below_check
    CHECK (condition <> 'price_below' OR (threshold_minor >= 1 AND currency IS NOT NULL));
ALTER TABLE watches ADD CONSTRAINT watches_price_drop_check
    CHECK (condition <> 'price_drop' OR drop_percent IS NOT NULL);
ALTER TABLE watches ADD CONSTRAINT watches_endpoint_id_fkey
    FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints (id) ON DELETE SET NULL;
ALTER TABLE watches DROP COLUMN fired_count;
ALTER TABLE watches DROP COLUMN reference_minor;
ALTER TABLE watches DROP COLUMN armed;
ALTER TABLE watches DROP COLUMN threshold_exponent;

ALTER TABLE alerts DROP COLUMN notified_at;
ALTER TABLE alerts DROP COLUMN occurrence;

DROP INDEX idx_deliveries_open;
DROP INDEX idx_deliveries_leased;
DROP INDEX idx_deliveries_due;
DROP INDEX deliveries_once_per_job;
DROP INDEX deliveries_once_per_endpoint;
ALTER TABLE deliveries DROP CONSTRAINT deliveries_leased_check;
ALTER TABLE deliveries ADD COLUMN max_attempts smallint NOT NULL DEFAULT '4'::smallint;
ALTER TABLE deliveries ADD COLUMN redelivery_of bigint;
ALTER TABLE deliveries DROP COLUMN fence;
ALTER TABLE deliveries DROP COLUMN key;
ALTER TABLE deliveries DROP COLUMN receiver;
CREATE UNIQUE INDEX deliveries_once_per_endpoint ON deliveries (outbox_id, endpoint_id)
    WHERE outbox_id IS NOT NULL AND redelivery_of IS NULL;
CREATE INDEX idx_deliveries_due ON deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX idx_deliveries_leased ON deliveries (lease_until) WHERE status = 'sending';
CREATE INDEX idx_deliveries_job_id ON deliveries (job_id) WHERE job_id IS NOT NULL;

ALTER TABLE outbox DROP COLUMN endpoint_id;
"""


def upgrade() -> None:
    op.execute(UP)


def downgrade() -> None:
    op.execute(DOWN)
