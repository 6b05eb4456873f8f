"""An upper bound that comes from the code itself: the callable is read, statement by statement, on a generic data set.

`dpverify.derivation.derive` writes a proof where every path of the code is a rule of `dpverify.proofs`; the checker
there decides. What the interpreter here does not know stops the derivation, with its line.

It is the first step of an audit of an example. Hostile readings have found functions that it proved and that were
wrong; each of them stands in the tests.
"""
