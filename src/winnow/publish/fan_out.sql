-- Messages become deliveries, one per receiver that wants them; both in one statement, so that none is lost and none
-- is doubled. A message that names a receiver goes to that one only. A consumer hears of an offer only what the view of
-- consumers shows (P-092), and of an event that can be shown (E-113): also that it is gone or hidden. A receiver with
-- sources hears only what is about one of them. A topic pattern is `*`, a topic, or `prefix.*`.
WITH taken AS MATERIALIZED (
    SELECT id, topic, key, payload, endpoint_id, created_at
    FROM outbox
    WHERE published_at IS NULL
    ORDER BY id
    LIMIT %(n)s
    FOR UPDATE SKIP LOCKED
), wanted AS (
    SELECT t.*, e.id AS receiver_id, e.channel, e.url, gen_random_uuid() AS message_id
    FROM taken AS t
    JOIN webhook_endpoints AS e ON e.enabled AND CASE
        WHEN t.endpoint_id IS NOT NULL THEN e.id = t.endpoint_id
        ELSE EXISTS (
            SELECT FROM unnest(e.topics) AS p (pattern)
            WHERE p.pattern IN ('*', t.topic)
                OR (right(p.pattern, 2) = '.*' AND starts_with(t.topic, left(p.pattern, -1)))
        )
    END
    WHERE (t.endpoint_id IS NOT NULL OR e.source_ids = '{}' OR coalesce(
            (t.payload ->> 'source_id')::bigint,
            (SELECT o.source_id FROM source_products AS o WHERE o.id = (t.payload ->> 'source_product_id')::bigint),
            (SELECT v.source_id FROM events AS v WHERE v.id = (t.payload ->> 'event_id')::bigint)
        ) = ANY(e.source_ids))
        AND (NOT t.payload ? 'severity' OR t.payload ->> 'severity' = ANY(e.severities))
        AND (e.audience = 'operator' OR EXISTS (
            SELECT FROM consumer_offers AS c WHERE c.source_product_id = (t.payload ->> 'source_product_id')::bigint
        ) OR EXISTS (
            SELECT FROM events AS v WHERE v.id = (t.payload ->> 'event_id')::bigint
                AND v.merged_into IS NULL AND v.latitude IS NOT NULL AND btrim(v.venue_name) <> ''
                AND (v.status = 'published' OR t.topic = 'event.gone' OR t.payload ->> 'cause' = 'hidden')
        ))
), made AS (
    INSERT INTO deliveries (message_id, outbox_id, endpoint_id, receiver, key, channel, url, topic, payload)
    SELECT message_id, id, receiver_id, 'endpoint:' || receiver_id, key, channel, url, topic,
           jsonb_build_object('id', message_id, 'topic', topic, 'key', key, 'sequence', id, 'created_at', created_at,
                              'data', payload)
    FROM wanted
    ORDER BY id, receiver_id
    ON CONFLICT DO NOTHING
    RETURNING 1
), published AS (
    UPDATE outbox AS o SET published_at = now() FROM taken WHERE o.id = taken.id RETURNING 1
)
SELECT (SELECT count(*) FROM published) AS published, (SELECT count(*) FROM made) AS deliveries
