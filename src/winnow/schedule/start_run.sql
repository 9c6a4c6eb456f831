-- One run for one source (P-072). The constraint lets only one be active (R-07).
INSERT INTO scrape_runs (adapter_id, adapter_version, source_id, retailer_id, trigger, requested_by, close_monitoring)
SELECT %(adapter_id)s, %(adapter_version)s, s.id, s.retailer_id, %(trigger)s, %(requested_by)s,
       EXISTS (SELECT 1 FROM scrape_adapter_status AS a
               WHERE a.adapter_id IN (%(adapter_id)s::text, %(adapter_id)s || '@' || s.id) AND a.close_monitoring)
FROM sources AS s
WHERE s.id = %(source_id)s
ON CONFLICT (source_id) WHERE status = 'RUNNING' DO NOTHING
RETURNING id
