"""Neighbours of an example: what is printed of them names nobody."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.claim import SearchSpace
from dpverify.neighbourhood.neighbours import neighbours_of


@pytest.mark.parametrize("ids", [("alice@example.org", "bob@example.org"), (4711, 815)], ids=["texts", "numbers"])
@pytest.mark.parametrize("relation", ["add-remove", "replace"])
def test_no_user_of_the_example_is_named_in_what_is_printed(ids, relation):
    """A unit's column holds whose record it is: its values are nobody's business."""
    data = [{"who": ids[0], "hours": 0.5}, {"who": ids[0], "hours": 0.25}, {"who": ids[1], "hours": 0.9}]
    made = neighbours_of(data, unit="who", relation=relation, bounds={"hours": (0.0, 1.0)})
    pairs = made.candidates(SearchSpace(), limit=40, rng=np.random.default_rng(0))
    shown = [*made.words(), *(pair.label for pair in pairs)]
    shown += [f"{pair.d0} {pair.d1}" for pair in pairs if not made.shows_records(pair.label)]
    assert not any(str(name) in line for line in shown for name in ids)
    assert all(made.outside(pair.d0, pair.d1) is None for pair in pairs)


def test_a_kind_of_record_that_was_typed_is_kept():
    data = [{"who": "a", "hours": 0.5}, {"who": "b", "hours": 0.9}]
    made = neighbours_of(data, unit="who", records="{'who': choice('a', 'b'), 'hours': float(0, 1)}")
    assert made.words()[0] == "a record is {'who': choice('a', 'b'), 'hours': float(0, 1)}"
