-- C-070: A target refreshes an offer of its own source.
SELECT t.id, format('its offer %s is of source %s', o.id, o.source_id) AS problem
FROM scrape_targets t
JOIN source_products o ON o.id = t.source_product_id
WHERE o.source_id <> t.source_id
