"""AP-THM41-REMOVED: the first step with a record more, by hand; the remark, and that it can fail."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from reference_impls.papers.adpsgd.lemmas import removed_record
from reference_impls.papers.adpsgd.lemmas.removed_record import EDGES, AdpSgdStepCounted
from reference_impls.papers.adpsgd.lemmas.whole_run import WholeRun


def test_the_cells_are_those_of_the_normal_law_whatever_n_is() -> None:
    for data in (np.ones(1999), np.append(np.ones(1999), -1.0)):
        subject = AdpSgdStepCounted()
        step = subject._steps(np.zeros(1))[0]
        scale = subject._parts(data)[3]
        edges = np.concatenate([[-np.inf], EDGES, [np.inf]])
        odd = int(data[-1] < 0)
        shares = {1.0: 1 - odd / data.size, -1.0: odd / data.size}
        plain = sum(share * np.diff(stats.norm.cdf((edges - place) / scale)) for place, share in shares.items())
        cells = np.exp(subject.output_law(data).cells.log_probabilities)
        assert cells == pytest.approx(plain, rel=1e-6, abs=1e-15)
        assert step > 0


def test_the_cells_see_the_added_record() -> None:
    """delta(12.8) of the law on n records against n - 1: the record is drawn with 1 / n, and seen."""
    claimed = registry().claims.get("AP-THM41-REMOVED").guarantee
    present, without = (
        np.exp(AdpSgdStepCounted().output_law(data).cells.log_probabilities)
        for data in (np.append(np.ones(1999), -1.0), np.ones(1999))
    )
    delta = float(np.maximum(present - math.exp(claimed.epsilon) * without, 0.0).sum())
    assert claimed.delta(claimed.epsilon) < delta <= (1.0 + 1e-12) / 2000


def test_other_cells_are_not_offered() -> None:
    with pytest.raises(InputError, match="one dimension"):
        AdpSgdStepCounted(dimension=2)


def test_the_remark_shows_what_it_says_and_need_not(monkeypatch: pytest.MonkeyPatch) -> None:
    remark = registry().remarks.get("AP-THM41-REMOVED")
    assert remark.shown().holds
    assert remark.shown() == remark.shown()
    monkeypatch.setattr(
        removed_record, "WholeRun", lambda epsilon, floored=True: WholeRun(epsilon=epsilon, floored=True)
    )
    assert not removed_record.shown_removed().holds


def test_it_is_a_row_of_the_theorem_and_full() -> None:
    entry = registry().entries.get("AP-THM41-REMOVED")
    assert (entry.profile, entry.claim.relation, entry.expectation) == ("full", "add-remove", None)
    assert entry.claim.parameters == registry().claims.get("AP-THM41").parameters
