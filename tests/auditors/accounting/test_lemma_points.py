"""Points of a lemma's box: ratios at the ends of what they can be, and coordinates there and back."""

from __future__ import annotations

import math

import pytest

from auditors.accounting.lemma_points import LemmaBox, LemmaPoint
from dpverify.core.auditing import Task
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.evidence import Enclosed
from dpverify.datasets.neighbors.numbers import Numbers
from dpverify.definitions.number_bounds import UpperBound
from dpverify.sampling.streams import stream


@pytest.mark.parametrize(
    ("printed", "truth", "ratio", "least"),
    [
        (Enclosed(value=0.0, error=0.1), Enclosed(value=1.0), math.inf, 10.0),
        (Enclosed(value=0.0), Enclosed(value=0.1, error=0.2), math.inf, 1.0),
        (Enclosed(value=0.0), Enclosed(value=0.0), 1.0, 1.0),
        (Enclosed(value=1.0), Enclosed(value=0.1, error=0.2), 0.1, 0.0),
        (Enclosed(value=math.inf), Enclosed(value=math.inf), 0.0, 0.0),
    ],
)
def test_ratios_at_the_ends(printed, truth, ratio, least):
    seen = LemmaPoint(parameters={}, printed=printed, truth=truth)
    assert (seen.ratio, seen.least) == (ratio, least)


def test_coordinates_go_there_and_back_on_both_scales():
    claim = Claim(
        id="toy",
        guarantee=UpperBound(),
        relation="numbers",
        subject="toy",
        space=SearchSpace(parameters={"x": (0.01, 100.0), "y": (-1.0, 1.0)}),
        source=Source(paper="t", locus="1"),
    )
    field = LemmaBox(
        task=Task(claim=claim, build=dict, neighbors=Numbers(), alpha=0.5, trials=1, stream=lambda *names: stream(0))
    )
    assert field.parameters([0.5, 0.5]) == pytest.approx({"x": 1.0, "y": 0.0})
    for point in ([0.0, 1.0], [0.3, 0.7], [1.0, 0.0]):
        assert field.shares(field.parameters(point)).tolist() == pytest.approx(point)
