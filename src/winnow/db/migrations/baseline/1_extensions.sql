-- pg_trgm: search that forgives a wrong letter. earthdistance (on cube): how far away an event is.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS cube;
CREATE EXTENSION IF NOT EXISTS earthdistance;

-- pgvector is optional: without it only semantic deduplication is off (DESIGN §9).
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector') THEN
        CREATE EXTENSION IF NOT EXISTS vector;
    END IF;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'pgvector is there but may not be installed by this user: semantic deduplication stays off';
END $$;
