"""The base of all steps: a name, a relation, and public numbers that are checked and written out."""

from __future__ import annotations

from typing import ClassVar

from dpverify.definitions.parameters import Parametrised


class PublicStep(Parametrised):
    """Base of steps: frozen dataclasses of public numbers.

    Attributes
    ----------
    kind : str, of the class
        The step's registered name, as compositions and messages write it.
    relation : str, of the class
        The neighbour relation that the costs hold for; ``any`` where the numbers carry it (the guarantee of a pure
        step, the sensitivity of a Gaussian one).
    """

    __slots__ = ()
    kind: ClassVar[str]
    relation: ClassVar[str] = "any"

    def called(self) -> str:
        """A message calls it by its registered name."""
        return self.kind
