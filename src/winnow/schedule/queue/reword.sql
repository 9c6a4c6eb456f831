-- Outcomes, reasons and counts of tasks that were settled in this transaction, as storing their records left them.
UPDATE tasks AS t
SET outcome = g.outcome, reason = g.reason, accepted = g.accepted, held = g.held, rejected = g.rejected
FROM unnest(%(task_id)b::uuid[], %(outcome)b::text[], %(reason)b::text[], %(accepted)b::integer[], %(held)b::integer[],
            %(rejected)b::integer[]) AS g (id, outcome, reason, accepted, held, rejected)
WHERE t.id = g.id
