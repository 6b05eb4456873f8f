"""The ledger's claims on ADPSGD Theorem 4.1 (AP-THM41) and on line 4 of Algorithm 1 (AP-ADAGRAD).

The theorem is looked at in the law of its first step (:mod:`reference_impls.papers.adpsgd.lemmas.step`), in all T steps
(:mod:`reference_impls.papers.adpsgd.lemmas.whole_run`, where it is said why it fails) and in section 6's batches
(:mod:`reference_impls.papers.adpsgd.lemmas.batch_run`); line 4 in the law of one step, and in the algorithm itself,
sampled (:mod:`reference_impls.optimizers.ada_grad`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.remark import Remark, Shown
from dpverify.definitions.approx_dp import ApproxDP
from dpverify.definitions.upper_bound import UpperBound
from reference_impls.papers.adpsgd.lemmas.step import AdpSgdStep

if TYPE_CHECKING:
    from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register the claims, and remarks on AP-ADAGRAD."""
    theorem = Claim(
        id="AP-THM41",
        guarantee=ApproxDP(epsilon=12.8, delta=1e-5),
        relation="replace",
        subject="adp-sgd-step",
        parameters={"epsilon": 12.8, "delta": 1e-5, "steps": 11700},
        space=SearchSpace(size=50000, low=-1.0, high=1.0),
        source=Source(paper="ADPSGD", locus="Thm 4.1"),
        statement="With sigma of (6) a run of ADP-SGD is (epsilon, delta)-DP.",
        readings=(
            Reading(
                key="a",
                text="the first step at epsilon = 16 epsilon_bar = 12.8, section 6's n, T and delta, one record a step",
            ),
            Reading(
                key="b",
                text="the first step at epsilon = epsilon_bar = 0.8, the same n, T and delta",
                guarantee=ApproxDP(epsilon=0.8, delta=1e-5),
                parameters={"epsilon": 0.8},
            ),
            Reading(
                key="c",
                text="section 6's algorithm: batches of 256, all T steps, alpha = 1, epsilon = 12.8",
                guarantee=UpperBound(quantity="epsilon"),
                relation="numbers",
                subject="lemma-adp-sgd-batch-run",
                space=SearchSpace(),
            ),
            Reading(
                key="whole",
                text="all T steps at any epsilon, n and T; alpha = 1; a record replaced or, n being public, removed",
                guarantee=UpperBound(quantity="epsilon"),
                relation="numbers",
                subject="lemma-adp-sgd-whole-run",
                parameters={"n": 50000.0},
                space=SearchSpace(parameters={"epsilon": (0.01, 102.4), "n": (100.0, 1e6), "steps": (1.0, 1e6)}),
            ),
        ),
    )
    registry.add_claim(theorem)
    registry.add_claim(
        replace(
            theorem,
            id="AP-THM41-R",
            guarantee=UpperBound(quantity="epsilon"),
            relation="numbers",
            subject="lemma-adp-sgd-whole-run",
            parameters={**theorem.parameters, "n": 50000.0, "floored": True},
            space=SearchSpace(
                parameters={
                    "epsilon": (0.01, 102.4),
                    "n": (100.0, 1e6),
                    "steps": (1.0, 1e6),
                    "delta": (1e-10, 1e-3),
                }
            ),
            source=Source(paper="dpverify", locus="repair of ADPSGD Thm 4.1"),
            statement=(
                "With sigma of (6), but at least 2 G sqrt(2 log(2.5 T / (n delta))) / min alpha_t, a run of ADP-SGD is "
                "(epsilon, delta)-DP; alpha = 1."
            ),
            readings=(),
        )
    )
    printed = Claim(
        id="AP-ADAGRAD",
        guarantee=ApproxDP(epsilon=1.0, delta=1e-5),
        relation="replace",
        subject="adp-sgd-step",
        parameters={"epsilon": 1.0, "delta": 1e-5, "steps": 1, "follows": "gradient"},
        space=SearchSpace(size=2, low=-1.0, high=1.0),
        source=Source(paper="ADPSGD", locus="Algorithm 1, line 4"),
        statement="With sigma of (6) a run of one step is (1, 1e-5)-DP when b follows the gradient.",
        readings=(
            Reading(key="d1", text="one dimension"),
            Reading(key="d1000", text="1000 dimensions", parameters={"dimension": 1000}),
            Reading(key="beta512", text="section 6.2's beta = 512, one dimension", parameters={"beta": 512.0}),
        ),
    )
    registry.add_claim(printed)
    registry.add_claim(
        replace(
            printed,
            id="AP-ADAGRAD-LARGE",
            parameters={**printed.parameters, "dimension": 10_000},
            statement=f"{printed.statement[:-1]}, in 10^4 dimensions.",
            readings=(),
        ),
        profile="full",
    )
    registry.add_claim(
        replace(
            printed,
            id="AP-ADAGRAD-R",
            parameters={**printed.parameters, "follows": "nothing"},
            source=Source(paper="ADPSGD", locus="Algorithm 1, line 4, repaired"),
            statement="With sigma of (6) a run of one step is (1, 1e-5)-DP when b follows the noisy gradient.",
            readings=(),
        )
    )
    trained = {"model": "logistic", "epsilon": 1.0, "delta": 1e-5, "steps": 1, "batch_size": 2, "beta": 512.0}
    for name, subject, what in (
        ("AP-ADAGRAD-SAMPLED", "adp-sgd-ada-grad", "the gradient"),
        ("AP-ADAGRAD-SAMPLED-R", "adp-sgd-ada-grad-repaired", "the noisy gradient"),
    ):
        registry.add_claim(
            replace(
                printed,
                id=name,
                subject=subject,
                parameters=trained,
                space=SearchSpace(size=2, low=0.0, high=1.0, data="breast-cancer", generator="replace/table"),
                statement=f"The algorithm itself, section 6.2's beta = 512, thirty dimensions: b follows {what}.",
                readings=(),
            ),
            profile="full",
        )
    for key, dimension, beta in (
        (".d1000", 1000, 1.0),
        (".beta512", 1, 512.0),
        ("-LARGE", 10_000, 1.0),
        ("-SAMPLED", 30, 512.0),
    ):
        name = f"AP-ADAGRAD{key}"
        remark = Remark(
            claim=name,
            breaks=(
                "Line 4 updates b_{t+1} with the gradient of the very record that line 6 hides, and line 6 multiplies "
                "the noise by eta / b_{t+1} too. So the spread of the noise, not only its centre, depends on the "
                "record: in every coordinate, also in those that no gradient touches."
            ),
            means=(
                "Whoever sees a release in d dimensions measures the noise's own length to sqrt(2 / d) and reads the "
                "gradient's norm off it. No sigma helps: the length scales with it."
            ),
            instead="Update b_{t+1} with the noisy gradient: then it is post-processing (AP-ADAGRAD-R).",
            shown=partial(_shown_spread, dimension, beta),
        )
        registry.remarks.add(name, remark)


def _shown_spread(dimension: int, beta: float) -> Shown:
    """How the variance of the release depends on the record, and how well a release shows it."""
    still, moved = AdpSgdStep(follows="gradient", beta=beta)._steps(np.array([0.0, 1.0])).tolist()
    seen = math.sqrt(2.0 / max(dimension - 1, 1))
    numbers = (
        ("variance with a gradient of length 0, over that with length 1", (still / moved) ** 2),
        ("relative standard deviation of what is seen of it", seen),
    )
    return Shown(numbers=numbers, holds=numbers[0][1] - 1.0 > seen)
