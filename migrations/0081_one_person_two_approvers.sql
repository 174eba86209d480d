-- A person may be an approver twice, under one address: whoever asked under either name decides as neither.
CREATE FUNCTION cpq.is_person(subject text, address text) RETURNS boolean
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT lower(is_person.subject) = lower(is_person.address) OR EXISTS (
        SELECT FROM cpq.approvers o
        WHERE o.tenant = quarry.current_tenant() AND lower(o.id) = lower(is_person.subject)
            AND lower(o.email) = lower(is_person.address));
END;
COMMENT ON FUNCTION cpq.is_person IS 'Whether a subject is this address, or an approver who has it.';

CREATE OR REPLACE FUNCTION cpq.deciders(approver_role text, requested_by text) RETURNS SETOF cpq.approvers
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.* FROM cpq.approvers p
    WHERE p.tenant = quarry.current_tenant() AND p.active AND NOT cpq.is_person(deciders.requested_by, p.email)
        AND (p.role = deciders.approver_role OR EXISTS (
            SELECT FROM cpq.approval_delegations d
            JOIN cpq.approvers a ON a.tenant = d.tenant AND a.id = d.approver_id
            WHERE d.tenant = p.tenant AND d.delegate_id = p.id AND a.active AND a.role = deciders.approver_role
                AND NOT cpq.is_person(deciders.requested_by, a.email)
                AND (now() AT TIME ZONE coalesce(a.time_zone, 'UTC'))::date <= d.until));
END;
