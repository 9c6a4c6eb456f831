-- The interval after a visit (C-020): a fixed one stays; an adaptive one halves when what the page says has changed and
-- grows by half when it has not, between its least and its most. What nobody knows changes nothing.
CREATE FUNCTION revisit_interval(every interval, least_every interval, most_every interval, changed boolean) RETURNS interval
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN least_every IS NULL OR changed IS NULL THEN every
            WHEN changed THEN greatest(least_every, least(most_every, every / 2))
            ELSE least(most_every, greatest(least_every, every * 1.5)) END;
