-- How popular a target is (C-021): clicks and reads of its offers within 30 days, and ten for each watch of it. Written only
-- where it differs.
WITH offers AS (
    SELECT source_product_id, sum(n)::bigint AS n
    FROM (
        SELECT source_product_id, count(*) AS n FROM offer_clicks WHERE clicked_at > now() - interval '30 days' GROUP BY 1
        UNION ALL
        SELECT source_product_id, sum(reads) FROM offer_reads WHERE day > current_date - 30 GROUP BY 1
    ) AS counted
    GROUP BY 1
),
wanted AS (
    SELECT target_id, least(sum(n), 1000000000)::integer AS n
    FROM (
        SELECT s.target_id, o.n FROM offers AS o
        JOIN source_product_presence AS s ON s.source_product_id = o.source_product_id WHERE s.target_id IS NOT NULL
        UNION ALL
        SELECT target_id, 10 * count(*) FROM watches WHERE enabled GROUP BY 1
    ) AS each
    GROUP BY 1
),
differ AS (
    SELECT t.id, coalesce(w.n, 0) AS n
    FROM scrape_targets AS t
    LEFT JOIN wanted AS w ON w.target_id = t.id
    WHERE (t.popularity > 0 OR w.n > 0) AND t.popularity <> coalesce(w.n, 0)
    ORDER BY t.id LIMIT %(n)s
    FOR UPDATE OF t SKIP LOCKED
)
UPDATE scrape_targets AS t SET popularity = d.n FROM differ AS d WHERE d.id = t.id
