"""What a request asks for, attribute by attribute: how a caller says it, and how well a row meets it."""
