"""Auditors of privacy claims, one method a file."""
