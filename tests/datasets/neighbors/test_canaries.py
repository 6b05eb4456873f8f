"""Canary pairs: neighbours as their relation says, and records that do what their names say to clipped gradients."""

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.core.errors import UnsupportedError
from dpverify.core.plugins import registry
from dpverify.core.subjects import NeighborGenerator
from dpverify.datasets.neighbors.canaries import BLANK, DIRAC, FLIPPED, Canaries, canary_table
from reference_impls.models.model import find_model

NAMES = ("add-remove/canaries", "replace/canaries", "replace/zero-out")
SPACE = SearchSpace(size=3, low=0.0, high=1e9)


@pytest.mark.parametrize("name", NAMES)
def test_candidates_are_neighbours(name):
    generator = registry().neighbors.get(name)
    assert isinstance(generator, NeighborGenerator)
    assert name.startswith(generator.relation)
    pairs = generator.candidates(SPACE, limit=9, rng=np.random.default_rng(0))
    assert len(pairs) == len({pair.label for pair in pairs})
    for pair in pairs:
        assert generator.check(pair.d0, pair.d1) is None
        assert generator.check(pair.d1, pair.d0) is None
        assert pair.d1.rows == 4
        assert pair.d0.rows == (3 if generator.relation == "add-remove" else 4)
    assert len(generator.candidates(SPACE, limit=1, rng=np.random.default_rng(0))) == 1
    assert generator.box(SPACE) is None
    with pytest.raises(UnsupportedError):
        generator.decode(SPACE, np.zeros(1))


def test_gradients_are_those_of_the_names_at_any_weight():
    model, table = find_model("squared"), canary_table([BLANK, DIRAC, FLIPPED], high=1e9, name="all")
    for weight in (-1e3, 0.0, 1e3):
        found = [float(model.gradient(np.array([weight]), table, np.array([i]), clip=2.0)[0]) for i in range(3)]
        assert found == [0.0, -2.0, 2.0]


@pytest.mark.parametrize(
    ("relation", "first", "second", "why"),
    [
        ("replace", [BLANK, BLANK], [DIRAC, DIRAC], "only one"),
        ("replace", [BLANK], [BLANK, DIRAC], "equal"),
        ("add-remove", [BLANK], [BLANK, DIRAC, DIRAC], "exactly one"),
        ("add-remove", [BLANK, BLANK], [DIRAC, DIRAC, DIRAC], "not in the larger"),
    ],
)
def test_what_is_no_pair_is_refused(relation, first, second, why):
    generator = Canaries(name="x", relation=relation, makes=((BLANK, BLANK, DIRAC),))
    d0, d1 = (canary_table(kinds, high=1.0, name="d") for kinds in (first, second))
    assert why in (generator.check(d0, d1) or "")
    assert "tables" in (generator.check([1.0], d1) or "")
