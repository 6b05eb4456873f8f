"""Confidence statements about two event probabilities, and what they say about a privacy claim."""
