-- What a walk of the vector index brings is put in order afterwards: asked for strict order, it would drop each row that a
-- later step finds nearer than one of an earlier.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['quarry_read', 'quarry_write', 'quarry_ingest', 'quarry_approve'] LOOP
        EXECUTE format('ALTER ROLE %I SET hnsw.iterative_scan = relaxed_order', role_name);
        EXECUTE format('ALTER ROLE %I SET hnsw.ef_search = 300', role_name);
    END LOOP;
END $$;
