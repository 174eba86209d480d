-- On RDS, membership in rds_iam is what lets a role log in by IAM token. Elsewhere there is no such role.
--
-- The owner stays out of it: its password would be refused from then on. What search.change_model needs to end
-- open sessions, pg_signal_backend, the owner has on RDS as its master user.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam') THEN
        GRANT rds_iam TO quarry_read, quarry_write, quarry_ingest;
    END IF;
END $$;
