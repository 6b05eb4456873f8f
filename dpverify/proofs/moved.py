"""What records of the domain do to the releases, measured: never more than the cost that is stated.

The check computes no bound: it evaluates what records put into each release and divides by the noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dpverify.proofs.certificate import CheckedPath
from dpverify.proofs.cost import Cost, cost_of
from dpverify.proofs.operations import ProofError
from dpverify.proofs.points import Point, PublicEvaluation
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.record_search import OfRecords
from dpverify.proofs.replay import Evaluation

SLACK = 1 + 1e-9


def measured(program: ProofProgram, records: Mapping[str, Any], count: int, point: Point | None = None) -> Cost:
    """The largest cost that one of these records has (under ``replace``: two of them); below the true one.

    It is measured at the released values of a point, or at random ones.
    """
    values: Evaluation
    if point is None:
        values = Evaluation(program, records, count, np.random.default_rng(0))
    else:
        values = OfRecords(records, count, PublicEvaluation(program, point), {})
    others = count if program.relation == "replace" else 1
    pure, squares, gaussian = (np.zeros((others, count)) for _ in range(3))
    for part, law, scale in program.releases:
        with np.errstate(all="ignore"):
            put = np.asarray(values.of(part), dtype=float).reshape(count, -1)
            unit = np.abs(np.asarray(values.of(scale), dtype=float))
            noise = -1.0 / np.log1p(-unit) if law == "geometric" else unit
            put = put / np.broadcast_to(noise, (1, *part.shape)).reshape(1, -1)
        for place in range(others):  # one after another: wide releases times all pairs would fill the memory
            moved = np.abs(put - put[place] if program.relation == "replace" else put)
            if law == "normal":
                gaussian[place] += (moved**2).sum(axis=1)
            else:
                pure[place] += moved.sum(axis=1)
                squares[place] += moved.sum(axis=1) ** 2
    return Cost(*(float(each.max()) for each in (pure, squares, gaussian)))


def check_moved(
    paths: Sequence[CheckedPath], records: Mapping[str, Any], count: int, point: Point | None = None
) -> None:
    """ProofError where a record moves the releases of a path by more than is stated."""
    for path in paths:
        seen, stated = measured(path.program, records, count, point), cost_of(path.program)
        if any(not a <= b * SLACK for a, b in zip(seen.parts(), stated.parts(), strict=True)):
            raise ProofError(f"records were found that cost {seen.parts()}, and {stated.parts()} is stated")
