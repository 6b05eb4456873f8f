"""What five papers claim: one folder a paper, with its claims as data and the subjects of its lemmas.

What breaks a claim, what that means and what to do instead is said by its remarks in ``claims.toml``. A lemma's module
says what is compared, how it is computed, and why a repair holds.
"""
