-- Stored pages with what was made of them, newest first, a batch at a time. `stored_bytes`: a visit that read its page;
-- an unchanged one has no reading of its own.
SELECT p.id, p.url, p.final_url, p.content_hash, p.charset, p.content_type, p.status_code, p.created_at,
       p.body_deleted_at IS NOT NULL AS deleted,
       s.scrape_config ->> 'currency' AS currency,
       coalesce(s.scrape_config ->> 'assumeInStock' = 'true', false) AS assume_in_stock, s.locale, s.timezone,
       coalesce(k.kind, a.kind) AS kind, r.records, coalesce(k.reason, a.reason) AS reason,
       coalesce(k.accepted + k.held + k.rejected, a.accepted + a.held + a.rejected, 0) AS judged
FROM pages AS p
LEFT JOIN scrape_targets AS t ON t.id = p.target_id
LEFT JOIN sources AS s ON s.id = p.source_id
CROSS JOIN LATERAL (
    SELECT coalesce(jsonb_agg(jsonb_build_object('key', w.record_key, 'payload', w.payload, 'verdict', w.verdict,
                                                 'reason', w.reasons[1]) ORDER BY w.n), '[]'::jsonb) AS records
    FROM records AS w WHERE w.task_id = p.task_id AND w.page_id = p.id
) AS r
LEFT JOIN tasks AS k ON k.id = p.task_id
LEFT JOIN task_archive AS a ON a.id = p.task_id
WHERE p.outcome = 'ok' AND p.content_hash IS NOT NULL AND p.stored_bytes IS NOT NULL
  AND CASE WHEN %(source_id)s::bigint IS NOT NULL THEN p.source_id = %(source_id)s
           ELSE t.adapter_id = %(adapter_id)s OR t.domain = %(domain)s END
  AND p.created_at >= coalesce(%(since)s::timestamptz, '-infinity')
  AND (%(before_at)s::timestamptz IS NULL OR (p.created_at, p.id) < (%(before_at)s, %(before_id)s::uuid))
ORDER BY p.created_at DESC, p.id DESC
LIMIT %(n)s
