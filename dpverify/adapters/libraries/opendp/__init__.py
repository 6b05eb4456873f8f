"""OpenDP as a subject."""
