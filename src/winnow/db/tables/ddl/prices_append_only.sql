CREATE TRIGGER prices_append_only BEFORE UPDATE ON prices
FOR EACH ROW EXECUTE FUNCTION prices_only_forget_runs();

CREATE TRIGGER prices_never_deleted BEFORE DELETE ON prices
FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TRIGGER prices_never_truncated BEFORE TRUNCATE ON prices
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
