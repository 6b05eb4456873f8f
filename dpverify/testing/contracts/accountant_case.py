"""One accountant, and what the rules of its contract ask it about."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from dpverify.core.composition import Accountant, Composed, Composition, Part, Step
from dpverify.core.plugins import registry

ROUND_TRIP = 1e-6
"""Of epsilon(delta(epsilon)), relatively: every bracket's slack is far below."""

ABSOLUTE = 1e-9
"""The same where epsilon itself is near 0."""


class AccountantCase:
    """An accountant, the compositions that it is asked about, and each answer, computed once.

    Parameters
    ----------
    accountant : Accountant
        The one to check.
    compositions : sequence of Composition or None
        None for every example of a registered step, alone and with another one.
    steps : sequence of Step or None
        Which are repeated; None for the first ones of the compositions.
    """

    rounding = 1e-9
    """What two ways of adding the same costs up may differ by, relatively."""

    deltas = (0.0, 1e-9, 1e-5, 0.01, 0.4)
    epsilons = (0.0, 0.05, 1.0, 4.0, 30.0)

    def __init__(
        self,
        accountant: Accountant,
        compositions: Sequence[Composition] | None = None,
        steps: Sequence[Step] | None = None,
    ) -> None:
        self.accountant = accountant
        self.compositions = example_compositions() if compositions is None else list(compositions)
        found = dict.fromkeys(each.parts[0].step for each in self.compositions if each.parts)
        self.steps = list(found) if steps is None else list(steps)
        self.cost = functools.cache(self._cost)

    @property
    def name(self) -> str:
        """The accountant's name, as far as it has one."""
        return str(getattr(self.accountant, "name", type(self.accountant).__name__))

    def admitted(self) -> list[tuple[Composition, Composed]]:
        """Return the case that the accountant does not refuse, and its cost."""
        found = [(composition, self.cost(composition)) for composition in self.compositions]
        return [(composition, composed) for composition, composed in found if composed is not None]

    def _cost(self, composition: Composition) -> Composed | None:
        return self.accountant.compose(composition) if self.accountant.refuses(composition) is None else None


def example_steps() -> list[Any]:
    """The examples that registered steps give of themselves."""
    factories: dict[str, Any] = dict(registry().steps.items())
    return [step for factory in factories.values() for step in getattr(factory, "examples", tuple)()]


def example_compositions() -> list[Composition]:
    """Each example alone, then with another one, run a few times."""
    steps = example_steps()
    found = [Composition.of(step) for step in steps]
    for number, step in enumerate(steps):
        other = steps[(3 * number + 5) % len(steps)]
        if len({step.relation, other.relation} - {"any"}) < 2:
            found.append(Composition(parts=(Part(step=step, count=2), Part(step=other, count=3))))
    return found


def raised(value: float) -> float:
    """Return a number a little above."""
    return value * (1 + ROUND_TRIP) + ABSOLUTE


def lowered(value: float) -> float:
    """Return a number a little below."""
    return (value - ABSOLUTE) * (1 - ROUND_TRIP)


def shown(composition: Composition) -> str:
    """Show it in one line."""
    return " + ".join(f"{part.count} x {part.step.text()}" for part in composition) or "nothing"
