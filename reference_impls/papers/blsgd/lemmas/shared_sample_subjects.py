"""BL-AMP-SHARED and its repair BL-AMP-SHARED-R: readings and claims (what to say beside them: `shared_sample_remarks`).

The subjects: :mod:`~reference_impls.papers.blsgd.lemmas.shared_sample`, Algorithm 2's own iteration, and
:mod:`~reference_impls.papers.blsgd.lemmas.shared_gaussians`, any two mechanisms.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dpverify.core.claim import Reading
from reference_impls.papers.blsgd.lemmas.shared_gaussians import SharedGaussians
from reference_impls.papers.blsgd.lemmas.shared_sample import SharedSample
from reference_impls.papers.lemma import lemma_claim, repaired

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

MOST = 32.0
"""The largest order that is searched."""


def register(registry: Registry) -> None:
    """Offer the subjects and their claims."""
    registry.mechanisms.add("lemma-shared-sample", SharedSample)
    registry.mechanisms.add("lemma-shared-gaussians", SharedGaussians)
    own: dict[str, Any] = {"q": 0.1, "order": 2.0, "rho_grad": 2e-6, "budget_bt": 0.002, "retries": 1.0, "loss": "rise"}
    boxes = {
        "q": (1e-3, 0.9),
        "order": (2.0, MOST),
        "rho_grad": (1e-6, 10.0),
        "budget_bt": (1e-3, 10.0),
        "retries": (1.0, 5.0),
    }
    pair = {"q": 0.1, "order": 2.0, "rho_1": 2e-6, "rho_2": 2e-6}
    once = {name: box for name, box in boxes.items() if name != "retries"}
    for name, source, more, statement in (
        ("BL-AMP-SHARED", ("BLSGD", "Alg. 2 lines 7, 11, IV-C"), {}, "each release amplified on its own pays for all"),
        ("BL-AMP-SHARED-R", repaired("BLSGD IV-C"), {"charge": "together"}, "amp of the sum of their curves pays"),
    ):
        claim = lemma_claim(
            name,
            subject="lemma-shared-sample",
            quantity="renyi",
            source=source,
            statement=f"Gradient and line search on one sample: {statement}, at every whole order.",
            parameters=own | more,
            boxes=boxes,
        )
        single = replace(claim.space, parameters=once)
        readings = [
            Reading(
                key="a",
                text="Algorithm 2, Laplace, xi = 0, up to 5 searches on B, a loss in [0, C_obj] that rises beside w",
            ),
            Reading(
                key="a-hinge",
                text="Algorithm 2, Laplace, one search, the paper's hinge loss, a record of any length",
                parameters={"loss": "hinge"},
                space=single,
            ),
            Reading(
                key="a-gaussian",
                text="Algorithm 2, Gaussian, xi = 0, rho_BT = epsilon_BT^2 / 2",
                parameters={"noise": "gaussian", "budget_bt": 2e-6},
                space=replace(claim.space, parameters=boxes | {"budget_bt": (1e-6, 5.0)}),
            ),
            Reading(
                key="b",
                text="any two mechanisms: two Gaussian releases",
                subject="lemma-shared-gaussians",
                space=replace(
                    claim.space,
                    parameters=dict.fromkeys(("rho_1", "rho_2"), (1e-6, 10.0))
                    | {"q": boxes["q"], "order": boxes["order"]},
                ),
            ),
        ]
        registry.add_claim(
            replace(
                claim,
                parameters=more,
                readings=tuple(
                    replace(each, parameters=(pair if each.key == "b" else own) | dict(each.parameters))
                    for each in readings
                ),
            )
        )
