-- P-094: every new source starts not eligible and with UPCs not trusted, whoever adds it.
CREATE FUNCTION sources_default_trust() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO source_trust_config (source_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER sources_default_trust AFTER INSERT ON sources
FOR EACH ROW EXECUTE FUNCTION sources_default_trust();
