-- What a worker has to know about the tasks it claimed, for all of them at once.
SELECT k.id,
       t.etag, t.last_modified, t.content_hash, t.last_adapter_version, t.last_verdict, t.last_status,
       -- DESIGN §11.33: what a server calls unchanged is fetched in full every 24 hours or 10 visits.
       coalesce(t.full_fetch_at > now() - interval '24 hours' AND t.not_modified_count < 9, false) AS may_send_validators,
       coalesce(t.last_accepted, 0) AS last_accepted, coalesce(t.last_held, 0) AS last_held,
       coalesce(t.last_rejected, 0) AS last_rejected,
       t.source_product_id AS linked, t.choice,
       coalesce(t.robots_path_blocked, false) AS path_blocked,
       s.retailer_id, s.url AS source_url, s.locale, s.timezone,
       coalesce(s.robots_compliant, true) AS source_compliant,
       coalesce(s.scrape_config, '{}'::jsonb) AS config, coalesce(s.tier_config, '{}'::jsonb) AS tier_config,
       s.preferred_fetcher, s.preferred_method, s.fetcher_learnt_at, coalesce(s.selector_sets, '[]'::jsonb) AS selector_sets,
       coalesce(s.answered_days, '[]'::jsonb) AS answered_days,
       coalesce(s.deep_scrape_enabled, false) AS deep_scrape, s.default_latitude, s.default_longitude,
       coalesce(d.respect_robots_txt, true) AS respect_robots,
       r.state AS robots_state, r.fetched_at AS robots_fetched_at, coalesce(r.failures, 0) AS robots_failures,
       coalesce(r.expires_at > now(), false) AS robots_fresh,
       NOT EXISTS (SELECT 1 FROM scrape_adapter_status AS a
                   WHERE a.adapter_id IN (k.adapter_id, k.adapter_id || '@' || k.source_id) AND NOT a.enabled) AS adapter_enabled,
       x.id AS shadow_id, x.candidate_version AS shadow_version,
       w.scope AS crawl_scope,
       -- Only where the source follows links is the run looked at.
       CASE WHEN s.scrape_config ? 'follow' OR s.kind = 'event' OR w.id IS NOT NULL THEN (
           SELECT jsonb_build_object('budget', n.budget, 'stopping', n.stopping,
                                     'late', coalesce(n.deadline_at <= now(), false), 'bytes', n.bytes,
                                     'queued', n.links_queued, 'by_role', n.links_by_role)
           FROM scrape_runs AS n WHERE n.id = k.run_id AND n.budget IS NOT NULL
       ) END AS progress
FROM unnest(%(id)b::uuid[], %(target_id)b::bigint[], %(source_id)b::bigint[], %(origin)b::text[], %(lane)b::text[],
            %(adapter_id)b::text[], %(run_id)b::bigint[]) AS k (id, target_id, source_id, origin, lane, adapter_id, run_id)
LEFT JOIN scrape_targets AS t ON t.id = k.target_id
LEFT JOIN sources AS s ON s.id = k.source_id
LEFT JOIN domains AS d ON d.domain_name = k.lane
LEFT JOIN crawls AS w ON w.run_id = k.run_id
LEFT JOIN robots AS r ON r.origin = k.origin
LEFT JOIN replays AS x ON x.adapter_id = k.adapter_id AND x.mode = 'shadow' AND x.status = 'running'
