"""The exact auditor builds its subject anew only where a point has other parameters."""

from dataclasses import replace

import numpy as np

from auditors.privacy.exact.points import Examiner, Point
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import PureDP

PAIR = Pair(d0=np.zeros(3), d1=np.ones(3))


def examined(exact_task, settings):
    """The largest ratio at each setting of the parameters, and which subjects were built for them."""
    audit = exact_task(PureDP(epsilon=1.0))
    built = []

    def build(**searched):
        built.append(searched)
        return audit.build(**searched)

    examiner = Examiner(task=replace(audit, build=build))
    return [examiner.examine(Point(pair=PAIR, parameters=each)).ratio for each in settings], built


def test_one_subject_serves_all_points_with_its_parameters(exact_task):
    ratios, built = examined(exact_task, [{}, {}, {}])
    assert len(set(ratios)) == 1
    assert built == [{}]


def test_other_parameters_are_another_subject(exact_task):
    settings = [{"epsilon": 1.0}, {"epsilon": 2.0}, {"epsilon": 2.0}, {"epsilon": 1.5}]
    ratios, built = examined(exact_task, settings)
    assert built == [{"epsilon": 1.0}, {"epsilon": 2.0}, {"epsilon": 1.5}]
    fresh = [examined(exact_task, [each])[0][0] for each in settings]
    assert ratios == fresh
    assert ratios[0] < ratios[1]


def test_a_point_that_was_looked_at_before_is_an_evaluation_and_no_work(exact_task, monkeypatch):
    examiner, asked = Examiner(task=exact_task(PureDP(epsilon=1.0))), []
    laws = examiner.laws
    monkeypatch.setattr(Examiner, "laws", lambda _self, point, **how: asked.append(point) or laws(point, **how))
    other = Pair(d0=PAIR.d0, d1=np.full(3, np.nextafter(1.0, 2.0)))
    found = [examiner.examine(Point(pair=pair)) for pair in (PAIR, other, Pair(d0=np.zeros(3), d1=np.ones(3)))]
    assert len(asked) == 2 and examiner.evaluations == 3
    assert found[2].value == found[0].value and found[2].point.pair is not PAIR


def test_parameters_changed_in_place_are_noticed(exact_task):
    """A point's mapping is its author's, who may go on using it."""
    audit, setting = exact_task(PureDP(epsilon=1.0)), {"epsilon": 1.0}
    examiner = Examiner(task=audit)
    first = examiner.examine(Point(pair=PAIR, parameters=setting)).ratio
    setting["epsilon"] = 2.0
    assert examiner.examine(Point(pair=PAIR, parameters=setting)).ratio > first
