-- The personal feed (E-114, E-115): near, soon, of the wanted categories, listed by many, of sources that can be relied on.
-- From each area around the place the next events by index, so the cost does not depend on how many events there are.
WITH near AS MATERIALIZED (
    SELECT e.id, e.source_id, e.starts_at, e.category, e.missing_since,
           earth_distance(ll_to_earth(e.latitude, e.longitude), ll_to_earth(:latitude, :longitude)) AS metres
    FROM unnest(CAST(:areas AS integer[])) AS g (area)
    CROSS JOIN LATERAL (
        SELECT * FROM events AS o
        -- What began lately and is not over is on now: a festival, or a day whose hour nobody states.
        WHERE o.area = g.area AND o.starts_at >= CAST(:since AS timestamptz) - interval '3 days'
          AND o.starts_at < :until AND o.over_at >= :since
          AND o.merged_into IS NULL AND o.status = 'published' AND o.event_status <> 'cancelled'
        ORDER BY o.starts_at LIMIT :per_area
    ) AS e
),
reliable AS MATERIALIZED (
    SELECT s.source_id, (SELECT coalesce(avg((r.status = 'SUCCESS')::integer), 0.5) FROM scrape_runs AS r
                         WHERE r.source_id = s.source_id AND r.status <> 'RUNNING'
                           AND r.started_at > now() - interval '30 days')::double precision AS score
    FROM (SELECT DISTINCT source_id FROM near) AS s
),
ranked AS (
    SELECT n.id, n.metres, 1 + m.others AS listed_by,
           0.30 * exp(-n.metres / 10000.0)
         + 0.30 * exp(-greatest(extract(epoch FROM n.starts_at - :since), 0) / 604800.0)
         + 0.20 * (n.category = ANY(CAST(:categories AS text[])))::integer
         + 0.10 * (1 - exp(-0.7 * m.others - coalesce(ln(1 + x.clicks + 5 * x.saves), 0) / 5))
         + 0.10 * r.score * CASE WHEN n.missing_since IS NULL THEN 1 ELSE 0.3 END AS score
    FROM near AS n
    JOIN reliable AS r USING (source_id)
    CROSS JOIN LATERAL (
        SELECT count(*) AS others FROM events AS o WHERE o.merged_into = n.id AND o.status = 'published'
    ) AS m
    LEFT JOIN event_reactions AS x ON x.event_id = n.id
    WHERE n.metres <= :metres
    ORDER BY score DESC, n.id
    OFFSET :skip LIMIT :limit
)
SELECT e.*, ranked.metres, ranked.listed_by, ranked.score
FROM ranked JOIN shown_events AS e USING (id)
ORDER BY ranked.score DESC, e.id
