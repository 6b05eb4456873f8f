"""Additive noise as programs compute it: naive samplers in doubles and singles, and the mechanisms that repair them."""
