-- When approvers work, who decides in their place, and times to decide in working hours.

ALTER TABLE cpq.approvers
    ADD COLUMN work_days smallint[] CHECK (work_days <@ ARRAY[1, 2, 3, 4, 5, 6, 7]::smallint[] AND cardinality(work_days) > 0),
    ADD COLUMN work_from time,
    ADD COLUMN work_until time,
    ADD COLUMN days_off date[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT approvers_hours CHECK (
        (work_days IS NULL) = (work_from IS NULL) AND (work_from IS NULL) = (work_until IS NULL)
        AND work_from < work_until);
COMMENT ON COLUMN cpq.approvers.work_days IS '1 is Monday; with work_from and work_until in time_zone. NULL: no calendar, every hour counts.';

ALTER TABLE cpq.approval_requests ADD COLUMN hours integer CHECK (hours > 0);
COMMENT ON COLUMN cpq.approval_requests.hours IS 'Hours to decide, of work where the approvers have a calendar.';
GRANT INSERT (hours) ON cpq.approval_requests TO quarry_write;

CREATE TABLE cpq.approval_delegations (
    tenant text NOT NULL REFERENCES quarry.tenants,
    approver_id text NOT NULL,
    delegate_id text NOT NULL CHECK (delegate_id <> approver_id),
    until date NOT NULL,
    delegated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, approver_id),
    FOREIGN KEY (tenant, approver_id) REFERENCES cpq.approvers,
    FOREIGN KEY (tenant, delegate_id) REFERENCES cpq.approvers
);
COMMENT ON TABLE cpq.approval_delegations IS 'Who decides beside an approver, up to the end of a day where the approver is.';
CREATE INDEX approval_delegations_delegate ON cpq.approval_delegations (tenant, delegate_id);
SELECT quarry.isolate('cpq.approval_delegations');
GRANT SELECT ON cpq.approval_delegations TO quarry_read, quarry_write, quarry_approve;
GRANT INSERT (tenant, approver_id, delegate_id, until), UPDATE (delegate_id, until, delegated_at)
    ON cpq.approval_delegations TO quarry_approve;
DROP POLICY records_decisions ON cpq.audit;
CREATE POLICY records_decisions ON cpq.audit AS RESTRICTIVE FOR INSERT TO quarry_approve
    WITH CHECK (action IN ('approval.approved', 'approval.rejected', 'approval.questioned', 'approval.delegated'));

-- Whoever asked neither decides nor sends somebody to decide.
CREATE FUNCTION cpq.deciders(approver_role text, requested_by text) RETURNS SETOF cpq.approvers
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT p.* FROM cpq.approvers p
    WHERE p.tenant = quarry.current_tenant() AND p.active
        AND lower(deciders.requested_by) NOT IN (lower(p.id), lower(p.email))
        AND (p.role = deciders.approver_role OR EXISTS (
            SELECT FROM cpq.approval_delegations d
            JOIN cpq.approvers a ON a.tenant = d.tenant AND a.id = d.approver_id
            WHERE d.tenant = p.tenant AND d.delegate_id = p.id AND a.active AND a.role = deciders.approver_role
                AND lower(deciders.requested_by) NOT IN (lower(a.id), lower(a.email))
                AND (now() AT TIME ZONE coalesce(a.time_zone, 'UTC'))::date <= d.until));
END;
COMMENT ON FUNCTION cpq.deciders IS 'Active approvers of the role, and those who decide in the place of one.';

CREATE FUNCTION cpq.after_work(start timestamptz, hours integer, approver cpq.approvers) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
DECLARE
    left_over interval := make_interval(hours => hours);
    zone text := coalesce(approver.time_zone, 'UTC');
    day date := (start AT TIME ZONE zone)::date;
    opens timestamptz;
    closes timestamptz;
BEGIN
    IF approver.work_from IS NULL THEN
        RETURN start + left_over;
    END IF;
    -- The longest time to decide is a year of hours, which are three and a half years of working days.
    FOR ahead IN 0..3660 LOOP
        IF extract(isodow FROM day + ahead) = ANY (approver.work_days) AND day + ahead <> ALL (approver.days_off) THEN
            opens := greatest(start, (day + ahead + approver.work_from) AT TIME ZONE zone);
            closes := (day + ahead + approver.work_until) AT TIME ZONE zone;
            IF closes - opens >= left_over THEN
                RETURN opens + left_over;
            END IF;
            left_over := left_over - greatest(closes - opens, interval '0');
        END IF;
    END LOOP;
    RETURN start + make_interval(hours => hours);
END $$;
COMMENT ON FUNCTION cpq.after_work IS 'The moment when the approver has worked so many hours.';

CREATE FUNCTION cpq.deadline(approver_role text, requested_by text, hours integer) RETURNS timestamptz
LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT coalesce(min(cpq.after_work(now(), deadline.hours, p)), now() + make_interval(hours => deadline.hours))
    FROM cpq.deciders(deadline.approver_role, deadline.requested_by) p;
END;
COMMENT ON FUNCTION cpq.deadline IS 'When the first of those who may decide has had the hours for it.';

CREATE OR REPLACE FUNCTION cpq.follow_decision() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.status = 'rejected' THEN
        UPDATE cpq.approval_requests r
        SET status = 'void', voided_at = now(), void_reason = format('%s was rejected.', NEW.id)
        WHERE r.tenant = NEW.tenant AND r.quote_id = NEW.quote_id AND r.version = NEW.version
            AND r.status IN ('pending', 'waiting');
    ELSIF NOT EXISTS (
        SELECT FROM cpq.approval_requests r
        WHERE r.tenant = NEW.tenant AND r.quote_id = NEW.quote_id AND r.version = NEW.version AND r.status = 'pending')
    THEN
        UPDATE cpq.approval_requests r
        SET status = 'pending', expires_at = CASE
            WHEN r.hours IS NULL THEN now() + (r.expires_at - r.created_at)
            ELSE cpq.deadline(r.approver_role, r.requested_by, r.hours) END
        WHERE r.tenant = NEW.tenant AND r.id = (
            SELECT w.id FROM cpq.approval_requests w
            WHERE w.tenant = NEW.tenant AND w.quote_id = NEW.quote_id AND w.version = NEW.version
                AND w.status = 'waiting'
            ORDER BY w.level, w.id LIMIT 1);
    END IF;
    RETURN NULL;
END $$;
