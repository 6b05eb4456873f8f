"""What all lemmas share: checks of parameters, the worst of several numbers, quotients."""

from __future__ import annotations

import math

import flint
import pytest

from dpverify.core.errors import InputError
from dpverify.core.measure import Enclosed, Measure
from reference_impls.papers.accounting.lemmas.advanced_composition import AdvancedComposition
from reference_impls.papers.accounting.lemmas.gaussian_classic import GaussianClassic
from reference_impls.papers.accounting.lemmas.gaussian_renyi import GaussianRenyi
from reference_impls.papers.accounting.lemmas.moments import MomentsTail
from reference_impls.papers.accounting.lemmas.poisson_amplification import PoissonResponse
from reference_impls.papers.accounting.lemmas.poisson_gaussian import PoissonGaussian
from reference_impls.papers.accounting.lemmas.pure_renyi import PureRenyi
from reference_impls.papers.accounting.lemmas.renyi_composition import RenyiComposition, RenyiCompositionDrawn
from reference_impls.papers.accounting.lemmas.renyi_conversion import RenyiConversion
from reference_impls.papers.accounting.lemmas.table_adpsgd import AdpSgdTable
from reference_impls.papers.accounting.lemmas.table_privbr import PrivBrTable
from reference_impls.papers.accounting.lemmas.without_replacement_amplification import WithoutReplacementBits
from reference_impls.papers.accounting.lemmas.without_replacement_subsets import WithoutReplacementSubsets
from reference_impls.papers.enclosures import proved_renyi, quotient, worst


@pytest.mark.parametrize(
    ("build", "name", "value"),
    [
        (GaussianRenyi, "order", 1.0),
        (GaussianRenyi, "sigma", 0.0),
        (GaussianClassic, "delta", 1.0),
        (PureRenyi, "epsilon", -1.0),
        (RenyiConversion, "tau", math.nan),
        (AdvancedComposition, "count", 13.0),
        (AdvancedComposition, "rest", 0.0),
        (RenyiComposition, "p_one", 1.0),
        (RenyiCompositionDrawn, "spread", 0.0),
        (MomentsTail, "count", 0.0),
        (PoissonGaussian, "q", 1.5),
        (PoissonResponse, "order", 1.0),
        (WithoutReplacementBits, "n", 13.0),
        (WithoutReplacementSubsets, "m", 0.0),
        (WithoutReplacementSubsets, "n", 13.0),
        (PrivBrTable, "mq2008", 9),
        (AdpSgdTable, "last", 1),
    ],
)
def test_bad_parameters_are_named(build, name, value):
    with pytest.raises(InputError, match=f"{build.__name__}: {name}"):
        build(**{name: value})


def test_the_worst_of_several_keeps_what_is_unsure():
    found = worst([Enclosed(value=1.0, error=0.5), Enclosed(value=1.2, error=0.1), Enclosed(value=0.3)])
    assert found.value == 1.2
    assert found.lower <= 1.1
    assert found.upper >= 1.5
    assert math.isinf(worst([Enclosed(value=math.inf), Enclosed(value=1.0)]).value)


def test_a_quotient_is_proved_or_none():
    found = quotient(flint.arb(1), flint.arb(3))
    assert found.proved
    assert found.lower <= 1 / 3 <= found.upper
    assert quotient(None, flint.arb(1)) is None
    assert quotient(flint.arb(1), flint.arb(0)) is None
    assert quotient(flint.arb(1), flint.arb(0, 1)) is None
    assert quotient(flint.arb(1), flint.arb(0.5, 1)) is None
    assert quotient(flint.arb(1), flint.arb(-1)) is None


class _FromBelow:
    """A pair whose proof is a lower bound only."""

    def prove(self, measure: Measure) -> Enclosed:
        return Enclosed(value=1.0, proved=True)


class _BothSides(_FromBelow):
    """One that encloses, further up than its proof."""

    def enclosure(self, measure: Measure) -> Enclosed:
        return Enclosed(value=2.0, proved=True)


def test_a_divergence_is_taken_from_enclosures_only():
    assert proved_renyi([_BothSides()], 2.0) == 2
    assert proved_renyi([_FromBelow()], 2.0) is None
    assert proved_renyi([_BothSides(), _FromBelow()], 2.0) is None
