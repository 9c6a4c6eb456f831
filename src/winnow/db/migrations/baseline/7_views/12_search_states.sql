-- What an offer is searched, filtered and counted by, now: for operators, and in `shown_` for consumers (P-092), to whom
-- it is what consumer_offers says. Of a feed whose run is not promoted, the offer as it was before.
-- An offer in step with its feed expires with the feed, which whoever searches looks at.
CREATE VIEW search_states AS
SELECT
    o.id AS product_id,
    o.source_id,
    CASE WHEN b.run_id IS NULL THEN o.title ELSE b.title END AS product_name,
    CASE WHEN b.run_id IS NULL THEN o.brand ELSE b.brand END AS brand,
    CASE WHEN b.run_id IS NULL THEN o.category ELSE b.category END AS category,
    CASE WHEN b.run_id IS NULL THEN o.description ELSE b.description END AS description,
    coalesce(o.domain, s.domain) AS domain_name,
    search_language(s.locale, coalesce(o.domain, s.domain)) AS language,
    o.created_at,
    o.rating,
    p.price,
    p.currency,
    current_availability(p.availability, seen.unavailable_reason, seen.unconfirmed_since) AS availability,
    c.price AS shown_price,
    c.currency AS shown_currency,
    c.availability AS shown_availability,
    until.shown_until,
    CASE WHEN seen.unconfirmed_since IS NOT NULL OR until.shown_until <= now() OR until.confirmed_until <= now() THEN NULL
        ELSE coalesce(least(until.shown_until, until.confirmed_until), 'infinity') END AS recheck_at
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN source_trust_config trust ON trust.source_id = s.id
LEFT JOIN affiliate_feeds f ON f.source_id = s.id
LEFT JOIN offer_before b
    ON b.run_id = f.loaded_run_id AND b.source_product_id = o.id
    AND f.loaded_run_id IS DISTINCT FROM f.promoted_run_id
LEFT JOIN offer_presence seen ON seen.source_product_id = o.id
LEFT JOIN source_product_presence direct ON direct.source_product_id = o.id AND o.feed_run_id IS NULL
LEFT JOIN scrape_targets t ON t.id = direct.target_id
LEFT JOIN consumer_offers c ON c.source_product_id = o.id
LEFT JOIN LATERAL (
    SELECT money_decimal(l.amount_minor, l.exponent) AS price, l.currency, l.availability
    FROM latest_prices l
    WHERE l.source_product_id = o.id AND (s.source_kind <> 'AFFILIATE_FEED' OR NOT l.scraped)
    ORDER BY l.created_at DESC, l.price_id DESC
    LIMIT 1
) p ON true
CROSS JOIN LATERAL (
    SELECT
        CASE WHEN s.source_kind <> 'AFFILIATE_FEED'
                THEN seen.last_seen_success_at + make_interval(hours => trust.expiry_hours)
            WHEN NOT seen.in_step THEN seen.last_seen_success_at + make_interval(hours => f.expiry_hours)
        END AS shown_until,
        CASE WHEN direct.target_id IS NOT NULL AND (t.id IS NULL OR t.expected_every IS NOT NULL)
            THEN direct.last_seen_success_at + greatest(3 * t.expected_every, interval '48 hours')
        END AS confirmed_until
) AS until;
