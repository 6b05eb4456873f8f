import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.frontier.canary_pairs import canary_pairs


@pytest.mark.parametrize("columns", [1, 2, 9])
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("others", [2, 200])
def test_pairs_differ_in_the_canary_alone(columns, classes, others):
    for relation, more in (("add-remove", 1), ("replace", 0)):
        for pair in canary_pairs(columns, classes, relation=relation, norm=1.0, others=others):
            inside, outside = pair.inside, pair.outside
            assert inside.rows == outside.rows + more
            assert (inside.features[:-1] == outside.features[: inside.rows - 1]).all()
            assert (inside.labels[:-1] == outside.labels[: inside.rows - 1]).all()
            assert np.linalg.norm(inside.features, axis=1).max() <= 1 + 1e-12
            assert (pair.probes[0] == inside.features[-1]).all()
            inside.need_labels(None if classes == 2 else classes)
            if not more:
                assert (inside.features[-1] == outside.features[-1]).all()
                assert inside.labels[-1] != outside.labels[-1]


def test_a_longer_canary_leaves_the_others_as_they_are():
    short, long = (canary_pairs(3, 2, relation="add-remove", norm=norm, others=20)[0] for norm in (1.0, 50.0))
    assert np.linalg.norm(long.inside.features[-1]) == 50.0
    assert (short.outside.features == long.outside.features).all()


def test_another_relation_is_one_line():
    with pytest.raises(InputError, match="add-remove, replace"):
        canary_pairs(3, 2, relation="labels", norm=1.0, others=20)
