-- Legal forms of Romania, Croatia, Slovenia, Hungary and Bulgaria: "S.C. Lemn Turda S.R.L." is Lemn Turda. S.C. in front
-- and PT are forms only where another one stands behind, for names begin with them too: SC Johnson Inc.
COMMENT ON COLUMN search.legal_forms.form IS 'As search.value_key folds it without points; a regular expression.';
INSERT INTO search.legal_forms (form, leads, joined)
VALUES ('s ?c(?=.* (?:srl|s r l|sa|s a|snc|scs|sca)$)', true, false), ('pt(?=.* tbk$)', true, false),
    (search.value_key('ЕТ'), true, false);
INSERT INTO search.legal_forms (form)
SELECT unnest(string_to_array('s r l|scs|pfa|jdoo|j d o o|obrt|dno|d n o|dooel|s p|sp|kd|k d|kkt', '|')) ON CONFLICT DO NOTHING;

DO $$
DECLARE
    one text;
BEGIN
    FOR one IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one, true);
        UPDATE quotes.past_quotes SET company_key = search.company_key(customer)
        WHERE tenant = one AND company_key IS DISTINCT FROM search.company_key(customer);
        UPDATE cpq.accounts SET company_key = search.company_key(name)
        WHERE tenant = one AND company_key IS DISTINCT FROM search.company_key(name);
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;
