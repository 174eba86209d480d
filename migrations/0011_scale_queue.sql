-- Embedding workers hold a lease, not a lock: a write never waits for the provider, and a dead worker's rows come back.

ALTER TABLE quarry.embedding_queue ADD COLUMN claim uuid, ADD COLUMN claimed_until timestamptz;
COMMENT ON COLUMN quarry.embedding_queue.claim IS 'The batch a worker has in hand; it may finish a row only while its claim stands.';

CREATE FUNCTION quarry.drop_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.claim := NULL;
    NEW.claimed_until := NULL;
    RETURN NEW;
END $$;

-- Only whoever queues a row sets its hash: the text a worker has in hand is then no longer the row's.
CREATE TRIGGER drop_claim BEFORE UPDATE OF content_hash ON quarry.embedding_queue
    FOR EACH ROW EXECUTE FUNCTION quarry.drop_claim();
