-- Cursors are sealed with a secret of this database: nobody else can read or make one.

CREATE TABLE quarry.cursor_secret (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    secret bytea NOT NULL CHECK (length(secret) = 32)
);
COMMENT ON TABLE quarry.cursor_secret IS 'What cursors are sealed with; no tool shows it, and a new one ends the cursors that are out.';
-- 244 random bits.
INSERT INTO quarry.cursor_secret (secret)
VALUES (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
GRANT SELECT ON quarry.cursor_secret TO quarry_read, quarry_write;
