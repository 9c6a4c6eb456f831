-- Marks bodies nobody needs any more, oldest first, and tells their hashes. Kept whatever their age: the last page of
-- a target, what a task under way still reads, and what a person has yet to judge.
WITH old AS (
    SELECT p.id
    FROM pages AS p
    LEFT JOIN sources AS s ON s.id = p.source_id
    LEFT JOIN task_archive AS a ON a.id = p.task_id
    WHERE p.content_hash IS NOT NULL AND p.body_deleted_at IS NULL
      AND p.created_at < now() - least(%(days)s, %(personal_days)s) * interval '1 day'
      AND p.created_at < now() - interval '1 day'
          * CASE WHEN coalesce(a.kind, s.kind) = 'profile' THEN %(personal_days)s ELSE %(days)s END
      AND NOT EXISTS (SELECT FROM scrape_targets AS t WHERE t.id = p.target_id AND t.last_page_id = p.id)
      AND NOT EXISTS (SELECT FROM tasks AS k WHERE k.id = p.task_id AND k.status IN ('queued', 'running'))
      AND NOT EXISTS (
          SELECT FROM quarantine AS q WHERE q.resolved_at IS NULL AND q.target_id = p.target_id AND q.page_id = p.id)
    ORDER BY p.created_at
    LIMIT %(limit)s
)
UPDATE pages AS p SET body_deleted_at = now() FROM old WHERE p.id = old.id
RETURNING p.content_hash, p.screenshot_hash
