-- Minor units as a decimal, for views and exports only (DESIGN §11.6): 1999 and 2 give 19.99.
CREATE FUNCTION money_decimal(minor bigint, exponent smallint) RETURNS numeric
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN round(minor / power(10::numeric, exponent), exponent);
