-- Approving is a role of its own, the approval page's: what tools connect as can ask for a decision and void it, but
-- not take it.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'quarry_approve') THEN
        CREATE ROLE quarry_approve LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'rds_iam') THEN
        GRANT rds_iam TO quarry_approve;
    END IF;
END $$;

-- As for the other roles: the page shows what search finds of past quotes.
ALTER ROLE quarry_approve SET plan_cache_mode = force_custom_plan;
ALTER ROLE quarry_approve SET jit = off;
ALTER ROLE quarry_approve SET hnsw.iterative_scan = strict_order;
ALTER ROLE quarry_approve SET hnsw.ef_search = 200;
ALTER ROLE quarry_approve SET hnsw.max_scan_tuples = 200000;
ALTER ROLE quarry_approve SET work_mem = '32MB';
ALTER ROLE quarry_approve SET statement_timeout = '25s';

-- What the page shows.
GRANT USAGE ON SCHEMA quarry, search, equipment, quotes, cpq TO quarry_approve;
GRANT SELECT ON quarry.embedding_model, quarry.tenant_settings TO quarry_approve;
GRANT SELECT, INSERT ON quarry.embedding_cache TO quarry_approve;
GRANT SELECT ON equipment.products, quotes.past_quotes, quotes.line_items, quotes.line_items_terms, quotes.line_items_postings,
    quotes.line_items_spellings, quotes.line_items_documents, quotes.line_items_totals, quotes.line_items_vectors
    TO quarry_approve;
GRANT SELECT ON cpq.accounts, cpq.approvers, cpq.discount_policies, cpq.quotes, cpq.quote_versions, cpq.quote_lines,
    cpq.pricing_traces, cpq.approval_requests, cpq.approval_links TO quarry_approve;

-- What it does. To lock a quote takes the right to update some column of it: this one can only stay what it is.
GRANT UPDATE (tenant) ON cpq.quotes TO quarry_approve;
GRANT UPDATE (status, decided_at, decided_by, approver_name, decision_comment) ON cpq.approval_requests TO quarry_approve;
GRANT UPDATE (status, revision, updated_at, finalized_at) ON cpq.quote_versions TO quarry_approve;
GRANT UPDATE (used_at) ON cpq.approval_links TO quarry_approve;
GRANT INSERT (tenant, actor, request_id, action, subject_kind, subject_id, before, after) ON cpq.audit TO quarry_approve;

CREATE POLICY decides_what_is_open ON cpq.approval_requests AS RESTRICTIVE FOR UPDATE TO quarry_approve
    USING (status = 'pending' AND expires_at > now())
    WITH CHECK (status IN ('approved', 'rejected') AND decided_at IS NOT NULL AND decided_by IS NOT NULL);
CREATE POLICY decides_what_is_open ON cpq.quote_versions AS RESTRICTIVE FOR UPDATE TO quarry_approve
    USING (status = 'pending_approval') WITH CHECK (status IN ('approved', 'rejected'));
CREATE POLICY records_decisions ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_approve
    WITH CHECK (action IN ('approval.approved', 'approval.rejected'));

-- What tools lose.
REVOKE INSERT, UPDATE ON cpq.approval_requests, cpq.approval_links FROM quarry_write;
GRANT INSERT (tenant, id, quote_id, version, content_hash, status, approver_role, level, justification, context,
    requested_by, expires_at) ON cpq.approval_requests TO quarry_write;
GRANT UPDATE (status, voided_at, void_reason, escalated_to) ON cpq.approval_requests TO quarry_write;
GRANT INSERT (tenant, token_hash, request_id, approver_id, expires_at) ON cpq.approval_links TO quarry_write;

CREATE POLICY asks ON cpq.approval_requests AS RESTRICTIVE FOR INSERT TO quarry_write
    WITH CHECK (status = 'pending');
CREATE POLICY closes ON cpq.approval_requests AS RESTRICTIVE FOR UPDATE TO quarry_write
    USING (true) WITH CHECK (status NOT IN ('approved', 'rejected'));
CREATE POLICY drafts ON cpq.quote_versions AS RESTRICTIVE FOR INSERT TO quarry_write
    WITH CHECK (status NOT IN ('approved', 'rejected'));
CREATE POLICY revises ON cpq.quote_versions AS RESTRICTIVE FOR UPDATE TO quarry_write
    USING (true) WITH CHECK (status NOT IN ('approved', 'rejected'));
CREATE POLICY records_no_decision ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_write
    WITH CHECK (action NOT IN ('approval.approved', 'approval.rejected'));
