"""Products for sale: what is in the catalogue, and how a line may configure them."""
