-- Missed by enough complete readings. One that other sources list still is shown through theirs or stays as it is:
-- whoever is shown is not gone while one of those it stands for is listed.
UPDATE events AS e
SET status = 'gone', gone_at = now(), sequence = e.sequence + 1, updated_at = now()
WHERE e.source_id = %(source_id)s AND e.status = 'published' AND e.misses >= %(readings)s AND e.missing_since IS NOT NULL
  AND e.starts_at > now()
  AND NOT EXISTS (SELECT FROM events AS o WHERE o.merged_into = e.id AND o.status = 'published'
                  AND o.missing_since IS NULL)
RETURNING e.*
