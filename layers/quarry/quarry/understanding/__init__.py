"""Understanding a request: what it asks for, and how well a row meets each need."""
