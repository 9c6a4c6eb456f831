"""Feeds see identities change, and their offers are linked to products."""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

UP = """
ALTER TABLE affiliate_feeds ADD COLUMN status_reason text;
ALTER TABLE affiliate_feeds ADD COLUMN linked_through_id bigint NOT NULL DEFAULT '0'::bigint;
ALTER TABLE affiliate_feed_runs ADD COLUMN identity_upgrade_count integer NOT NULL DEFAULT 0;
ALTER TABLE affiliate_feed_runs ADD COLUMN identity_flap_count integer NOT NULL DEFAULT 0;
ALTER TABLE affiliate_feed_runs ADD COLUMN path_case_collision_count integer NOT NULL DEFAULT 0;
CREATE INDEX spp_left_by_run_idx ON source_product_presence (left_by_run_id) WHERE left_by_run_id IS NOT NULL;
CREATE INDEX spp_back_run_idx ON source_product_presence (back_run_id) WHERE back_run_id IS NOT NULL;
ALTER TABLE product_links DROP CONSTRAINT product_links_method_check;
ALTER TABLE product_links ADD CONSTRAINT product_links_method_check
    CHECK (method IN ('gtin','brand_mpn','sku','manual'));
"""
DOWN = """
DELETE FROM product_links WHERE method = 'sku';
ALTER TABLE product_links DROP CONSTRAINT product_links_method_check;
ALTER TABLE product_links ADD CONSTRAINT product_links_method_check CHECK (method IN ('gtin','brand_mpn','manual'));
DROP INDEX spp_back_run_idx;
DROP INDEX spp_left_by_run_idx;
ALTER TABLE affiliate_feed_runs DROP COLUMN path_case_collision_count;
ALTER TABLE affiliate_feed_runs DROP COLUMN identity_flap_count;
ALTER TABLE affiliate_feed_runs DROP COLUMN identity_upgrade_count;
ALTER TABLE affiliate_feeds DROP COLUMN linked_through_id;
ALTER TABLE affiliate_feeds DROP COLUMN status_reason;
"""


def upgrade() -> None:
    op.execute(UP)


def downgrade() -> None:
    op.execute(DOWN)
