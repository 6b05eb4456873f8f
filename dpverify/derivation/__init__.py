"""An upper bound that comes from the code itself: the callable is read, statement by statement, on a generic data set.

`dpverify.derivation.derive` writes a proof where every path of the code is a rule of `dpverify.proofs`; the checker
there decides. What the interpreter here does not know stops the derivation, with its line.

Nothing of this room is offered to users yet: hostile readings still find functions that it proves and that are wrong.
It is offered once three readings in a row have found none.
"""
