"""The checker of proofs: standard library and numpy only, and nothing of the code that finds the proofs."""
