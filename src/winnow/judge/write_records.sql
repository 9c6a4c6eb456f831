-- The records of a batch that say something else than the last of their key (source, kind, key), with their heads.
-- What is held and has no open entry in quarantine is written again, so that it is reviewed.
WITH given AS MATERIALIZED (
    SELECT g.*, row_number() OVER () AS position
    FROM unnest(
        %(task_id)b::uuid[], %(n)b::integer[], %(source_id)b::bigint[], %(run_id)b::bigint[], %(target_id)b::bigint[],
        %(page_id)b::uuid[], %(kind)b::text[], %(record_key)b::text[], %(url)b::text[], %(payload)b::jsonb[],
        %(provenance)b::jsonb[], %(confidence)b::float8[], %(adapter_id)b::text[], %(adapter_version)b::text[],
        %(observed_at)b::timestamptz[], %(ref)b::bigint[], %(head)b::text[], %(verdict)b::text[], %(findings)b::jsonb[],
        %(status)b::text[], %(fingerprint)b::text[]
    ) AS g (task_id, n, source_id, run_id, target_id, page_id, kind, record_key, url, payload, provenance, confidence,
            adapter_id, adapter_version, observed_at, ref, head, verdict, findings, status, fingerprint)
),
changed AS MATERIALIZED (
    SELECT g.*, h.verdict AS before
    FROM given AS g
    LEFT JOIN record_heads AS h ON h.source_id = g.source_id AND h.kind = g.kind AND h.record_key = g.record_key
    WHERE h.head IS DISTINCT FROM g.head
       OR (g.verdict = 'hold' AND NOT EXISTS (
               SELECT 1 FROM quarantine AS q WHERE q.source_id = g.source_id AND q.kind = g.kind
                 AND q.record_key = g.record_key AND q.resolved_at IS NULL))
),
written AS (
    INSERT INTO records (task_id, n, run_id, source_id, target_id, page_id, kind, record_key, url, payload, provenance,
                         adapter_id, adapter_version, confidence, verdict, reasons, findings, status, observed_at,
                         fingerprint, normalization_method)
    SELECT c.task_id, c.n, c.run_id, c.source_id, c.target_id, c.page_id, c.kind, c.record_key, c.url, c.payload,
           c.provenance, c.adapter_id, c.adapter_version, c.confidence, c.verdict,
           ARRAY(SELECT f ->> 'reason' FROM jsonb_array_elements(c.findings) AS f), c.findings, c.status, c.observed_at,
           c.fingerprint,
           CASE WHEN c.payload ->> 'normalization_method' IN ('ai','hybrid') THEN c.payload ->> 'normalization_method'
                ELSE 'rules' END
    FROM changed AS c
    ORDER BY c.position
    RETURNING id, task_id, n
),
heads AS (
    INSERT INTO record_heads AS h (source_id, kind, record_key, head, verdict, target_id, ref, record_id)
    SELECT last.source_id, last.kind, last.record_key, last.head, last.verdict, last.target_id, last.ref, w.id
    FROM (
        SELECT DISTINCT ON (c.source_id, c.kind, c.record_key) c.*
        FROM changed AS c
        ORDER BY c.source_id, c.kind, c.record_key, c.position DESC
    ) AS last
    JOIN written AS w ON w.task_id = last.task_id AND w.n = last.n
    ORDER BY last.source_id, last.kind, last.record_key
    ON CONFLICT (source_id, kind, record_key) DO UPDATE
    SET head = excluded.head, verdict = excluded.verdict, target_id = excluded.target_id,
        ref = coalesce(excluded.ref, h.ref), record_id = excluded.record_id, changed_at = now()
)
SELECT w.id, c.task_id, c.n, c.source_id, c.kind, c.record_key, c.verdict, c.before
FROM changed AS c JOIN written AS w ON w.task_id = c.task_id AND w.n = c.n
