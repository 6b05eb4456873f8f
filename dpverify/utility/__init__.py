"""Utility: what private algorithms are worth on data, at a price; experiments as data, and their measurement."""
