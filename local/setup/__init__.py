"""`make setup`: what a house says about itself, checked, stored and printed once."""
