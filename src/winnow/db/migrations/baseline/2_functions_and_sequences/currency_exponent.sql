-- Decimals of a currency (ISO 4217). The same table as normalise/money/currencies.py; a test compares them.
CREATE FUNCTION currency_exponent(currency text) RETURNS smallint
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE
    WHEN currency IN ('BIF', 'BYR', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND',
                      'VUV', 'XAF', 'XOF', 'XPF') THEN 0::smallint
    WHEN currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') THEN 3::smallint
    ELSE 2::smallint
END;
