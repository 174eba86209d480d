"""One reader of plain text for all trades: what a text asks for, as needs that can be sent again."""
