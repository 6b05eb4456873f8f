"""Lemmas on ADMM (chapter 4)."""
