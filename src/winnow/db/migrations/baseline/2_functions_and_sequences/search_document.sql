-- The words of a name and a text (C-053): stems of the language, the name weighing more and also as it is written, nothing
-- NULL. A text beyond 50 000 characters adds no words anybody looks for, and a tsvector has a limit.
CREATE FUNCTION search_document(language regconfig, name text, description text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN setweight(to_tsvector(language, coalesce(name, '')), 'A')
    || setweight(to_tsvector('simple'::regconfig, coalesce(name, '')), 'A')
    || setweight(to_tsvector(language, coalesce(left(description, 50000), '')), 'B');
