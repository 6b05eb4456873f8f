"""Exact output laws of mechanisms and the divergences between two of them, each with an error bound."""
