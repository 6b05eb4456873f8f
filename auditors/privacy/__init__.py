"""Auditors of privacy claims, one method a file, or a folder of files."""
