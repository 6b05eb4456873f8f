"""Auditors of claims about an algorithm's results rather than its privacy."""
