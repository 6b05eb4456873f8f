"""What five papers claim: one folder a paper, with its claims as data and the subjects of its lemmas."""
