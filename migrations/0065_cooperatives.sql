-- The legal forms of cooperatives: "De Groene Akker" is the company of "De Groene Akker Coöperatie U.A.".
INSERT INTO search.legal_forms SELECT unnest(string_to_array(
    'ua|u a|cooperatie|cooperatief|cooperatie ua|cooperatie u a|coop|cvba|scrl|eg|e g|genossenschaft|scop|scic'
    '|soc coop|societa cooperativa|s coop|sociedad cooperativa|druzstvo', '|')) ON CONFLICT DO NOTHING;

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
