"""Guarantees and steps are written as text that reads back: ``PureDP(epsilon=1)``."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, ClassVar

from dpverify.core.fields import Checked


class Parametrised(Checked):
    """Base of dataclasses of public parameters that are written out: numbers become Python's own, and read back."""

    __slots__ = ()
    plain_numbers: ClassVar[bool] = True

    def text(self) -> str:
        """The name and all parameters as the grammar reads them back, such as ``PureDP(epsilon=1)``."""
        parameters: Any = self
        return sentence(self.called(), **{each.name: getattr(self, each.name) for each in fields(parameters)})


def written(value: Any) -> str:
    """The value as the grammar reads it back exactly: the shortest repr, a whole number without ``.0``.

    Numbers, words, tuples of numbers, and steps in a step.
    """
    if isinstance(value, Parametrised):
        return value.text()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, tuple):
        return f"({', '.join(written(item) for item in value)}{',' if len(value) == 1 else ''})"
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def sentence(name: str, **parameters: Any) -> str:
    """``PureDP(epsilon=1)``: a guarantee's name and parameters as text."""
    return f"{name}({', '.join(f'{key}={written(value)}' for key, value in parameters.items())})"


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
