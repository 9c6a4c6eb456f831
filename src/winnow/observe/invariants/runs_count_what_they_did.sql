-- P-062: A run attempted no more URLs than it planned, and what was attempted succeeded, failed or was forbidden.
SELECT r.id, format('%s planned, %s attempted, %s succeeded, %s failed', r.urls_planned, r.urls_attempted,
                    r.urls_succeeded, r.urls_failed) AS problem
FROM scrape_runs r
WHERE r.completed_at IS NOT NULL
    AND (r.urls_succeeded + r.urls_failed > r.urls_attempted OR r.offers_valid > r.offers_extracted)
