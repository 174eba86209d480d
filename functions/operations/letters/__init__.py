"""Past quotes out of the letters in which they were sent: Word and PDF, by rules over layout and words."""
