(SELECT m.id
 FROM jsonb_to_recordset(%(items)s::jsonb) AS n (
     families text[], lubrication text[], hp_low float8, hp_high float8, hp_asked float8, cfm_low float8, cfm_high float8,
     cfm_asked float8, gallons_low float8, gallons_high float8, gallons_asked float8, psi_low float8, inhg_low float8,
     dewpoint_high float8, dba_high float8, customer text[], salesperson text[], industry text[], outcome text[],
     contact text[], currency text[], reference boolean, category text[], quote_number text[], price_low float8, price_high float8, date_from date, date_to date, attributes jsonb,
      models text[], extreme text, sign float8)
 CROSS JOIN LATERAL (
     SELECT d.id FROM {base} d {narrow}
     WHERE d.tenant = %(tenant)s AND {condition} AND {meeting}
     ORDER BY {nearness}, d.id LIMIT %(most_meeting)s) m)
UNION
