-- A line's text is short and tells one thing: vectors of its sentences found nothing that its own does not, and were
-- most of what a search of lines compared and of what an ingest embedded. Past quotes keep theirs.
DROP TRIGGER sentences_insert ON quotes.line_items;
DROP TRIGGER sentences_update ON quotes.line_items;
DELETE FROM quarry.embedding_queue WHERE corpus = 'quotes.line_items_sentences';
DELETE FROM search.corpora WHERE corpus = 'quotes.line_items_sentences';
UPDATE search.corpora SET sentences_function = NULL WHERE corpus = 'quotes.line_items';
DROP TABLE quotes.line_items_sentences_vectors, quotes.line_items_sentences_documents, quotes.line_items_sentences_postings,
    quotes.line_items_sentences_spellings, quotes.line_items_sentences_terms, quotes.line_items_sentences_totals,
    quotes.line_items_sentences;
DROP FUNCTION quotes.sentences_of_line(quotes.line_items);
ALTER TABLE quotes.line_items DROP CONSTRAINT line_items_tenant_id_key;
