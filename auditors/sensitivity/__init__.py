"""Auditors of sensitivity claims, one method a file."""
