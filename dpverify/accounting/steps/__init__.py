"""Mechanisms as accountants see them, one file each."""
