-- Rows that are worth a look for what they have, whatever their words are: those that have most of what is needed first,
-- and of these the nearest in size. Of a large corpus only such as have all of it.
SELECT d.id AS doc, {eligible} AS eligible
FROM {base} d {narrow}
WHERE d.tenant = %(tenant)s AND {condition} AND {within}
ORDER BY {met} DESC, {distance}, d.id LIMIT {most}
