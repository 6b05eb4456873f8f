from dataclasses import dataclass, field

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.laws.integrated_law import IntegratedLaw


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counted(IntegratedLaw):
    """Two outcomes, and how often they were integrated."""

    share: float = 0.25
    errors: tuple = (1e-9, 1e-7)
    runs: list = field(default_factory=list)

    def _integrate(self):
        self.runs.append(1)
        return np.log([self.share, 1.0 - self.share]), np.array(self.errors)


def test_a_law_is_integrated_once():
    law = Counted(levels=[0.0])
    assert not law.runs
    for _ in range(3):
        assert law.log_probabilities().tolist() == np.log([0.25, 0.75]).tolist()
        assert law.log_errors().tolist() == [1e-9, 1e-7]
    assert len(law.runs) == 1


@pytest.mark.parametrize(("first", "second"), [((1e-9, 1e-7), (1e-8, 0.0)), ((0.0, 1e-8), (1e-7, 1e-9))])
def test_a_pair_has_the_largest_error_of_both(first, second):
    p, q = Counted(levels=[0.0], errors=first), Counted(levels=[0.0], share=0.5, errors=second)
    cells = p._cells(q)
    assert cells.error == 1e-7
    assert cells.log_p.tolist() == p.log_probabilities().tolist()
    assert cells.log_q.tolist() == q.log_probabilities().tolist()


def test_levels_are_copied_and_frozen():
    given = np.array([1.0, 2.0])
    law = Counted(levels=given)
    given[0] = 9.0
    assert law.levels.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        law.levels[0] = 3.0


@pytest.mark.parametrize("levels", [[], 0.0, [[0.0]], [np.nan], [0.0, np.inf]])
def test_bad_levels_are_refused(levels):
    with pytest.raises(InputError, match="levels of shape"):
        Counted(levels=levels)
