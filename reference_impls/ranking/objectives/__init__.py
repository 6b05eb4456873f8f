"""Listwise objectives: a loss of a session's scores and labels, and its slope with respect to each score, one file
each."""
