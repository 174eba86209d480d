-- What a house says of itself beside its defaults: who answers which questions and how soon, where it works.
ALTER TABLE quarry.house ADD COLUMN facts jsonb CONSTRAINT house_facts_check CHECK (jsonb_typeof(facts) = 'object');
COMMENT ON COLUMN quarry.house.facts IS 'Texts by name, as letters may say them: {"lead_times": "Tina Vance, …"}.';
