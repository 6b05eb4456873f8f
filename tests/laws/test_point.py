import math

import numpy as np
import pytest

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.point import PointLaw
from dpverify.laws.product import ProductLaw


def point(*place):
    return PointLaw(place=np.array(place))


PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


@pytest.mark.parametrize("other", [point(1.0, 0.0), point(1.0, -0.0)])
def test_the_same_point_tells_nothing(other):
    pair = point(1.0, 0.0).against(other)
    assert pair.epsilon(0.0).value == pair.delta(0.0).value == pair.renyi(2.0).value == 0.0
    np.testing.assert_allclose(pair.tradeoff(np.array([0.0, 0.3, 1.0])), [1.0, 0.7, 0.0])
    proof = pair.prove(PURE)
    assert proof is not None
    assert (proof.value, proof.error, proof.proved) == (0.0, 0.0, True)


@pytest.mark.parametrize("other", [point(1.0, 2.0), point(math.nextafter(1.0, 2.0), 0.0), point(1.0)])
def test_another_point_tells_everything(other):
    pair = point(1.0, 0.0).against(other)
    assert pair.epsilon(0.0).value == pair.epsilon(0.9).value == pair.renyi(2.0).value == math.inf
    assert pair.delta(50.0).value == 1.0
    np.testing.assert_array_equal(pair.tradeoff(np.array([0.0, 0.3])), [0.0, 0.0])
    for measure in (PURE, Measure(kind="renyi", argument=4.0, claimed=1.0)):
        proof = pair.prove(measure)
        assert proof is not None
        assert proof.proved
        assert proof.value == math.inf
    delta = pair.prove(Measure(kind="delta", argument=3.0, claimed=0.1))
    assert delta is not None
    assert delta.lower == 1.0


@pytest.mark.parametrize(("place", "expected"), [(3.0, 0.5), (4.0, math.inf)])
def test_beside_noise_it_decides_alone(place, expected):
    noise = [LaplaceLaw(locations=[x], scales=2.0) for x in (0.0, 1.0)]
    pair = ProductLaw(laws=(point(3.0), noise[0])).against(ProductLaw(laws=(point(place), noise[1])))
    proof = pair.prove(PURE)
    assert proof is not None
    assert proof.proved
    assert pair.epsilon(0.0).value == proof.value == expected


def test_a_point_and_a_density_are_not_compared():
    with pytest.raises(UnsupportedError, match="PointLaw"):
        point(0.0).against(LaplaceLaw(locations=[0.0], scales=1.0))
    with pytest.raises(UnsupportedError, match="PointLaw"):
        LaplaceLaw(locations=[0.0], scales=1.0).against(point(0.0))


@pytest.mark.parametrize("place", [[], [[1.0]], [math.nan], [math.inf]])
def test_bad_places(place):
    with pytest.raises(InputError):
        PointLaw(place=np.array(place))
