"""Which rows that are ingested name a family that neither ships nor is the tenant's own."""

from psycopg.sql import SQL

UNKNOWN_FAMILIES = SQL("""
    SELECT (e.index - 1)::integer AS index,
        format('family: %%L is no family: one of %%s, or one that you ingest first as families',
               e.value ->> 'family', array_to_string(search.shipped_families(), ', ')) AS reason
    FROM jsonb_array_elements(%(rows)s) WITH ORDINALITY AS e (value, index)
    WHERE NOT search.is_family(e.value ->> 'family')
""")
