-- A flow of gas is of standard air or as it stands in the pipe, and neither becomes the other without a pressure.
ALTER TABLE search.units DROP CONSTRAINT units_reference_check, ADD CONSTRAINT units_reference_check
    CHECK (reference IN ('', 'gauge', 'absolute', 'vacuum', 'standard', 'actual'));
