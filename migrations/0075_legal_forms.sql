-- Legal forms in front of a name and in other scripts: ТОВ «Агро-Лан» is Агро-Лан, (주)나노셈텍, 나노셈텍(주) and 주식회사나노셈텍
-- are 나노셈텍. Behind a name every form may stand; in front only those that no name or word begins
-- with: two keys of one company are safer than one key of two.
ALTER TABLE search.legal_forms ADD COLUMN leads boolean NOT NULL DEFAULT false, ADD COLUMN joined boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN search.legal_forms.leads IS 'Whether it stands in front of names too.';
COMMENT ON COLUMN search.legal_forms.joined IS 'Whether no blank need part it from the name.';

INSERT INTO search.legal_forms (form, leads, joined)
SELECT DISTINCT ON (1) translate(search.value_key(form), '.', ''), leads, joined
FROM (VALUES
    ('sarl|eurl|sasu|vof|ooo|oao|pphu|fhu|zphu|công ty tnhh|công ty cổ phần', true, false),
    ('pao|tov|pt|phu', false, false),
    ('ООО|ОАО|ЗАО|ПАО|НАО|АО|ИП|ТОО|ОДО|ЧУП|КФХ|ТОВ|ТзОВ|ПрАТ|ПП|ФОП|ООД|ЕООД|ЕАД|ДОО'
        '|общество с ограниченной ответственностью|акционерное общество|публичное акционерное общество'
        '|закрытое акционерное общество|товариство з обмеженою відповідальністю|акціонерне товариство'
        '|приватне акціонерне товариство|приватне підприємство|شركة|مؤسسة', true, false),
    ('주|유|株', true, false),
    ('АТ|ПАТ|ДП|АД|有|合', false, false),
    ('주식회사|유한회사|유한책임회사|합자회사|합명회사|株式会社|株式會社|有限会社|合同会社|合資会社|合名会社|บริษัท|บจก|บมจ', true, true),
    ('有限公司|有限责任公司|有限責任公司|股份有限公司|จำกัด|มหาชน', false, true),
    ('ae|epe|ike|α ε|αε|ε π ε|επε|ι κ ε|ικε|ο ε|οε|ε ε|εε|αεβε|αβεε|μονοπρόσωπη|και σια|σια|ανώνυμη εταιρεία', false, false),
    ('д о о|ذ م م|ذمم|ش م م|شمم|ش ذ م م|المحدودة|בע מ|בע״מ|בעמ', false, false),
    ('tbk|sti|ltd sti|limited sirketi|anonim sirketi|sanayi ve ticaret|san ve tic|san tic|private limited|pte ltd|sdn bhd', false, false)
    ) AS listed (forms, leads, joined), unnest(string_to_array(listed.forms, '|')) AS form
ON CONFLICT (form) DO UPDATE SET leads = excluded.leads, joined = excluded.joined;

CREATE FUNCTION search.legal_forms_around() RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN (SELECT format('^((%1$s) ?|(%2$s) )+(?=\S)|(?<=\S)( ?(%1$s)| (%3$s))+$',
        string_agg(form, '|') FILTER (WHERE joined), string_agg(form, '|') FILTER (WHERE leads AND NOT joined),
        string_agg(form, '|') FILTER (WHERE NOT joined)) FROM search.legal_forms);

-- The words of a company's name without its legal forms, which the pattern of legal_forms_around finds: acme foods of "Acme
-- Foods, Inc."; one word is always left. The pattern finds those in front first, and then those behind.
CREATE OR REPLACE FUNCTION search.without_legal_form(name text, pattern text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(regexp_replace(
    btrim(regexp_replace(translate(search.value_key(name), E'.''\u2019', ''),
        '[\s,;:&+()"\u201c\u201d\u201e\u00ab\u00bb]+', ' ', 'g')), pattern, ''), pattern, '');

CREATE OR REPLACE FUNCTION search.company_key(name text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN search.name_key(search.without_legal_form(name, search.legal_forms_around()));
DROP FUNCTION search.legal_forms_behind();

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
