-- When an offer was seen last, and last with success, whoever brought it (F-026, F-029). An offer of a feed that
-- every run sees is in step with the feed: what the feed's row says holds for it, from the run on that brought it
-- or brought it back. So a run that sees 500 000 offers again writes one row, not 500 000.
-- An offer that its target has not seen for three of its expected intervals, at least 48 hours, is unconfirmed since it
-- was seen last (DESIGN §11.33); one whose target was removed after 48 hours; one visited only by hand never.
-- Offers of feeds follow their feed alone (FN-18). One that a promoted run removed is as one never seen.
CREATE VIEW offer_presence AS
SELECT
    o.id AS source_product_id,
    o.source_id,
    k.since IS NOT NULL AS in_step,
    greatest(
        coalesce(s.last_seen_at, o.created_at),
        CASE WHEN f.current_seen_run_id >= k.since THEN f.current_seen_at END
    ) AS last_seen_at,
    CASE WHEN f.promoted_run_id >= k.since THEN f.promoted_at
         WHEN f.promoted_run_id >= s.removed_by_run_id THEN NULL
         ELSE s.last_seen_success_at END AS last_seen_success_at,
    CASE WHEN o.feed_run_id IS NULL THEN s.unavailable_since END AS unavailable_since,
    CASE WHEN o.feed_run_id IS NULL THEN s.unavailable_reason END AS unavailable_reason,
    CASE WHEN o.feed_run_id IS NULL AND s.target_id IS NOT NULL AND (t.id IS NULL OR t.expected_every IS NOT NULL)
            AND now() - s.last_seen_success_at > greatest(3 * t.expected_every, interval '48 hours')
        THEN s.last_seen_success_at END AS unconfirmed_since
FROM source_products o
LEFT JOIN source_product_presence s ON s.source_product_id = o.id
LEFT JOIN scrape_targets t ON t.id = s.target_id
LEFT JOIN affiliate_feeds f ON f.source_id = o.source_id AND o.feed_run_id IS NOT NULL
CROSS JOIN LATERAL (
    SELECT CASE WHEN s.left_by_run_id IS NULL THEN o.feed_run_id ELSE s.back_run_id END AS since
) AS k
WHERE o.feed_run_id IS NOT NULL OR s.source_product_id IS NOT NULL;
