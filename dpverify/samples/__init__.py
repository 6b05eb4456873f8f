"""Audits of draws that were made already."""
