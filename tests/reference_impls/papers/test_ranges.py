"""Parameters of lemmas out of range are refused, by name."""

from __future__ import annotations

import math

import pytest

from dpverify.core.errors import InputError
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
