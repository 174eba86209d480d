"""Tables as people have them, and the mappings by which their columns become a kind's fields."""
