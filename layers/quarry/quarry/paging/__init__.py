"""Pages of an answer: what fits into a budget, and the cursor that leads on."""
