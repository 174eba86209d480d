"""Good drafts, what a slip of the pen makes of them, and how many of the slips the check of drafts finds."""
