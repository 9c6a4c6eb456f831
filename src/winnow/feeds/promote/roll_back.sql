UPDATE source_product_presence
SET back_run_id = CASE WHEN last_seen_success_at IS NULL THEN %(run_id)s
                       ELSE (SELECT previous_promoted_run_id FROM affiliate_feed_runs WHERE id = %(run_id)s) END,
    updated_at = now()
WHERE left_by_run_id = %(run_id)s AND back_run_id IS NULL;
UPDATE source_product_presence SET back_run_id = NULL, updated_at = now()
WHERE back_run_id = %(run_id)s AND left_by_run_id IS DISTINCT FROM %(run_id)s;
UPDATE affiliate_feeds AS f
SET promoted_at = CASE WHEN f.promoted_run_id = r.id THEN r.previous_promoted_at ELSE f.promoted_at END,
    promoted_run_id = CASE WHEN f.promoted_run_id = r.id THEN r.previous_promoted_run_id ELSE f.promoted_run_id END,
    loaded_run_id = CASE WHEN f.promoted_run_id = r.id THEN r.previous_promoted_run_id ELSE f.promoted_run_id END,
    current_seen_at = r.previous_seen_at, current_seen_run_id = r.previous_seen_run_id,
    last_remote_mtime = NULL, last_remote_size = NULL, last_content_hash = NULL, updated_at = now()
FROM affiliate_feed_runs AS r
WHERE r.id = %(run_id)s AND f.id = %(feed_id)s;
INSERT INTO price_corrections (action, affiliate_feed_run_id, reason, created_by)
VALUES ('IGNORE', %(run_id)s, %(reason)s, %(actor)s);
UPDATE affiliate_feed_runs SET invalidated_at = now(), invalidated_by = %(actor)s, changes_published_at = NULL
WHERE id = %(run_id)s
