-- New offers known by their address alone, and others whose address differs from theirs in upper and lower case only
-- (F-137): most likely one product twice.
WITH found AS (
    SELECT n.id, n.url, other.url AS other_url
    FROM source_products AS n
    JOIN source_products AS other
        ON other.source_id = n.source_id AND other.identity_type = 'URL_HASH' AND lower(other.url) = lower(n.url)
        AND other.id < n.id
    WHERE n.created_by_run_id = %(run_id)s AND n.source_id = %(source_id)s AND n.identity_type = 'URL_HASH'
        AND n.id IN (SELECT p.source_product_id FROM prices AS p WHERE p.affiliate_feed_run_id = %(run_id)s)
)
SELECT url, other_url, count(*) OVER () AS total FROM found ORDER BY id LIMIT %(shown)s
