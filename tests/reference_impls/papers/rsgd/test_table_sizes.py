"""Sizes as they are here and as they are printed."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.datasets.adult import ADULT
from reference_impls.papers.constants import constant
from reference_impls.papers.rsgd.table_sizes import here, printed

RNG = np.random.default_rng(0)


def test_printed():
    assert printed(x=2.0, rng=RNG) == {"records": 45_211.0, "attributes": 33.0, "majority": 0.883}


@pytest.mark.skipif(not ADULT.available(), reason="Adult is not here; set DPVERIFY_DATA to a folder that has it")
def test_here():
    found = here(x=1.0, rng=RNG)
    assert (found["records"], found["attributes"]) == (48_842, 124)
    assert found["majority"] == pytest.approx(0.7607, abs=1e-4)


def test_constants():
    assert constant(x=1.0, rng=RNG, value=0.96, other=2) == {"accuracy": 0.96, "other": 2.0}
