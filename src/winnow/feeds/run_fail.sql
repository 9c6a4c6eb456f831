-- F-066, F-103: the run and its feed, together; the third failure in a row disables the feed and takes it off the
-- schedule (FN-16). The request of a person stays; it is followed up only if it was made during the run (FN-03).
WITH ended AS (
    UPDATE affiliate_feed_runs
    SET status = 'FAILED', finished_at = clock_timestamp(),
        duration_ms = extract(epoch FROM clock_timestamp() - started_at) * 1000,
        download_bytes = coalesce(%(download_bytes)s, download_bytes), rows_read = coalesce(%(rows_read)s, rows_read),
        rows_parsed = coalesce(%(rows_parsed)s, rows_parsed),
        products_upserted = coalesce(%(products_upserted)s, products_upserted),
        products_rejected = coalesce(%(products_rejected)s, products_rejected),
        prices_written = coalesce(%(prices_written)s, prices_written),
        error_count = %(error_count)s + 1, duplicate_key_count = %(duplicate_key_count)s,
        unknown_stock_count = %(unknown_stock_count)s,
        url_hash_fallback_count = coalesce(%(url_hash_fallback_count)s, url_hash_fallback_count),
        error_code = %(code)s, error_message = %(message)s,
        is_partial = coalesce(%(products_upserted)s, products_upserted, 0) > 0
    WHERE id = %(run_id)s AND status = 'RUNNING'
    RETURNING feed_id, started_at, finished_at
)
UPDATE affiliate_feeds AS f
SET consecutive_failures = f.consecutive_failures + 1, last_run_at = ended.finished_at, updated_at = now(),
    status = CASE WHEN f.consecutive_failures + 1 >= %(most)s THEN 'DISABLED' ELSE f.status END,
    next_run_at = CASE WHEN f.consecutive_failures + 1 >= %(most)s THEN NULL ELSE f.next_run_at END
FROM ended
WHERE f.id = ended.feed_id
RETURNING f.consecutive_failures AS failures, f.consecutive_failures >= %(most)s AND f.status = 'DISABLED' AS disabled,
          f.manual_run_pending AND f.status = 'ENABLED' AND f.manual_run_requested_at > ended.started_at AS follow_up
