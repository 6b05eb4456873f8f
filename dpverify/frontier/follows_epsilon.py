"""Whether a trainer repeats itself with the same seed, and whether it changes with epsilon.

The same seed is run at epsilons that were asked for and at far ones, on a made-up table and on a training part. One
difference settles it. Where there is none, the trainer is refused only if its models are made of numbers that hardly
ever come twice: such numbers move with any change of the noise. Coarse models (one label, signs) may stay the same at
every seed although epsilon is used, so they get a warning line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.frontier.work import SIDES, Bench

REPEATED = 3
"""Seeds that are run twice."""

SEEDS, SEEDS_ON_DATA = 20, 10
"""Seeds that are compared between epsilons: on the made-up table, and on a training part."""

NEAR, FAR, VERY_DIFFERENT = 4.0, 100.0, 10.0
"""Factors: of the other epsilon where one was asked for; below the first and above the last; that a refusal needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follows:
    """The differences that were seen between epsilons."""

    reproducible: bool
    """Whether the same seed gave the same model."""
    unseen: str = ""
    """Where it is reproducible and no model changed with epsilon: at which epsilons that was looked at; else empty."""


def follows_epsilon(bench: Bench, pair: tuple[int, int]) -> Follows:
    """Look at the trainer on a pair (others, place), and then on a training part.

    Raises
    ------
    InputError
        Where models of continuous numbers are the same to the bit at very different epsilons.
    """

    def on_pair(epsilon: float, number: int) -> Float:
        return bench.output(epsilon, *pair, SIDES[0], rng=bench.named("repeats", number))[1:]

    def on_data(epsilon: float, number: int) -> Float:
        return bench.numbers_on_data(epsilon, pair, rng=bench.named("repeats on data", number))

    asked = bench.asked.epsilons
    first, last = asked[0], asked[-1]
    if any(_bytes(on_pair(first, each)) != _bytes(on_pair(first, each)) for each in range(REPEATED)):
        return Follows(reproducible=False)
    others = [last if last > first else NEAR * first, first / FAR, FAR * last]
    models: list[Float] = []
    for train, seeds in ((on_pair, SEEDS), (on_data, SEEDS_ON_DATA)):
        for number in range(seeds):
            mine = train(first, number)
            models += [mine] if train is on_pair else []
            for model in _returned(train, others, number, needed=asked):
                if _bytes(model) != _bytes(mine):
                    return Follows(reproducible=True)
    looked = sorted([first, *others])
    words = ", ".join(f"{each:g}" for each in looked)
    if looked[-1] >= VERY_DIFFERENT * looked[0] and _continuous(models):
        raise InputError(
            f"{bench.asked.name} does not change with epsilon: one seed gave the same model at {words}",
            allowed="a trainer whose noise follows epsilon",
            remedy="use the argument epsilon",
        )
    return Follows(reproducible=True, unseen=words)


def _returned(
    train: Callable[[float, int], Float], others: list[float], number: int, *, needed: tuple[float, ...]
) -> Iterator[Float]:
    """The models at other epsilons; one that nobody asked for and where it does not return is struck off `others`."""
    for other in tuple(others):
        try:
            yield train(other, number)
        except InputError:
            if other in needed:
                raise
            others.remove(other)


def _continuous(models: list[Float]) -> bool:
    """Tell whether at least half of all numbers of these models are different ones."""
    if len({each.size for each in models}) > 1:
        return False
    numbers = np.stack(models)
    return 2 * np.unique(numbers).size >= numbers.size


def _bytes(model: Float) -> bytes:
    return model.tobytes()
