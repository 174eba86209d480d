-- Words of scripts that write them without blanks are found: each two letters that stand together are a term, and so is a
-- Han character by itself; hiragana are apart from what they stand beside, for grammar is written with them. Letters are put
-- together again once their accents are off, as kana and Hangul are stored. Words of other scripts than Latin lose their endings
-- by the stemmer that Postgres has for most that is written in them.
CREATE FUNCTION search.letters(raw text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    hiragana constant text := '\u3041-\u309f';
    others constant text :=
        '\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff';
    x text := translate(lower(normalize(regexp_replace(normalize(raw, NFKD),
        '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc]', '', 'g'), NFC)),
        'ةى', 'هي');
    stemmer text[];
BEGIN
    FOREACH stemmer SLICE 1 IN ARRAY ARRAY[
        ['\u0370-\u03ff\u1f00-\u1fff', 'greek'], ['\u0400-\u052f', 'russian'], ['\u0530-\u058f', 'armenian'],
        ['\u0600-\u06ff', 'arabic'], ['\u0900-\u097f', 'hindi'], ['\u0b80-\u0bff', 'tamil']
    ] LOOP
        IF x ~ ('[' || stemmer[1] || ']') THEN
            x := (
                SELECT string_agg(CASE WHEN m[1] ~ ('^[' || stemmer[1] || ']')
                    THEN coalesce((ts_lexize(('pg_catalog.' || stemmer[2] || '_stem')::regdictionary, m[1]))[1], m[1]) ELSE m[1] END, '' ORDER BY place)
                FROM regexp_matches(x, format('[%1$s]+|[^%1$s]+', stemmer[1]), 'g') WITH ORDINALITY AS parts (m, place));
        END IF;
    END LOOP;
    IF x !~ ('[' || hiragana || others || ']') THEN
        RETURN x;
    END IF;
    RETURN (
        SELECT string_agg(CASE WHEN m[1] ~ ('^[' || hiragana || others || ']') THEN concat_ws(' ',
            (SELECT string_agg(substr(m[1], i, 2), ' ') FROM generate_series(1, greatest(length(m[1]) - 1, 1)) i),
            CASE WHEN length(m[1]) > 1 THEN (SELECT string_agg(han[1], ' ') FROM regexp_matches(m[1], '[\u3400-\u4dbf\u4e00-\u9fff]', 'g') han) END)
            ELSE m[1] END, ' ' ORDER BY place)
        FROM regexp_matches(x, format('[%1$s]+|[%2$s]+|[^%1$s%2$s]+', hiragana, others), 'g') WITH ORDINALITY AS parts (m, place));
END $$;

-- Names are written with and without hamza, vowel points and the stretching of a line, and with either form of a last letter.
CREATE OR REPLACE FUNCTION search.value_key(value text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN octet_length(value) = length(value) THEN
        CASE WHEN translate(value, E'\t\n\x0b\f\r\x1c\x1d\x1e\x1f_-/', repeat(' ', 12)) LIKE '%  %'
            THEN btrim(regexp_replace(
                lower(translate(value, E'\t\n\x0b\f\r\x1c\x1d\x1e\x1f_-/', repeat(' ', 12))), ' {2,}', ' ', 'g'))
            ELSE btrim(lower(translate(value, E'\t\n\x0b\f\r\x1c\x1d\x1e\x1f_-/', repeat(' ', 12)))) END
    ELSE btrim(regexp_replace(
        lower(normalize(regexp_replace(
            normalize(
                replace(replace(replace(replace(translate(lower(value), 'łøđħıðςةى', 'lodhidσهي'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ß', 'ss'),
                NFKD),
            '[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]', '', 'g'), NFKC)),
        '[\s\u001c-\u001f\u0085\u00a0\u2028\u2029_\-\u2010\u2011\u2013\u2014/]+', ' ', 'g')) END;

-- A model's letters of all scripts are its own: before, all but a to z were left out, and two models of the same digits were one.
CREATE OR REPLACE FUNCTION equipment.model_key(model text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(
    regexp_replace(
        translate(search.value_key(model), '$~', 's'), '(?<![0-9])(?<![0-9][.,])([0-9]{1,3})[.,]([0-9]{1,2})(?![.,]?[0-9])', '\1~\2', 'g'),
    '[^a-z0-9~\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3005-\ufaff]', '', 'g');

DO $$
DECLARE
    former constant text := 'x := lower(regexp_replace(normalize(raw, NFKD), ''[\u0300-\u036f]'', '''', ''g''));';
    body text := pg_get_functiondef('search.normalise(text)'::regprocedure);
    foreign_letters constant text := '[\u0370-\u1fff\u3005-\ufaff]';
    one text;
    corpus text;
    has_such boolean;
BEGIN
    IF strpos(body, former) = 0 THEN
        RAISE EXCEPTION 'search.normalise is not as migration 0054 has it';
    END IF;
    EXECUTE replace(body, former, 'x := search.letters(raw);');
    FOR one IN SELECT tenant FROM quarry.tenants LOOP
        PERFORM set_config('quarry.tenant', one, true);
        UPDATE cpq.products SET model = model, sku = sku, name = name WHERE tenant = one
            AND ((model_key, sku_key) IS DISTINCT FROM (equipment.model_key(model), equipment.model_key(sku))
                OR concat(name, description) ~ foreign_letters);
        UPDATE equipment.products SET model = model, sku = sku, manufacturer = manufacturer WHERE tenant = one
            AND ((model_key, sku_key) IS DISTINCT FROM (equipment.model_key(model), equipment.model_key(sku))
                OR manufacturer_key IS DISTINCT FROM search.name_key(manufacturer));
        UPDATE quotes.line_items SET model = model WHERE tenant = one
            AND model_key IS DISTINCT FROM equipment.model_key(model);
        PERFORM search.put_values(v.corpus, array_agg(DISTINCT v.doc)) FROM search.attribute_values v
            WHERE v.tenant = one AND v.code ~ '[\u0591-\u06dc]' GROUP BY v.corpus;
        FOR corpus IN SELECT c.corpus FROM search.corpora c LOOP
            EXECUTE format('SELECT EXISTS (SELECT FROM %s_terms
                    WHERE tenant = $1 AND term ~ $2 AND search.letters(term) <> term)', corpus)
                INTO has_such USING one, foreign_letters;
            IF has_such THEN
                PERFORM search.rebuild(corpus);
            END IF;
        END LOOP;
    END LOOP;
    PERFORM set_config('quarry.tenant', '', true);
END $$;
