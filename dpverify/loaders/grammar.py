"""Schemes by name, and as text: ``poisson(rate=0.01)``, ``shuffled(size=64)``, or a name alone."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature

from dpverify.accounting.composition_grammar import parse_steps
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import shortened
from dpverify.loaders.scheme import Scheme


def schemes() -> Mapping[str, type[Scheme]]:
    """All that are registered, by name, those that leave less open first."""
    known = registry().schemes
    found: list[type[Scheme]] = sorted((known.get(name) for name in known.names()), key=lambda one: one.rank)
    return {each.kind: each for each in found}


def read_scheme(text: str | Scheme) -> Scheme:
    """The scheme of a text.

    Raises
    ------
    InputError
        For an unknown name or number.
    """
    if isinstance(text, Scheme):
        return text
    allowed = ", ".join(
        f"{name}({', '.join(f'{each}=...' for each in signature(kind).parameters)})" for name, kind in schemes().items()
    )
    stripped = text.strip()
    if not stripped:
        raise InputError("no sampling scheme", allowed=allowed)
    try:
        written = parse_steps(stripped if stripped.endswith(")") else f"{stripped}()")
    except InputError:
        raise InputError(f"sampling scheme {shortened(text)!r}", allowed=allowed) from None
    if len(written) != 1 or written[0].count != 1 or written[0].name not in schemes():
        raise InputError(f"sampling scheme {shortened(text)!r}", allowed=allowed)
    kind = schemes()[written[0].name]
    known = list(signature(kind).parameters)
    unknown = [each for each in written[0].arguments if each not in known]
    if unknown:
        raise InputError(f"{kind.kind}: no number {unknown[0]!r}", allowed=", ".join(known) or "none")
    numbers = {
        name: float(value) if name == "rate" else _whole(value)  # type: ignore[arg-type]  # refused below where none
        for name, value in written[0].arguments.items()
        if not isinstance(value, str | tuple)
    }
    if len(numbers) < len(written[0].arguments):
        raise InputError(f"sampling scheme {shortened(text)!r}", allowed="numbers")
    return kind(**numbers)


def _whole(value: object) -> object:
    number = float(value)  # type: ignore[arg-type]
    return int(number) if number.is_integer() else number
