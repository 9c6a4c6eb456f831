-- Of each source: how many of its records wait with an implausible price, how many it has (targets, or records where
-- its pages list several), and whether the adapter that reads it failed in its last batch or is disabled.
SELECT s.id,
       (SELECT count(DISTINCT q.record_key) FROM quarantine AS q
        WHERE q.source_id = s.id AND q.resolved_at IS NULL AND q.findings @> '[{"gate": "plausible_change"}]'
          AND q.record_key <> ALL (%(record_key)b::text[])) AS waiting,
       greatest((SELECT count(*) FROM scrape_targets AS t
                 WHERE t.source_id = s.id AND t.enabled AND t.status = 'ACTIVE'),
                (SELECT count(*) FROM record_heads AS h WHERE h.source_id = s.id AND h.verdict <> 'reject')) AS known,
       EXISTS (SELECT 1 FROM scrape_adapter_status AS a
               WHERE a.adapter_id IN (s.adapter_id, s.adapter_id || '@' || s.id)
                 AND (a.consecutive_failed_batches > 0 OR NOT a.enabled)) AS suspected
FROM unnest(%(source_id)b::bigint[], %(adapter_id)b::text[]) AS s (id, adapter_id)
