-- A prospect may say that it pays no tax; somebody has to see the certificate, which notices and letters' notes say.
GRANT INSERT (tax_exempt) ON cpq.accounts TO quarry_write;
