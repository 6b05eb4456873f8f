"""Scores on bits: tables against counting by hand, sums, and weights that find a single bit."""

import math

import numpy as np
import pytest

from auditors.privacy.floating_point.bits import binade, last_bit
from auditors.privacy.floating_point.scores import BitWeights, LastBits, Together, scores
from dpverify.sampling.streams import stream
from tests.auditors.privacy.samples import sample


def test_a_table_is_the_smoothed_log_ratio_of_its_cells():
    left, right = [1.0, 1.0, 1.0, 1.5, -1.0], [1.0, 1.5, 1.5, 0.75]
    table = LastBits.learn((sample(left), sample(right)), 0, (0.0, 1.0), ("at",))
    expected = [math.log((k0 + 0.5) / 6) - math.log((k1 + 0.5) / 5) for k0, k1 in ((3, 1), (1, 2), (1, 0), (0, 1))]
    np.testing.assert_allclose(table(np.array([1.0, 1.5, -1.0, 0.75])), expected)
    assert table(np.array([3.0, 0.0])).tolist() == [0, 0]  # cells that never came


@pytest.mark.parametrize("views", [("at",), ("from d0", "from d1"), ("at", "from d0", "from d1")])
def test_tables_tell_apart_what_their_views_tell_apart_and_nothing_else(views):
    rng = stream(3)
    sides = [sample(rng.normal(size=500)) for _ in (0, 1)]
    centres = (0.0, 0.3)
    table = LastBits.learn((sides[0], sides[1]), 0, centres, views)
    of = {"at": lambda x: x, "from d0": lambda x: x - 0.0, "from d1": lambda x: x - 0.3}
    keys = {}
    for side in (0, 1):
        x = sides[side].values
        rows = zip(*(binade(of[view](x)).tolist() for view in views), last_bit(x).tolist(), strict=True)
        for key in rows:
            keys.setdefault(key, [0, 0])[side] += 1
    assert sorted(keys.values()) == sorted(map(list, table.counts.T.tolist()))


def test_the_text_names_a_cell_of_the_event():
    table = LastBits.learn((sample([0.75] * 9 + [3.0]), sample([3.0] * 10)), 0, (0.0, 1.0), ("at",))
    assert table.text(0.0, above=True).endswith("mostly at +[2^-1, 2^0) and last bit 2^-2")
    assert table.text(0.0, above=False).endswith("mostly at +[2^1, 2^2) and last bit 2^0")
    assert table.record()["telling"][0] == ["at +[2^-1, 2^0) and last bit 2^-2", 9, 0] or table.record()["cells"] == 2


def test_tables_of_coordinates_add_up():
    rng = stream(4)
    sides = sample(rng.normal(size=(200, 3))), sample(rng.normal(size=(200, 3)))
    tables = tuple(LastBits.learn(sides, column, (0.0, 0.0), ("at",)) for column in range(3))
    values = rng.normal(size=(50, 3))
    np.testing.assert_allclose(Together(tables=tables)(values), sum(table(values) for table in tables))
    found = scores(sides, [(0.0, 0.0)] * 3, thorough=False)
    assert sum(isinstance(score, Together) for score in found) == 3


def test_weights_find_the_one_bit_that_tells():
    rng = stream(5)
    words = rng.normal(size=(2, 4000)).view(np.uint64)
    marked = (words[0] & ~np.uint64(1 << 17)).view(np.float64)
    weights = BitWeights.learn((sample(marked), sample(words[1].view(np.float64))), 0)
    assert int(np.argmax(np.abs(weights.weights))) == 17
    assert "bit 17" in weights.text(0.0, above=True)
    naive = ((words[1][:, None] >> np.arange(52, dtype=np.uint64)) & np.uint64(1)) @ weights.weights
    np.testing.assert_allclose(weights(words[1].view(np.float64)), naive, atol=1e-9)


def test_outputs_whose_bits_do_not_vary_have_no_weights():
    assert BitWeights.learn((sample([1.0, 2.0]), sample([4.0, 1.0])), 0) is None


def test_sides_with_as_many_of_each_bit_have_weights_next_to_nothing_and_no_warning():
    """Warnings are errors in tests."""
    side = sample([3.0] * 2 + [1.0] * 48)
    found = BitWeights.learn((side, side), 0)
    assert found is not None
    np.testing.assert_allclose(found.weights, 0.0, atol=1e-6)
