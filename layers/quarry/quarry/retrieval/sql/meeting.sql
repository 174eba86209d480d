-- Rows that are worth judging for their attributes, whatever their words are: those that meet most needs first, and of
-- these the nearest in size. In a large corpus only rows that meet all needs.
SELECT d.id AS doc, {eligible} AS eligible
FROM {base} d {narrow}
WHERE d.tenant = %(tenant)s AND {condition} AND {within}
ORDER BY {met} DESC, {distance}, d.id LIMIT {most}
