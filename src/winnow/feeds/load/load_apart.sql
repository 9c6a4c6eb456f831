-- Offers of the source that have a row of presence: how many, and how many of them are in step.
SELECT count(*) AS apart, count(*) FILTER (WHERE v.in_step) AS in_step
FROM source_product_presence AS s
JOIN offer_presence AS v ON v.source_product_id = s.source_product_id
WHERE v.source_id = %(source_id)s
