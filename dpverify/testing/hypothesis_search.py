"""Searches a claim's search space: hypothesis draws points, climbs towards high scores, shrinks failures.

The same seed visits the same points in any process, without a database and without a clock, as long as the score of a
point is the same each time it is asked: a score that is drawn must draw from a stream named after the point. Limits: a
search, which proves nothing about what it did not visit. Not to be confused with the search of `auditors.privacy.exact`
(differential evolution over the same boxes), for scores that are smooth and cheap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from dpverify.core.claim import SearchSpace
from dpverify.core.subjects import NeighborGenerator, Pair
from dpverify.testing.search_points import Point, flipped_point

Score = Callable[[Point], float]


class _ShrunkEnough(BaseException):
    """Leaves hypothesis, which catches every Exception as another failure to shrink."""


def best_point_found(
    space: SearchSpace,
    generator: NeighborGenerator,
    listed: Sequence[Pair],
    score: Score,
    *,
    examples: int,
    seed: int,
) -> tuple[Point, float]:
    """The best of `examples` points, and its score; the first listed pair, and -1, when all score less.

    Parameters
    ----------
    space, generator : SearchSpace, NeighborGenerator
        Where points come from.
    listed : sequence of Pair
        The generator's plain pairs, at least one.
    score : callable
        Larger is worse for the claim; finite.
    """
    best: list[Any] = [Point(pair=listed[0]), -1.0]

    def seen(point: Point, reached: float) -> bool:
        if reached > best[1]:
            best[:] = point, reached
        return False

    found(space, generator, listed, score, seen, examples=examples, shrinks=0, seed=seed)
    return best[0], best[1]


def found(
    space: SearchSpace,
    generator: NeighborGenerator,
    listed: Sequence[Pair],
    score: Score,
    stop: Callable[[Point, float], bool],
    *,
    examples: int,
    shrinks: int,
    seed: int,
) -> Point | None:
    """The plainest point at which `stop` holds, as far as `shrinks` calls find one; None when none was met.

    Rests on ``hypothesis.find`` over coin flips (`dpverify.testing.search_points`). Shrinking is cut off after a number
    of calls, because a time limit would make the witness depend on the machine.
    """
    from hypothesis import HealthCheck, Phase, Verbosity, find, settings, target
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample

    @st.composite
    def points(draw: Any) -> Point:
        coin = st.booleans()
        return flipped_point(lambda: bool(draw(coin)), space, generator, listed)

    shown: list[Point] = []
    left = shrinks

    def condition(point: Point) -> bool:
        nonlocal left
        if shown:
            left -= 1
            if left < 0:
                raise _ShrunkEnough
        reached = score(point)
        target(reached)
        if stop(point, reached):
            shown.append(point)
            return True
        return False

    quiet = settings(
        max_examples=max(1, examples),
        database=None,
        deadline=None,
        derandomize=False,  # `random` below decides
        phases=(Phase.generate, Phase.target, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    try:
        return find(points(), condition, settings=quiet, random=Random(seed))
    except NoSuchExample:
        return None
    except _ShrunkEnough:
        return shown[-1]
