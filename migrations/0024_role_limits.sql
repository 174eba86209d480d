-- No role takes all of the database: its connections, its time, its disk beside the tables.

DO $$
DECLARE
    role_name text;
    connections integer := current_setting('max_connections')::integer;
BEGIN
    -- Shares of what this server takes now: of those who retrieve and those who write neither keeps the other out, and
    -- an ingest or the approval page none of them.
    EXECUTE format('ALTER ROLE quarry_read CONNECTION LIMIT %s', connections * 6 / 10);
    EXECUTE format('ALTER ROLE quarry_write CONNECTION LIMIT %s', connections * 6 / 10);
    EXECUTE format('ALTER ROLE quarry_ingest CONNECTION LIMIT %s', connections * 3 / 10);
    EXECUTE format('ALTER ROLE quarry_approve CONNECTION LIMIT %s', connections * 3 / 10);
    -- A transaction that waits for its client holds its locks, and back what vacuum may remove.
    FOREACH role_name IN ARRAY ARRAY['quarry_read', 'quarry_write', 'quarry_approve'] LOOP
        EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''30s''', role_name);
        EXECUTE format('ALTER ROLE %I SET lock_timeout = ''10s''', role_name);
    END LOOP;
    ALTER ROLE quarry_ingest SET idle_in_transaction_session_timeout = '2min';
    ALTER ROLE quarry_ingest SET statement_timeout = '10min';
    -- Temporary tables are disk that nobody counts; no function makes any.
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
END $$;
