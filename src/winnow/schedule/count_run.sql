-- What a batch of settled tasks adds to its runs; and the runs that have seen all their URLs, and have no link that
-- waits to be followed, are closed with their rates. Denominators leave out what says nothing about the adapter: out of stock without
-- a price (P-089), robots blocks (PN-06) and neutral pages (empty, links only, further pages of a list). Rates are of
-- pages: one page may have many records. Availability UNKNOWN counts as a failure (P-090, PN-03). A run in
-- which no URL succeeded has failed, whatever the reason (PN-10).
WITH given AS (
    SELECT * FROM unnest(
        %(run_id)b::bigint[], %(attempted)b::integer[], %(succeeded)b::integer[], %(failed)b::integer[],
        %(unchanged)b::integer[], %(robots_blocked)b::integer[], %(cancelled)b::integer[], %(extracted)b::integer[],
        %(valid)b::integer[], %(dropped)b::integer[], %(quarantined)b::integer[], %(oos)b::integer[],
        %(zero_price)b::integer[], %(unknown_availability)b::integer[], %(yielding)b::integer[], %(empty)b::integer[],
        %(neutral)b::integer[], %(same)b::integer[], %(cut)b::integer[], %(gauges)b::jsonb[], %(planned)b::integer[],
        %(bytes)b::bigint[], %(links_found)b::integer[], %(links_waiting)b::integer[], %(links_queued)b::integer[],
        %(links_cut)b::integer[], %(links_cut_by)b::jsonb[], %(links_by_role)b::jsonb[]
    ) AS t (run_id, attempted, succeeded, failed, unchanged, robots_blocked, cancelled, extracted, valid, dropped,
            quarantined, oos, zero_price, unknown_availability, yielding, empty, neutral, same, cut, gauges,
            planned, bytes, links_found, links_waiting, links_queued, links_cut, links_cut_by, links_by_role)
),
-- The sums are made of the locked rows, not of a second look at the table: that one would show them as
-- they were when this statement began, before the worker we waited for added its own.
counted AS MATERIALIZED (
    SELECT r.id,
           r.urls_planned + g.planned AS planned,
           r.status = 'RUNNING' AS running,
           r.urls_attempted + g.attempted AS attempted,
           r.urls_succeeded + g.succeeded AS succeeded,
           r.urls_failed + g.failed AS failed,
           r.urls_unchanged + g.unchanged AS unchanged,
           r.urls_robots_blocked + g.robots_blocked AS robots_blocked,
           r.urls_cancelled + g.cancelled AS cancelled,
           r.offers_extracted + g.extracted AS extracted,
           r.offers_valid + g.valid AS valid,
           r.offers_dropped + g.dropped AS dropped,
           r.offers_quarantined + g.quarantined AS quarantined,
           r.oos_no_price_count + g.oos AS oos,
           r.zero_price_count + g.zero_price AS zero_price,
           r.unknown_availability_count + g.unknown_availability AS unknown_availability,
           r.pages_yielding + g.yielding AS yielding,
           r.pages_empty + g.empty AS empty,
           r.pages_neutral + g.neutral AS neutral,
           r.records_same + g.same AS same,
           r.records_cut + g.cut AS cut,
           add_counts(r.gauges, g.gauges) AS gauges,
           r.bytes + g.bytes AS bytes,
           r.links_found + g.links_found AS links_found,
           r.links_waiting + g.links_waiting AS links_waiting,
           r.links_queued + g.links_queued AS links_queued,
           r.links_cut + g.links_cut AS links_cut,
           add_counts(r.links_cut_by, g.links_cut_by) AS links_cut_by,
           add_counts(r.links_by_role, g.links_by_role) AS links_by_role
    FROM scrape_runs AS r
    JOIN given AS g ON g.run_id = r.id
    ORDER BY r.id
    FOR UPDATE OF r
),
closing AS (
    SELECT *, running AND attempted + cancelled >= planned AND links_waiting = 0 AS complete,
           nullif(attempted - oos - robots_blocked - neutral, 0) AS telling  -- URLs that say something about the adapter
    FROM counted
)
UPDATE scrape_runs AS r
SET urls_planned = c.planned, urls_attempted = c.attempted, urls_succeeded = c.succeeded, urls_failed = c.failed,
    urls_unchanged = c.unchanged, urls_robots_blocked = c.robots_blocked, urls_cancelled = c.cancelled,
    offers_extracted = c.extracted, offers_valid = c.valid, offers_dropped = c.dropped,
    offers_quarantined = c.quarantined, oos_no_price_count = c.oos, zero_price_count = c.zero_price,
    unknown_availability_count = c.unknown_availability, pages_yielding = c.yielding, pages_empty = c.empty,
    pages_neutral = c.neutral, records_same = c.same, records_cut = c.cut, gauges = c.gauges,
    bytes = c.bytes, links_found = c.links_found, links_waiting = c.links_waiting, links_queued = c.links_queued,
    links_cut = c.links_cut, links_cut_by = c.links_cut_by, links_by_role = c.links_by_role,
    status = CASE WHEN NOT c.complete THEN r.status WHEN c.succeeded = 0 THEN 'FAILED' ELSE 'SUCCESS' END,
    error_code = CASE WHEN c.complete AND c.succeeded = 0 THEN 'NO_PAGE_READ' ELSE r.error_code END,
    error_message = CASE WHEN c.complete AND c.succeeded = 0
                         THEN concat_ws(': ', 'no page could be read', nullif(concat_ws(', ',
                             CASE WHEN c.failed > 0 THEN c.failed || ' failed' END,
                             CASE WHEN c.robots_blocked > 0 THEN c.robots_blocked || ' forbidden by robots.txt' END,
                             CASE WHEN c.cancelled > 0 THEN c.cancelled || ' cancelled' END), ''))
                         ELSE r.error_message END,
    completed_at = CASE WHEN c.complete THEN clock_timestamp() ELSE r.completed_at END,
    duration_ms = CASE WHEN c.complete THEN (extract(epoch FROM clock_timestamp() - r.started_at) * 1000)::bigint
                       ELSE r.duration_ms END,
    failure_rate = CASE WHEN c.complete THEN coalesce((c.failed + c.unknown_availability)::numeric / c.telling, 0)
                        ELSE r.failure_rate END,
    yield_rate = CASE WHEN c.complete THEN coalesce(c.yielding::numeric / c.telling, 0) ELSE r.yield_rate END,
    -- A robots block is a drop (P-013) of something that was never extracted.
    drop_rate = CASE WHEN c.complete
                     THEN coalesce((c.dropped - c.robots_blocked)::numeric / nullif(c.extracted, 0), 0)
                     ELSE r.drop_rate END
FROM closing AS c
WHERE r.id = c.id
RETURNING r.id, r.status, c.complete
