"""Precedents: past sales and their prices, list prices, and the customers that they were for."""
