"""Claims are for a number of records, and for at least the published noise: anything else is refused."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpverify.core.errors import InputError
from reference_impls.admm.admm_obj_p import AdmmObjP
from reference_impls.admm.dp_admm import DpAdmm
from reference_impls.admm.mp_admm import MpAdmm
from reference_impls.admm.mp_admm_repaired import MpAdmmRepaired
from reference_impls.admm.ss_admm import SsAdmm
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.optimizers.ada_grad_repaired import AdaGradRepaired
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.adadp_then_sgd import AdadpThenSgd
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.optimizers.priv_gene import PrivGene
from reference_impls.optimizers.proximal_dp_sgd import ProximalDpSgd
from reference_impls.training.claim_conditions import need_records, need_whole_noise

CLAIMS: list[tuple[Any, str]] = [
    *((Adadp(rate=rate, sampling=way), "sound_composition") for rate, way in ((0.2, "poisson"), (None, "shuffled"))),
    *((Adadp(rate=rate), "composition") for rate in (0.2, None)),
    *((AdadpThenSgd(rate=0.2), name) for name in ("composition", "sound_composition", "batch_count")),
    *((kind(steps=3), name) for kind in (AdpSgd, AdaGrad, AdaGradRepaired) for name in ("composition", "guarantee")),
    *((AdpSgd(steps=3, sigma=sigma), "attained") for sigma in (None, 1.0)),
    *((AdpSgd(steps=3, sigma=1.0), name) for name in ("composition", "guarantee")),
    *((ProximalDpSgd(relation=name, records=9), "composition") for name in ("replace", "add-remove")),
    (PrivGene(rounds=2), "rounds_for"),
    (SsAdmm(), "composition"),
    (SsAdmm(batch_size=3), "guarantee"),
    *((kind(), name) for kind in (MpAdmm, MpAdmmRepaired) for name in ("composition", "guarantee")),
    (MpAdmmRepaired(), "joint_composition"),
    (DpAdmm(parties=1), "composition"),
    (AdmmObjP(descent_steps=None), "guarantee"),
]


@pytest.mark.parametrize(("algorithm", "claim"), CLAIMS)
def test_no_claim_for_what_is_no_number_of_records(algorithm: Any, claim: str) -> None:
    assert getattr(algorithm, claim)(50) == getattr(algorithm, claim)(np.int64(50))
    for rows in (0, -1, 2.5, True, "a"):
        with pytest.raises(InputError, match="records"):
            getattr(algorithm, claim)(rows)


@pytest.mark.parametrize(
    ("algorithm", "least", "claims"),
    [
        (AdpSgd(steps=3, batch_size=8), 8, ("composition", "guarantee", "attained")),
        (AdpSgd(steps=3, batch_size=8, sigma=1.0), 8, ("composition", "guarantee", "attained")),
        (DpAdmm(rounds=3, parties=3), 3, ("composition",)),
    ],
)
def test_no_claim_for_a_table_that_a_run_refuses(algorithm: Any, least: int, claims: tuple[str, ...]) -> None:
    for claim in claims:
        getattr(algorithm, claim)(least)
        with pytest.raises(InputError, match=f">= {least}"):
            getattr(algorithm, claim)(least - 1)


def test_the_message_says_who_asks_and_why() -> None:
    need_records(AdpSgd(), 3, least=3)
    with pytest.raises(InputError, match=r"AdpSgd: a claim for 2 records.*whole number >= 3 \(the batch size\)"):
        need_records(AdpSgd(), 2, least=3, why="the batch size")


def test_a_claim_needs_the_whole_noise() -> None:
    need_whole_noise(SimpleNamespace(noise_multiplier=1))
    for value in (0.0, 0.999, math.nan):
        with pytest.raises(InputError, match=f"claim for noise_multiplier = {value}"):
            need_whole_noise(SimpleNamespace(noise_multiplier=value))
