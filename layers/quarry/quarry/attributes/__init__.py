"""What goods are told apart by: attributes, their units and the values that rows have. A tenant declares them as data."""
