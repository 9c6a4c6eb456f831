-- Ids and digests hardly shrink: packing them was an eighth of what the server did in a first load of a catalogue, and
-- half of it where nothing had changed.
ALTER TABLE feed_run_seen ALTER COLUMN source_product_ids SET STORAGE EXTERNAL;
ALTER TABLE feed_row_memory ALTER COLUMN entries SET STORAGE EXTERNAL;
