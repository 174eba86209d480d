"""What goods are told apart by: attributes that a tenant declares as data, their units, the values of rows."""
