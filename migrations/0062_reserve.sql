-- A row's figures may hold while some of its machines wait: one that is out then takes nothing from them.
ALTER TABLE search.attributes
    DROP CONSTRAINT attributes_adds_check,
    ADD CONSTRAINT attributes_adds_check CHECK (adds IN ('sum', 'same', 'decibels', 'units', 'reserve'));
COMMENT ON COLUMN search.attributes.adds IS
    'What several machines have together: the sum, what one has, or the level of all sources; units: how many one is; '
    'reserve: how many of these wait while the others give what is stated.';
