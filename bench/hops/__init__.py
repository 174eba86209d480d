"""`make bench`: what each hop from a client to the database costs, beside its floor and beside what others offer."""
