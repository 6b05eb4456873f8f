"""The ledger's claims about gradients of DISS chapter 6: BR-GRAD, BR-LISTNET, BR-LISTMLE, and the remarks.

The text names no activation; ReLU is the one under which its formula is right.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from dpverify.core.claim import Claim, Reading, SearchSpace, Source
from dpverify.core.remark import Remark, Shown
from dpverify.definitions.upper_bound import UpperBound
from reference_impls.papers.diss.lemmas.ranking.slopes_in_balls import ListwiseSlopes, MlpSlopes, PrefixSlopes

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

SCORES = {**dict.fromkeys(("first", "second", "third", "fourth"), (-10.0, 10.0)), "k": (1.0, 3.0)}
LABELS = dict.fromkeys(("y_1", "y_2", "y_3", "y_4"), (0.0, 4.0))
WEIGHTS = {"seed": (0.0, 1e6), "scale": (0.1, 4.0)}
SUBJECTS: dict[str, Any] = {
    "top-k-slopes": PrefixSlopes,
    "listwise-slopes": ListwiseSlopes,
    "mlp-slopes": MlpSlopes,
}


def _reading(key: str, text: str, subject: str, boxes: dict[str, tuple[float, float]], **parameters: Any) -> Reading:
    at = SUBJECTS[subject](**parameters)
    own = {name: getattr(at, name) for name in boxes} | parameters
    return Reading(key=key, text=text, subject=subject, parameters=own, space=SearchSpace(parameters=boxes))


def register(registry: Registry) -> None:
    """Register the subjects, the claims and the remarks."""
    for name, subject in SUBJECTS.items():
        registry.mechanisms.add(name, subject)

    def mlp(activation: str, *, printed: bool) -> Reading:
        where = "a1, as printed" if printed else "h1"
        return _reading(
            f"b-{activation}",
            f"df/dtheta of the MLP, {activation}, phi' at {where}",
            "mlp-slopes",
            WEIGHTS,
            activation=activation,
            printed_slope=printed,
        )

    def listwise(objective: str) -> tuple[Reading, ...]:
        return tuple(
            _reading(what, what, "listwise-slopes", SCORES | LABELS, objective=objective, what=what)
            for what in ("loss", "gradient")
        )

    rows: tuple[tuple[str, tuple[str, str], str, tuple[Reading, ...]], ...] = (
        (
            "BR-GRAD",
            ("DISS", "section 6.5.3"),
            "The printed gradient is the derivative, up to rounding.",
            (
                _reading("a", "dp_k/df of every prefix and document", "top-k-slopes", SCORES),
                *(mlp(activation, printed=True) for activation in ("relu", "tanh", "logistic")),
            ),
        ),
        (
            "BR-GRAD-R",
            ("dpverify", "repair of BR-GRAD"),
            "The gradient of the MLP with phi' at the pre-activation is the derivative, up to rounding.",
            tuple(mlp(activation, printed=False) for activation in ("relu", "tanh", "logistic")),
        ),
        (
            "BR-LISTNET",
            ("DISS", "section 6.4.2"),
            "ListNet's loss is the cross entropy of the two top-k laws, and its slopes are the derivatives.",
            listwise("listnet"),
        ),
        (
            "BR-LISTMLE",
            ("DISS", "(6.6)"),
            "ListMLE's loss is minus the log-likelihood of the order by labels, and its slopes are the derivatives.",
            listwise("listmle"),
        ),
    )
    for id, (paper, locus), statement, readings in rows:
        registry.add_claim(
            Claim(
                id=id,
                guarantee=UpperBound(quantity="difference"),
                relation="numbers",
                subject=readings[0].subject or "",
                source=Source(paper=paper, locus=locus),
                statement=statement,
                readings=readings,
            )
        )
    for activation in ("tanh", "logistic"):
        registry.remarks.add(f"BR-GRAD.b-{activation}", _remark(activation))


def _remark(activation: str) -> Remark:
    return Remark(
        claim=f"BR-GRAD.b-{activation}",
        breaks="The backward phase of section 6.5.3 takes phi' at a1 = phi(h1), where the chain rule takes it at h1. "
        "For ReLU both are 1 exactly where h1 > 0; for tanh and the logistic function they differ. (Were phi' meant as "
        "a function of the activation, 1 - a1^2 or a1 (1 - a1), the line would be right; it is not said.)",
        means="An MLP with such an activation that is trained by the printed formula follows a direction that is no "
        "gradient. The privacy account does not depend on it: sensitivities are measured with the same factors.",
        instead="Take phi'(h1) (BR-GRAD-R), or any automatic differentiation.",
        shown=partial(_shown, activation),
    )


def _shown(activation: str) -> Shown:
    printed, repaired, relu = (
        MlpSlopes(activation=name, printed_slope=at_a1)
        for name, at_a1 in ((activation, True), (activation, False), ("relu", True))
    )
    gaps = [each.truth().value for each in (printed, repaired, relu)]
    numbers = (
        (f"largest error of a slope, {activation}, as printed", gaps[0]),
        (f"largest error, {activation}, phi' at h1", gaps[1]),
        ("largest error, relu, as printed", gaps[2]),
    )
    return Shown(numbers=numbers, holds=gaps[0] > 1e-3 and max(gaps[1:]) < 1e-12)
