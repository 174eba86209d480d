"""Exchange formats of the trades, each read into the sheets that a workbook would have."""
