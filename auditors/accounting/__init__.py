"""Auditors of accounting: lemmas and printed numbers against the truth."""
