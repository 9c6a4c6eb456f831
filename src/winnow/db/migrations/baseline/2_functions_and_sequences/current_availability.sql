-- The availability of an offer now, from its newest price and its presence (DESIGN §11.33): sold out or gone is out of
-- stock; forbidden or unconfirmed is unknown, because the page may say anything meanwhile.
CREATE FUNCTION current_availability(priced text, unavailable_reason text, unconfirmed_since timestamptz) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN unavailable_reason IN ('sold_out', 'gone') THEN 'OUT_OF_STOCK'
            WHEN unavailable_reason IS NOT NULL OR unconfirmed_since IS NOT NULL THEN 'UNKNOWN'
            ELSE priced END;
