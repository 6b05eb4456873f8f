"""What rules may ask of the interpreter that reads the code."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from dpverify.derivation.frames import Frame
from dpverify.derivation.machine import Machine


class Reader(Protocol):
    """The interpreter (`dpverify.derivation.interpreter.Interpreter`)."""

    machine: Machine

    def call(self, function: Any, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """The value of a call."""
        ...

    def block(self, statements: Sequence[ast.stmt], frame: Frame) -> None:
        """Statements after one another."""
        ...

    def value(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an expression."""
        ...

    def peek(self, node: ast.expr, frame: Frame) -> Any:
        """The value of an operand that is not kept."""
        ...

    def binary(self, operator: ast.operator, left: Any, right: Any) -> Any:
        """An operator between two values."""
        ...

    def store(self, target: ast.expr, value: Any, frame: Frame) -> None:
        """Assign a value to a target."""
        ...

    def store_item(self, target: ast.Subscript, value: Any, frame: Frame) -> None:
        """Assign an item."""
        ...

    def store_at(self, target: ast.Subscript, holder: Any, key: Any, value: Any, frame: Frame) -> None:
        """Assign an item at a place that was evaluated before."""
        ...

    def items(self, value: Any) -> list[Any]:
        """The elements of what can be gone through without a loop over records."""
        ...
