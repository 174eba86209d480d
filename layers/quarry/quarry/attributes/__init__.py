"""Attributes of goods, which a tenant declares as data, with their units and the values of rows."""
