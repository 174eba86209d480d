-- What an approver sees and may do: prices of before, margins, local time; a question, a counter-offer.

ALTER TABLE cpq.approvers ADD COLUMN time_zone text;
COMMENT ON COLUMN cpq.approvers.time_zone IS 'As the IANA database names it, e.g. America/Detroit; NULL is UTC.';

ALTER TABLE cpq.approval_requests ADD COLUMN approved_up_to_pct numeric
    CHECK (approved_up_to_pct IS NULL OR (approved_up_to_pct BETWEEN 0 AND 100 AND status = 'rejected'));
COMMENT ON COLUMN cpq.approval_requests.approved_up_to_pct IS 'The discount that the approver would agree to instead.';

CREATE TABLE cpq.approval_questions (
    tenant text NOT NULL REFERENCES quarry.tenants,
    id bigint GENERATED ALWAYS AS IDENTITY,
    request_id text NOT NULL,
    approver_id text NOT NULL,
    approver_name text NOT NULL,
    question text NOT NULL CHECK (question <> ''),
    asked_at timestamptz NOT NULL DEFAULT now(),
    answer text,
    answered_by text,
    answered_at timestamptz,
    PRIMARY KEY (tenant, id),
    FOREIGN KEY (tenant, request_id) REFERENCES cpq.approval_requests,
    FOREIGN KEY (tenant, approver_id) REFERENCES cpq.approvers
);
CREATE INDEX approval_questions_request ON cpq.approval_questions (tenant, request_id);
SELECT quarry.isolate('cpq.approval_questions');
GRANT SELECT ON cpq.approval_questions TO quarry_read, quarry_write, quarry_approve;
GRANT INSERT (tenant, request_id, approver_id, approver_name, question) ON cpq.approval_questions TO quarry_approve;
GRANT UPDATE (answer, answered_by, answered_at) ON cpq.approval_questions TO quarry_write;

GRANT UPDATE (approved_up_to_pct) ON cpq.approval_requests TO quarry_approve;
DROP POLICY records_decisions ON cpq.audit;
CREATE POLICY records_decisions ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_approve
    WITH CHECK (action IN ('approval.approved', 'approval.rejected', 'approval.questioned'));

-- What the page compares with: list prices, the version that was approved before, documents, who asks.
GRANT SELECT ON cpq.products, cpq.price_books, cpq.price_book_entries, cpq.documents TO quarry_approve;
GRANT SELECT (tenant, subject, name, revoked_at) ON quarry.api_keys TO quarry_approve;

-- Its searches for comparable goods understand the house's own words, as any search does.
GRANT SELECT ON search.vocabulary, search.equivalents TO quarry_approve;
