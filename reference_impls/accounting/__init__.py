"""Lemmas of accounting and printed tables as subjects: both sides of each, and the ledger's claims about them."""
