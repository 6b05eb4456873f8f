"""Clipping thresholds: what a field takes, and that noise needs a finite one."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpverify.core.errors import InputError
from reference_impls.admm.dp_admm import DpAdmm
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.optimizers.dp_adam import DpAdam
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.ranking.listwise_sgd import ListwiseSgd

NOISY = [
    (DpSgd, {"noise_multiplier": 0.0}),
    (DpAdam, {"noise_multiplier": 0.0}),
    (DpAdmm, {"noise_multiplier": 0.0}),
    (MpAdmm, {"sigma": 0.0}),
    (AdpSgd, {"sigma": 0.0}),
    (AdpSgd, {"alpha": "zero"}),
    (ListwiseSgd, {"noise_multiplier": 0.0}),
]


@pytest.mark.parametrize("clip", [1e-300, np.float32(0.5), np.int64(3), math.inf])
def test_thresholds_that_are_taken(clip: float) -> None:
    assert DpSgd(clip=clip, noise_multiplier=0.0).clip is clip


@pytest.mark.parametrize("clip", [0.0, -1.0, math.nan, True, "1", None])
def test_thresholds_that_are_refused(clip: object) -> None:
    with pytest.raises(InputError, match=r"DpSgd: clip = .*; allowed: a number > 0; inf for no clipping"):
        DpSgd(clip=clip, noise_multiplier=0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "quiet"), NOISY)
def test_noise_needs_a_finite_threshold(kind: type, quiet: dict[str, object]) -> None:
    kind(clip=math.inf, **quiet)
    noisy = {"noise_multiplier": 1.0} if kind is ListwiseSgd else {}
    with pytest.raises(InputError, match=rf"{kind.__name__}: clip = inf with noise; allowed: a finite number > 0"):
        kind(clip=math.inf, **noisy)
