-- A product that changed in one shop is due in the others (C-020): those of their targets that recur by an interval, were
-- not visited within the last hour (nor their least interval), and would wait for longer. `since` is when this was asked last.
UPDATE scrape_targets SET next_crawl_at = now(), due_because = 'change', updated_at = now()
WHERE id IN (
    SELECT t.id
    FROM source_products AS changed
    JOIN product_links AS mine ON mine.source_product_id = changed.id
    JOIN product_links AS other ON other.product_id = mine.product_id AND other.source_product_id <> changed.id
    JOIN source_product_presence AS seen ON seen.source_product_id = other.source_product_id
    JOIN scrape_targets AS t ON t.id = seen.target_id
    WHERE changed.updated_at > %(since)s AND changed.updated_at <= %(until)s AND changed.updated_at > changed.created_at
      AND changed.feed_run_id IS NULL
      AND t.kind = 'product' AND t.enabled AND t.status = 'ACTIVE' AND t.schedule IS NULL
      AND t.crawl_frequency IS NOT NULL AND t.next_crawl_at > now()
      AND t.last_scraped_at < now() - greatest(coalesce(t.revisit_least, interval '1 hour'), interval '1 hour')
    ORDER BY t.id LIMIT %(n)s
    FOR UPDATE OF t SKIP LOCKED
)
