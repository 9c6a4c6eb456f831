-- Of each source: how many of its targets wait with an implausible price, how many it has, and whether the adapter that
-- reads it failed in its last batch or is disabled.
SELECT s.id,
       (SELECT count(DISTINCT q.target_id) FROM quarantine AS q
        WHERE q.source_id = s.id AND q.resolved_at IS NULL AND q.findings @> '[{"gate": "plausible_change"}]'
          AND q.target_id <> ALL (%(target_id)b::bigint[])) AS waiting,
       (SELECT count(*) FROM scrape_targets AS t WHERE t.source_id = s.id AND t.enabled AND t.status = 'ACTIVE') AS targets,
       EXISTS (SELECT 1 FROM scrape_adapter_status AS a
               WHERE a.adapter_id IN (s.adapter_id, s.adapter_id || '@' || s.id)
                 AND (a.consecutive_failed_batches > 0 OR NOT a.enabled)) AS suspected
FROM unnest(%(source_id)b::bigint[], %(adapter_id)b::text[]) AS s (id, adapter_id)
