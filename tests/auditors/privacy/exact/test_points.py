"""Points of a search: the boxes that they come from, and what is measured at them."""

import numpy as np
import pytest

from auditors.privacy.exact.points import Box, Examiner, Point, measured
from dpverify.core.errors import UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import PureDP


def test_parameter_boxes_of_many_scales_are_logarithmic(exact_task):
    audit = exact_task(PureDP(epsilon=1.0), searched={"epsilon": (0.01, 100.0), "multiplier": (0.5, 1.5)})
    box = Box(audit, audit.claim.space, limit=1)
    middle = box.settings()[0]
    assert middle == pytest.approx({"epsilon": 1.0, "multiplier": 1.0})
    ends = box.point(np.full(len(box.bounds), 1e9)).parameters
    assert ends == {"epsilon": 100.0, "multiplier": 1.5}


def test_unknown_measures_are_refused_not_guessed(exact_task):
    audit = exact_task(PureDP(epsilon=1.0))
    laws = [audit.build().output_law(queries) for queries in (np.zeros(2), np.ones(2))]
    with pytest.raises(UnsupportedError):
        measured(laws[0].against(laws[1]), Measure(kind="sensitivity", claimed=1.0))
    examiner = Examiner(task=audit)
    with pytest.raises(UnsupportedError):
        examiner.all(Point(pair=Pair(d0=np.zeros(2), d1=np.zeros(3))))
