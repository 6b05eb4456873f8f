"""Listwise objectives: a loss of a session's scores and labels, and its slope in each score, one file each."""
