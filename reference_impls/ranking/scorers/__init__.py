"""Scoring functions of documents, one file each."""
