"""The audited epsilon of a trainer at each price: canary runs of their own, and a bound from an attack's scores.

In this order: the pairs on which it returns; whether it repeats itself and changes with epsilon; how many runs a clock
allows; pilot runs, which choose pair and attack at each epsilon; counted runs, whose number was fixed before. The bound
is that of the auditor ``scores`` (`dpverify.scores`), at its epsilon's share of the false-alarm probability.

Whether a trainer repeats itself with the same seed, and whether it changes with epsilon.

The same seed is run at epsilons that were asked for and at far ones, on a made-up table and on a training part. One
difference settles it. Where there is none, the trainer is refused only if its models are made of numbers that hardly
ever come twice: such numbers move with any change of the noise. Coarse models (one label, signs) may stay the same at
every seed although epsilon is used, so they get a warning line.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import Float
from dpverify.core.verdict import Status
from dpverify.frontier.asked import MOST_TRIALS, FrontierSettings
from dpverify.frontier.attacks import Attack, best_attack
from dpverify.frontier.work import SIDES, Bench, Unit, Workshop
from dpverify.runner.record import record
from dpverify.scores.recorded_scores import RecordedScores
from dpverify.scores.result import ScoreResult, audit_recorded

FEWEST, MOST = 50, 20_000
"""Counted runs a side at each epsilon, whatever the seconds."""

PILOT_SHARE, FEWEST_PILOTS, MOST_PILOTS = 0.15, 10, 200
"""Pilot runs a side and pair, as a share of the counted ones over all pairs."""

CHUNK_SECONDS, LARGEST_CHUNK = 2.0, 500
TIMED = 3


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

    InputError where models of continuous numbers are the same to the bit at very different epsilons.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The numbers of runs that an audit makes."""

    trials: int
    """Counted, a side at each epsilon."""
    pilots: int
    """A side at each epsilon and pair."""
    chunk: int
    """Runs of a unit of work."""
    seconds: float
    """Of one run, when it was timed; 0 where the number was given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierPlan:
    """The choices that are fixed before the first counted run."""

    pairs: list[tuple[int, int]]
    """List of (others, place): on which the trainer returns."""
    follows: Follows
    """Whether the same seed gave the same model, and whether epsilon changed it."""
    runs: Runs


def planned(bench: Bench, shop: Workshop) -> FrontierPlan:
    """Look at the trainer, and fix the number of runs.

    InputError for a trainer that returns on no pair, and for one that certainly does not change with epsilon.
    """
    pairs = [(int(others), int(place)) for others, place in shop.known("pairs", bench.pairs)]
    follows = Follows(**shop.known("follows epsilon", lambda: asdict(follows_epsilon(bench, pairs[0]))))
    given = bench.asked.trials
    found = shop.known("runs", lambda: asdict(_runs(bench, pairs, shop.jobs)))
    if given is not None and found["trials"] != given:  # of an earlier run that was stopped
        raise InputError(f"audit trials {given} after {found['trials']}", allowed=str(found["trials"]))
    return FrontierPlan(pairs=pairs, follows=follows, runs=Runs(**found))


def _runs(bench: Bench, pairs: list[tuple[int, int]], jobs: int) -> Runs:
    """So many runs as take about the seconds that were asked for, rounded to two digits."""
    asked, each = bench.asked, 0.0
    if asked.trials is not None:
        trials, seconds = asked.trials, 0.0
    else:
        for epsilon in asked.epsilons:
            slowest = 0.0
            for pair in pairs:
                begun = time.perf_counter()
                for number in range(TIMED):
                    bench.output(epsilon, *pair, SIDES[0], rng=bench.named("clock", epsilon, number))
                slowest = max(slowest, (time.perf_counter() - begun) / TIMED)
            each += slowest
        wanted = asked.seconds * jobs / (2.0 * each * (1.0 + PILOT_SHARE))
        trials = int(float(f"{min(max(wanted, FEWEST), MOST):.2g}"))
        seconds = each / len(asked.epsilons)
    pilots = int(min(max(PILOT_SHARE * trials / len(pairs), FEWEST_PILOTS), MOST_PILOTS))
    chunk = int(min(max(CHUNK_SECONDS / seconds, 1), LARGEST_CHUNK)) if seconds else LARGEST_CHUNK // 5
    return Runs(trials=trials, pilots=pilots, chunk=chunk, seconds=seconds)


def audited(bench: Bench, shop: Workshop, plan: FrontierPlan) -> list[dict[str, Any]]:
    """Return for each epsilon the verdict, lower bound, ceiling, pair and attack, and the record of the audit."""
    asked, runs = bench.asked, plan.runs
    looks = [
        ["pilot", epsilon, *pair, side, first, count]
        for epsilon in asked.epsilons
        for pair in plan.pairs
        for side in SIDES
        for first, count in _chunks(runs.pilots, runs.chunk)
    ]
    seen = _gathered(looks, shop.done(looks, doing="pilot runs"))
    chosen = {}
    for epsilon in asked.epsilons:
        found = []
        for pair in plan.pairs:
            inside, outside = (np.array(seen[epsilon, *pair, side]) for side in SIDES)
            if inside.ndim != 2 or inside.shape[1:] != outside.shape[1:]:
                raise InputError(
                    f"{asked.name} returned models of different sizes with the canary and without it",
                    allowed="a model of one shape whatever the records",
                )
            found.append((*best_attack(inside, outside), pair))
        chosen[epsilon] = max(found, key=lambda each: each[1])
    counted = [
        ["runs", epsilon, *pair, side, first, count, _plain(attack)]
        for epsilon, (attack, _, pair) in chosen.items()
        for side in SIDES
        for first, count in _chunks(runs.trials, runs.chunk)
    ]
    scores = _gathered(counted, shop.done(counted, doing="counted runs"))
    return [_bound(bench, epsilon, *chosen[epsilon], scores, runs.trials) for epsilon in asked.epsilons]


def _bound(
    bench: Bench, epsilon: float, attack: Attack, _apart: float, pair: tuple[int, int], scores: Any, trials: int
) -> dict[str, Any]:
    asked = bench.asked
    inside, outside = (np.array(scores[epsilon, *pair, side]) for side in SIDES)
    found = _judged(asked, epsilon, inside, outside)
    assert found.evidence is not None
    ceiling = found.evidence.ceiling
    tested = found.verdict is Status.REFUTED or _tested(found, epsilon)
    return {
        "epsilon": epsilon,
        "claim": _claim(asked, epsilon),
        "verdict": str(found.verdict if tested else Status.INCONCLUSIVE),
        "needed": None if tested else _needed(asked, epsilon, trials),
        "lower": float(found.bound or 0.0),
        "ceiling": None if ceiling is None or not math.isfinite(ceiling) else float(ceiling),
        "detectable": _finite(found.evidence.detectable),
        "trials": trials,
        "alpha": asked.alpha,
        "pair": bench.pair(*pair).words,
        "attack": attack.words,
        "event": found.evidence.witness.get("event"),
        "record": _timeless(record(found.row)),
    }


def _claim(asked: FrontierSettings, epsilon: float) -> str:
    return f"ApproxDP(epsilon={epsilon!r}, delta={asked.delta!r})" if asked.delta else f"PureDP(epsilon={epsilon!r})"


def _judged(asked: FrontierSettings, epsilon: float, inside: Float, outside: Float) -> ScoreResult:
    return audit_recorded(
        RecordedScores(inside=inside, outside=outside),
        registry().auditors.get("scores"),
        claim=_claim(asked, epsilon),
        confidence=1.0 - asked.alpha,
        relation=asked.relation,
        seed=asked.seed,
        name=f"{asked.name} at {epsilon:g}",
        trials=len(inside),
        credible=False,
    )


def _tested(found: ScoreResult, epsilon: float) -> bool:
    """Tell whether a perfect attack with so many runs would have refuted the claim: the ceiling is above it."""
    ceiling = None if found.evidence is None else found.evidence.ceiling
    return found.verdict is not Status.INCONCLUSIVE and (ceiling is None or ceiling > epsilon)


def _needed(asked: FrontierSettings, epsilon: float, trials: int) -> int | None:
    """Runs a side that would test the claim, by the same auditor at the same level."""

    def suffices(runs: int) -> bool:
        below = np.arange(runs, dtype=np.float64)
        mixed = _judged(asked, epsilon, 2 * below + 1, 2 * below)  # as scores that tell nothing: the smaller ceiling
        return _tested(_judged(asked, epsilon, below + runs, below), epsilon) and _tested(mixed, epsilon)

    return runs_needed(suffices, above=trials, most=MOST_TRIALS)


def _timeless(found: Any) -> Any:
    """The record without seconds, so that the same seed gives the same file."""
    if isinstance(found, dict):
        return {name: 0.0 if name == "seconds" else _timeless(value) for name, value in found.items()}
    return [_timeless(each) for each in found] if isinstance(found, list) else found


def _finite(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _plain(attack: Attack) -> dict[str, Any]:
    return {"words": attack.words, "weights": None if attack.weights is None else attack.weights.tolist()}


def _chunks(total: int, size: int) -> list[tuple[int, int]]:
    return [(first, min(size, total - first)) for first in range(0, total, size)]


def _gathered(units: list[Unit], found: list[Any]) -> dict[tuple[Any, ...], list[Any]]:
    """Rows of each (epsilon, others, place, side), in order."""
    rows: dict[tuple[Any, ...], list[Any]] = {}
    for unit, values in zip(units, found, strict=True):
        rows.setdefault(tuple(unit[1:5]), []).extend(values)
    return rows


def runs_needed(suffices: Callable[[int], bool], *, above: int, most: int) -> int | None:
    """A number of runs that suffices, of two digits, an eighth above the least at most; None where `most` does not.

    `suffices`: whether so many runs could refute the claim by a perfect attack; monotone. `above`: a number that does
    not suffice.
    """
    low, high = above, above
    while not suffices(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return min(_rounded(high), most)


def _rounded(runs: int) -> int:
    """Round up to two digits."""
    step = int(10 ** max(0, len(str(runs)) - 2))
    return -(-runs // step) * step
