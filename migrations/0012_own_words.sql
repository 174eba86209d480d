-- A tenant's own words with what they ask for, and what its competitors' machines are worth.

CREATE TABLE search.vocabulary (
    tenant text NOT NULL REFERENCES quarry.tenants,
    term text NOT NULL,
    language text,
    attribute text NOT NULL,
    value text NOT NULL,
    family text,
    note text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, term, attribute)
);
COMMENT ON COLUMN search.vocabulary.language IS 'Whose endings the term takes; NULL: it is read only as it is written.';
COMMENT ON COLUMN search.vocabulary.family IS 'When set, the term means this only where that family is asked for.';
SELECT quarry.isolate('search.vocabulary');
GRANT SELECT ON search.vocabulary TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE, DELETE ON search.vocabulary TO quarry_ingest;

CREATE TABLE search.equivalents (
    tenant text NOT NULL REFERENCES quarry.tenants,
    maker text NOT NULL,
    model text NOT NULL,
    family text,
    lubrication text,
    compression text,
    dryer_kind text,
    cooling text,
    drive text,
    hp double precision,
    cfm double precision,
    psi double precision,
    vacuum_inhg double precision,
    dewpoint_f double precision,
    gallons double precision,
    note text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, maker, model)
);
COMMENT ON COLUMN search.equivalents.model IS 'Empty: any machine of that maker.';
SELECT quarry.isolate('search.equivalents');
GRANT SELECT ON search.equivalents TO quarry_read, quarry_write;
GRANT SELECT, INSERT, UPDATE, DELETE ON search.equivalents TO quarry_ingest;
