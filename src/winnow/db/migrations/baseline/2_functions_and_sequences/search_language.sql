-- The language a shop writes in, as text search calls it: what its source says, else what its country speaks, else
-- English (C-053). 'simple' where PostgreSQL has no stems of it.
CREATE FUNCTION search_language(locale text, domain text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE coalesce(
        nullif(lower(substring(locale FROM '^[A-Za-z]{2}')), ''),
        CASE lower(substring(domain FROM '\.([A-Za-z]{2})$'))
            WHEN 'at' THEN 'de' WHEN 'br' THEN 'pt' WHEN 'mx' THEN 'es' WHEN 'ar' THEN 'es' WHEN 'cl' THEN 'es'
            WHEN 'dk' THEN 'da' WHEN 'gr' THEN 'el' WHEN 'se' THEN 'sv' WHEN 'be' THEN 'nl' WHEN 'cz' THEN 'cs'
            WHEN 'jp' THEN 'ja' WHEN 'cn' THEN 'zh' WHEN 'ua' THEN 'uk'
            WHEN 'uk' THEN 'en' WHEN 'ie' THEN 'en' WHEN 'au' THEN 'en' WHEN 'nz' THEN 'en' WHEN 'us' THEN 'en'
            WHEN 'ca' THEN 'en' WHEN 'in' THEN 'en' WHEN 'za' THEN 'en' WHEN 'io' THEN 'en' WHEN 'co' THEN 'en'
            WHEN 'eu' THEN 'en' WHEN 'me' THEN 'en' WHEN 'tv' THEN 'en' WHEN 'ai' THEN 'en' WHEN 'ch' THEN 'de'
            ELSE lower(substring(domain FROM '\.([A-Za-z]{2})$'))
        END,
        'en')
    WHEN 'en' THEN 'english' WHEN 'nl' THEN 'dutch' WHEN 'de' THEN 'german' WHEN 'fr' THEN 'french'
    WHEN 'es' THEN 'spanish' WHEN 'it' THEN 'italian' WHEN 'pt' THEN 'portuguese' WHEN 'da' THEN 'danish'
    WHEN 'sv' THEN 'swedish' WHEN 'no' THEN 'norwegian' WHEN 'nb' THEN 'norwegian' WHEN 'fi' THEN 'finnish'
    WHEN 'ru' THEN 'russian' WHEN 'ro' THEN 'romanian' WHEN 'hu' THEN 'hungarian' WHEN 'tr' THEN 'turkish'
    WHEN 'el' THEN 'greek'
    ELSE 'simple' END;
