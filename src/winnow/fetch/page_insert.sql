INSERT INTO pages (id, task_id, source_id, target_id, url, final_url, outcome, status_code, fetcher_used, fetch_duration_ms,
                   content_hash, body_bytes, stored_bytes, charset, content_type, etag, last_modified, error_class, decision,
                   is_failover, screenshot_hash)
SELECT * FROM unnest(
    %(id)b::uuid[], %(task_id)b::uuid[], %(source_id)b::bigint[], %(target_id)b::bigint[], %(url)b::text[],
    %(final_url)b::text[], %(outcome)b::text[], %(status_code)b::smallint[], %(fetcher_used)b::text[],
    %(duration_ms)b::integer[], %(content_hash)b::text[], %(body_bytes)b::integer[], %(stored_bytes)b::integer[],
    %(charset)b::text[], %(content_type)b::text[], %(etag)b::text[], %(last_modified)b::text[], %(error_class)b::text[],
    %(decision)b::jsonb[], %(is_failover)b::boolean[], %(screenshot_hash)b::text[]
)
ON CONFLICT (id) DO NOTHING
