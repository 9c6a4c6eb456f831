-- The earliest price that may have changed since a moment: the first one recorded after it, of a feed run promoted or
-- taken back after it, or any at all where a correction or what consumers may see was changed. NULL: any.
SELECT CASE
    WHEN EXISTS (SELECT FROM price_corrections WHERE created_at >= %(since)s OR revoked_at >= %(since)s)
        OR EXISTS (SELECT FROM source_trust_config WHERE updated_at >= %(since)s AND created_at < %(since)s)
    THEN NULL
    ELSE least(%(since)s, (SELECT min(started_at) FROM affiliate_feed_runs WHERE promoted_at >= %(since)s))
END
