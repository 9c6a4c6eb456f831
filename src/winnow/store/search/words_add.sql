-- The words of names and brands that are not known yet: what somebody may have meant who mistyped one.
INSERT INTO search_words (word)
SELECT DISTINCT w.lexeme
FROM search_documents AS d
CROSS JOIN LATERAL unnest(to_tsvector('simple', concat_ws(' ', d.product_name, d.brand))) AS w
WHERE d.product_id = ANY(%(id)b::bigint[]) AND char_length(w.lexeme) BETWEEN 3 AND 40 AND w.lexeme !~ '[0-9]'
    AND NOT EXISTS (SELECT FROM search_words AS k WHERE k.word = w.lexeme)
ON CONFLICT DO NOTHING
