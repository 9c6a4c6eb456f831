-- The next exit for a domain: of the active and healthy proxies the one used longest ago (C-044) that has not served
-- this domain within the cooldown (S-112) and has room in its window (C-064). Stamps it. Always one row: without a
-- proxy in it, how many there are and after how many seconds one may be used. Callers hold the chooser's lock.
WITH usable AS (
    SELECT p.id, p.last_used_at,
           greatest(
               coalesce(extract(epoch FROM u.last_used_at - clock_timestamp()) + %(cooldown)s, 0),
               CASE WHEN u.request_count >= %(per_second)s
                    THEN extract(epoch FROM u.window_start - clock_timestamp()) + 1 ELSE 0 END,
               0
           ) AS wait
    FROM proxies AS p
    LEFT JOIN proxy_uses AS u ON u.proxy_id = p.id AND u.domain = %(domain)s
    WHERE p.is_active AND p.is_healthy AND (%(region)s::text IS NULL OR p.region = %(region)s::text)
), chosen AS (
    SELECT id FROM usable WHERE wait <= 0 ORDER BY last_used_at NULLS FIRST, id LIMIT 1
), stamped AS (
    UPDATE proxies AS p SET last_used_at = clock_timestamp() FROM chosen WHERE p.id = chosen.id
    RETURNING p.id, p.proxy_protocol, p.proxy_url, p.proxy_port, p.proxy_username, p.proxy_password, p.region
), noted AS (
    INSERT INTO proxy_uses AS u (proxy_id, domain, last_used_at, window_start, request_count)
    SELECT id, %(domain)s, clock_timestamp(), clock_timestamp(), 1 FROM chosen
    ON CONFLICT (proxy_id, domain) DO UPDATE SET
        last_used_at = excluded.last_used_at,
        window_start = CASE WHEN u.window_start > excluded.window_start - interval '1 second'
                            THEN u.window_start ELSE excluded.window_start END,
        request_count = CASE WHEN u.window_start > excluded.window_start - interval '1 second'
                             THEN u.request_count + 1 ELSE 1 END
)
SELECT (SELECT count(*) FROM usable) AS healthy, (SELECT min(wait) FROM usable)::float8 AS wait, s.*
FROM (VALUES (1)) AS one LEFT JOIN stamped AS s ON true
