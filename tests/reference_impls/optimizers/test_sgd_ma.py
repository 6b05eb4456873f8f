"""SGD-MA is DP-SGD at the rate 1 / sqrt(n)."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.sgd_ma import SgdMa

RNG = np.random.default_rng(2)
TABLE = Table(features=RNG.normal(size=(49, 3)), labels=RNG.choice([-1.0, 1.0], 49))
SETTINGS = {"steps": 9, "noise_multiplier": 1.5, "clip": 0.4, "step_size": 0.7, "l2": 0.05}


@pytest.mark.parametrize("divisor", [None, 3.0])
def test_it_is_dp_sgd_at_its_rate(divisor: float | None) -> None:
    whole = SgdMa(**SETTINGS, divisor=divisor)
    plain = DpSgd(**SETTINGS, rate=1 / 7, divisor=divisor)
    first, second = (each.transcript(TABLE, rng=stream(0, "ma")) for each in (whole, plain))
    assert np.array_equal(first.iterates, second.iterates)
    assert np.array_equal(whole.sample(TABLE, 3, rng=stream(1, "ma")), plain.sample(TABLE, 3, rng=stream(1, "ma")))
    assert whole.composition(49) == plain.composition(49)
    assert whole.expected(49) == 7.0
    assert whole.dp_sgd(49) == DpSgd(**SETTINGS, rate=1 / 7, divisor=divisor or 7.0)


def test_a_public_number_takes_the_place_of_the_tables() -> None:
    whole, plain = SgdMa(**SETTINGS, records=100), DpSgd(**SETTINGS, rate=0.1, divisor=10.0)
    assert np.array_equal(whole.sample(TABLE, 3, rng=stream(2, "ma")), plain.sample(TABLE, 3, rng=stream(2, "ma")))
    assert whole.composition(49) == plain.composition(49)


def test_a_claim_needs_records() -> None:
    with pytest.raises(InputError, match="0 records"):
        SgdMa().composition(0)
