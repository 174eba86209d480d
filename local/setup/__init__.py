"""`make setup`: what a house says about itself, asked, checked, stored and printed once."""
