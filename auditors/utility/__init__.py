"""Checks of what algorithms promise beside privacy."""
