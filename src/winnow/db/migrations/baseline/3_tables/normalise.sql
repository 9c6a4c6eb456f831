-- Written from the models of db/tables/ by `make baseline`; change those.

CREATE TABLE geocodes (
    query TEXT NOT NULL,
    latitude DOUBLE PRECISION,
    longitude DOUBLE PRECISION,
    label TEXT,
    answered_at TIMESTAMP WITH TIME ZONE DEFAULT now() NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE,
    CONSTRAINT geocodes_pkey PRIMARY KEY (query),
    CONSTRAINT geocodes_coordinates_pair_check CHECK ((latitude IS NULL) = (longitude IS NULL)),
    CONSTRAINT geocodes_coordinates_check CHECK (latitude BETWEEN -90 AND 90 AND longitude BETWEEN -180 AND 180)
);
