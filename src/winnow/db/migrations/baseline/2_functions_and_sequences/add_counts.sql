-- Two objects of counters as one: {"a": 1} and {"a": 2, "b": 1} give {"a": 3, "b": 1}.
CREATE FUNCTION add_counts(one jsonb, other jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN other = '{}'::jsonb THEN one ELSE (
    SELECT jsonb_object_agg(name, n)
    FROM (
        SELECT name, sum(value::bigint) AS n
        FROM (SELECT * FROM jsonb_each_text(one) UNION ALL SELECT * FROM jsonb_each_text(other)) AS both_of (name, value)
        GROUP BY name
    ) AS sums
) END;
