"""What a draft is made of: for each thing asked for, and once for the whole request."""
