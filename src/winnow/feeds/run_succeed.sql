-- F-065: the run and its feed, together. What is known of the file is kept only now (FN-06); a request made while
-- the run was under way stays (FN-02).
WITH ended AS (
    UPDATE affiliate_feed_runs
    SET status = 'SUCCEEDED', finished_at = clock_timestamp(),
        duration_ms = extract(epoch FROM clock_timestamp() - started_at) * 1000,
        download_bytes = coalesce(%(download_bytes)s, download_bytes), rows_read = %(rows_read)s,
        rows_parsed = %(rows_parsed)s, products_upserted = %(products_upserted)s,
        products_rejected = %(products_rejected)s, prices_written = %(prices_written)s,
        error_count = %(error_count)s, duplicate_key_count = %(duplicate_key_count)s,
        price_jump_count = %(price_jump_count)s, unknown_stock_count = %(unknown_stock_count)s, url_hash_fallback_count = %(url_hash_fallback_count)s,
        products_removed = %(products_removed)s,
        identity_upgrade_count = %(identity_upgrade_count)s, identity_flap_count = %(identity_flap_count)s,
        path_case_collision_count = %(path_case_collision_count)s,
        active_count_before = %(active)s, seen_success_count = %(seen)s, would_expire_count = %(would_expire)s,
        products_expired = %(expired)s, expiry_blocked = %(blocked_reason)s::text IS NOT NULL,
        expiry_blocked_reason = %(blocked_reason)s, expiry_step_failed = %(step_failed)s,
        skipped_reason = %(skipped_reason)s,
        is_partial = %(error_count)s > 0 AND coalesce(%(products_upserted)s::integer, 0) > 0
    WHERE id = %(run_id)s AND status = 'RUNNING'
    RETURNING feed_id, started_at, finished_at
)
UPDATE affiliate_feeds AS f
SET consecutive_failures = 0, last_run_at = ended.finished_at, updated_at = now(),
    manual_run_pending = f.manual_run_pending AND f.manual_run_requested_at > ended.started_at,
    last_remote_mtime = CASE WHEN %(keep_state)s THEN %(mtime)s ELSE f.last_remote_mtime END,
    last_remote_size = CASE WHEN %(keep_state)s THEN %(size)s ELSE f.last_remote_size END,
    last_content_hash = CASE WHEN %(keep_state)s THEN coalesce(%(sha256)s, f.last_content_hash)
                             ELSE f.last_content_hash END,
    host_key_fingerprint = coalesce(%(fingerprint)s, f.host_key_fingerprint)
FROM ended
WHERE f.id = ended.feed_id
RETURNING f.manual_run_pending AND f.status = 'ENABLED' AS follow_up
