-- What goods do at other conditions than they are rated for: an attribute may be a point of another one.
ALTER TABLE search.attributes
    ADD COLUMN point text CONSTRAINT attributes_point_check CHECK (length(point) <= 200);
COMMENT ON COLUMN search.attributes.point IS
    'Of which attribute it is the value, or without a unit the factor, at which condition: flow at head 20 m.';
