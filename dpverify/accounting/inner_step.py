"""Steps that take steps: what is asked of the inner one, and classes that offer what it allows and no more.

An accountant asks by methods (:mod:`dpverify.core.composition`): a step that has ``renyi`` has a curve. A step around
another has one where the inner step does. So the base of such steps has all methods under names that begin with an
underscore, and :func:`offering` gives the subclass that shows those that are wanted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from dpverify.core.composition import Step
from dpverify.core.errors import InputError
from dpverify.definitions.parameters import PublicStep

Maker = Callable[..., Step]


def checked_inner(where: str, step: object, *, relation: str) -> Step:
    """`step` when it is one and holds under `relation` (or any); InputError otherwise."""
    if isinstance(step, type) or not isinstance(step, Step):
        raise InputError(f"{where}: step = {step!r}", allowed="a step, such as GaussianStep(sigma=1)")
    if step.relation not in ("any", relation):
        raise InputError(
            f"{where}: step {step.text()} under {step.relation}", allowed=f"a step under {relation} neighbours"
        )
    return step


class Around(PublicStep):
    """Base of steps with an argument `step`."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Copies and pickles go by the base: subclasses made by `offering` have no name that could be imported."""
        kind: Any = type(self)
        values = {each.name: getattr(self, each.name) for each in fields(kind)}
        return _again, (*getattr(kind, "made_of", (kind, ())), values)


@functools.cache
def offering(base: Any, names: tuple[str, ...]) -> Any:
    """The subclass of `base` whose methods `names` are those of `base` with an underscore before them."""
    if not names:
        return base
    shown = {name: getattr(base, f"_{name}") for name in names}
    return type(base.__name__, (base,), {"__slots__": (), "made_of": (base, names), "__doc__": base.__doc__, **shown})


def _again(base: Any, names: tuple[str, ...], values: dict[str, Any]) -> Any:
    return offering(base, names)(**values)


def with_examples(examples: Callable[[], tuple[Step, ...]]) -> Callable[[Maker], Maker]:
    """Give a function that makes steps the ``examples()`` that the contract tests ask every registered step for."""

    def given(make: Maker) -> Maker:
        vars(make)["examples"] = examples
        return make

    return given
