-- How far each tenant is into its rate, in common for all processes of the front. Unlogged: after a crash all begin anew.
CREATE UNLOGGED TABLE quarry.tenant_rates (
    tenant text PRIMARY KEY,
    used double precision NOT NULL DEFAULT 0,
    settled_at timestamptz NOT NULL DEFAULT now()
);
SELECT quarry.isolate('quarry.tenant_rates');
GRANT SELECT, INSERT, UPDATE ON quarry.tenant_rates TO quarry_write;
