"""Audits of data loaders: which sampling scheme the batches follow, and what that scheme costs."""
