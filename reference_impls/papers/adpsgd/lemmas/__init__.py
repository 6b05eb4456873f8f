"""Subjects of lemmas, each with its printed bound and the truth that it bounds."""
