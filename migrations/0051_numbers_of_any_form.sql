-- Numbers of quotes as houses write them: OF/2024/017, 2024 / 017 A.

ALTER TABLE cpq.quotes
    DROP CONSTRAINT quotes_id_check,
    ADD CONSTRAINT quotes_id_check CHECK (id ~ '^[A-Z0-9][A-Z0-9 ._/#+-]{0,39}$');
