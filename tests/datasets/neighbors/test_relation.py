"""A relation of a user: what it raises is one line without records, whatever it raises."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.relation import Relation


@pytest.mark.parametrize("kind", [ValueError, SystemExit, GeneratorExit])
def test_what_it_raises_is_one_line_without_records(kind):
    def change(records, place, new):
        raise kind(f"bad {records}")

    relation = Relation(name="mine", change_one=change)
    with pytest.raises(
        InputError, match=f"the relation 'mine' cannot change record 1 of 2: {kind.__name__}; "
    ) as problem:
        relation.changed([0.57, 0.91], [1], 0.13)
    assert "0.57" not in str(problem.value) and problem.value.__cause__ is None


def test_a_record_of_another_form_is_not_shown():
    relation = Relation(name="mine", change_one=lambda records, place, new: [("secret", 1), *records[1:]])
    with pytest.raises(InputError, match="makes a record that is a tuple of another form") as problem:
        relation.changed([0.57, 0.91], [0], 0.13)
    assert "secret" not in str(problem.value)
