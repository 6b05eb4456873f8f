"""Mutants: a mechanism broken on purpose, in the usual ways, to see whether its audit would find it."""
