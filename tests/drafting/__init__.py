"""Sentences with right and with wrong figures in five languages, and how many of each the check of drafts doubts."""
