-- How requests through a proxy ended (C-046). A proxy that could not be used is out until a check restores it (S-111);
-- one that went silent only after three in a row, because that may be the site's silence. More than ten failures in
-- a row switch it off for good (C-045).
UPDATE proxies SET
    success_count = success_count + CASE WHEN %(kind)s = 'success' THEN 1 ELSE 0 END,
    total_failure_count = total_failure_count + CASE WHEN %(kind)s = 'success' THEN 0 ELSE 1 END,
    failure_count = CASE WHEN %(kind)s = 'success' THEN 0 ELSE failure_count + 1 END,
    last_success_at = CASE WHEN %(kind)s = 'success' THEN now() ELSE last_success_at END,
    last_failure_at = CASE WHEN %(kind)s = 'success' THEN last_failure_at ELSE now() END,
    avg_response_time_ms = CASE
        WHEN %(kind)s <> 'success' THEN avg_response_time_ms
        ELSE round((coalesce(avg_response_time_ms, 0)::numeric * success_count + %(ms)s) / (success_count + 1)) END,
    is_healthy = CASE WHEN %(kind)s = 'success' THEN is_healthy
                      WHEN %(kind)s = 'failure' OR failure_count + 1 >= %(silent_limit)s THEN false
                      ELSE is_healthy END,
    is_active = is_active AND (%(kind)s = 'success' OR failure_count + 1 <= %(failure_limit)s),
    updated_at = now()
WHERE id = %(id)s
RETURNING is_active, is_healthy, failure_count
