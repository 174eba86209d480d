-- What an attribute's values mean where their names do not say it, and attributes that are printed where rows have them.
ALTER TABLE search.attributes
    ADD COLUMN note text CONSTRAINT attributes_note_check CHECK (length(note) <= 300),
    ADD COLUMN printed text
        CONSTRAINT attributes_printed_check CHECK (printed IN ('always', 'known'));
COMMENT ON COLUMN search.attributes.note IS 'For whoever reads the list of attributes, in the house''s own words.';
COMMENT ON COLUMN search.attributes.printed IS 'known: where a row has it; else a block of characteristics says that it is missing.';
