-- The words of a name and a text (C-053): English stems, the name weighing more, nothing NULL.
CREATE FUNCTION search_document(name text, description text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector('english'::regconfig, coalesce(name, '')), 'A')
    || setweight(to_tsvector('english'::regconfig, coalesce(description, '')), 'B');
