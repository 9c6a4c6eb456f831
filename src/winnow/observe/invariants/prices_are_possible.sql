-- P-033, P-034: A price is above zero, in the decimals of its currency, and was not seen in the future.
SELECT p.id, format('%s %s seen at %s', p.amount_minor, p.currency, p.observed_at) AS problem
FROM prices p
WHERE p.amount_minor < 1 OR p.observed_at > p.created_at + interval '1 day'
    OR p.exponent <> currency_exponent(p.currency)
