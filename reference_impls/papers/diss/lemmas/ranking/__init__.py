"""Lemmas on private ranking (chapter 6)."""
