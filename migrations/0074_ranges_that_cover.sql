-- Goods with ranges of their own may have to cover what is asked.
ALTER TABLE search.attributes
    DROP CONSTRAINT attributes_sense_check,
    ADD CONSTRAINT attributes_sense_check CHECK (sense IN ('at_least', 'at_most', 'about', 'exactly', 'covers'));
