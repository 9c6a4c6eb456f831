-- What a visit says about its target: every visit leaves its time and status (P-080); failures in a row add up
-- and the fifth makes it BROKEN (P-088); a valid offer brings a BROKEN one back (P-075). `failure` NULL leaves the
-- count alone: out of stock, robots, drops and quarantine say nothing about the URL (PN-06).
UPDATE scrape_targets AS t
SET last_scraped_at = now(),
    last_status = g.status,
    last_error = g.error,
    last_task_id = g.task_id,
    last_page_id = coalesce(g.page_id, t.last_page_id),
    consecutive_failures = CASE WHEN g.failure IS NULL THEN t.consecutive_failures
                                WHEN g.failure THEN t.consecutive_failures + 1 ELSE 0 END,
    status = CASE WHEN g.failure AND t.consecutive_failures + 1 >= 5 AND t.status = 'ACTIVE' THEN 'BROKEN'
                  WHEN g.failure = false AND t.status IN ('BROKEN', 'STALE') THEN 'ACTIVE' ELSE t.status END,
    last_verdict = coalesce(g.verdict, t.last_verdict),
    last_accepted = CASE WHEN g.verdict IS NULL THEN t.last_accepted ELSE g.accepted END,
    last_held = CASE WHEN g.verdict IS NULL THEN t.last_held ELSE g.held END,
    last_rejected = CASE WHEN g.verdict IS NULL THEN t.last_rejected ELSE g.rejected END,
    last_adapter_version = coalesce(g.adapter_version, t.last_adapter_version),
    etag = CASE WHEN g.fresh THEN g.etag ELSE t.etag END,
    last_modified = CASE WHEN g.fresh THEN g.last_modified ELSE t.last_modified END,
    content_hash = CASE WHEN g.fresh THEN g.content_hash ELSE t.content_hash END,
    last_changed_at = CASE WHEN g.fresh AND g.content_hash IS DISTINCT FROM t.content_hash THEN now()
                           ELSE t.last_changed_at END,
    unchanged_count = t.unchanged_count + g.unchanged::integer,
    full_fetch_at = CASE WHEN g.full_fetch THEN now() ELSE t.full_fetch_at END,
    not_modified_count = CASE WHEN g.full_fetch THEN 0 ELSE t.not_modified_count + g.not_modified::integer END,
    data_changed_at = CASE WHEN g.says_new THEN now() ELSE t.data_changed_at END,
    visits_changed = t.visits_changed + coalesce(g.says_new, false)::integer,
    visits_same = CASE WHEN g.says_new IS NULL THEN t.visits_same WHEN g.says_new THEN 0 ELSE t.visits_same + 1 END,
    crawl_frequency = revisit_interval(t.crawl_frequency, t.revisit_least, t.revisit_most, g.says_new),
    expected_every = CASE WHEN t.revisit_least IS NULL THEN t.expected_every
                          ELSE revisit_interval(t.crawl_frequency, t.revisit_least, t.revisit_most, g.says_new) END,
    due_because = CASE WHEN g.again IS NULL THEN 'time' ELSE 'confirm' END,
    -- C-018: an interval counts from the end of the visit; a cron was set when the visit was scheduled.
    -- What has to be confirmed is visited again sooner.
    next_crawl_at = CASE WHEN t.schedule IS NULL AND t.crawl_frequency IS NULL AND t.next_crawl_at IS NULL THEN NULL
                         ELSE least(CASE WHEN t.schedule IS NULL AND t.crawl_frequency IS NOT NULL
                                         THEN now() + revisit_interval(t.crawl_frequency, t.revisit_least, t.revisit_most,
                                                                       g.says_new)
                                         ELSE t.next_crawl_at END,
                                    now() + make_interval(secs => g.again)) END
FROM unnest(
    %(target_id)b::bigint[], %(task_id)b::uuid[], %(page_id)b::uuid[], %(status)b::text[], %(error)b::text[],
    %(failure)b::boolean[], %(verdict)b::text[], %(adapter_version)b::text[], %(fresh)b::boolean[], %(etag)b::text[],
    %(last_modified)b::text[], %(content_hash)b::text[], %(unchanged)b::boolean[], %(again_in_seconds)b::float8[],
    %(accepted)b::integer[], %(held)b::integer[], %(rejected)b::integer[], %(not_modified)b::boolean[],
    %(full_fetch)b::boolean[], %(says_new)b::boolean[]
) AS g (target_id, task_id, page_id, status, error, failure, verdict, adapter_version, fresh, etag, last_modified,
        content_hash, unchanged, again, accepted, held, rejected, not_modified, full_fetch, says_new)
WHERE t.id = g.target_id
RETURNING t.id, t.status, t.consecutive_failures
