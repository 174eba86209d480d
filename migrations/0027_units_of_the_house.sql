-- The units of a tenant are loaded with what else its house says, and not by hand.
ALTER TABLE quarry.house ADD COLUMN units text CONSTRAINT house_units_check CHECK (units IN ('us', 'metric'));
COMMENT ON COLUMN quarry.house.units IS 'What quantities are read and shown in where a call does not say.';
