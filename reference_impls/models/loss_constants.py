"""Smoothness, strong convexity and Lipschitz constants of the convex models, for rows in a ball.

They are of one record's loss plus ``(l2 / 2) |w|^2``, as RSGD's conditions 2 to 4 (section 3.3; DISS, section 3.4.1)
ask for them, over all records with ``|x| <= norm``, all labels, and all weights with ``|w| <= radius``:

    L   |grad f(w) - grad f(v)| <= L |w - v|
    mu  <grad f(w) - grad f(v), w - v> >= mu |w - v|^2
    R   |grad f(w)| <= R

Every bound is on the safe side: L and R are never too small, mu never too large. Each is the best possible, attained by
some records or in the limit (the tests have the records), except R of softmax with three or more classes in a ball.

Conditions 3 and 4 do not hold together without a bound on the weights: with l2 > 0 and radius = inf, R = inf. The
difference of two records' gradients at one w does not contain l2 w, so ``2 R`` with l2 = 0 bounds it, whatever the
radius (except for squared loss).

Not to be confused with constants of a batch's mean, which may be better, nor of the sum, which are n times as large.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpverify.core.errors import InputError
from reference_impls.models.linear import LinearModel
from reference_impls.models.model import Model
from reference_impls.models.softmax import SoftmaxModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """Constants of one record's regularised loss.

    Attributes
    ----------
    smoothness : float
        L; inf for a loss with a kink.
    strong_convexity : float
        mu; 0 for none.
    lipschitz : float
        R; inf where gradients are unbounded.
    """

    smoothness: float
    strong_convexity: float
    lipschitz: float


def constants(
    model: Model, *, norm: float = 1.0, l2: float = 0.0, radius: float = math.inf, label: float = 1.0
) -> Constants:
    """The constants of a model.

    Parameters
    ----------
    model : Model
        A linear or softmax one.
    norm : float
        Bound on the rows' L2 norms, > 0, finite.
    l2 : float
        Coefficient of half the squared norm of the weights, >= 0.
    radius : float
        Bound on the weights' L2 norm, >= 0; inf for none.
    label : float
        Bound on the labels' size, for squared loss.

    Raises
    ------
    InputError
        For another model (a network has no such constants) or a number outside its range.
    """
    if not (0.0 < norm < math.inf and 0.0 <= l2 < math.inf and radius >= 0.0 and 0.0 <= label < math.inf):
        raise InputError(
            f"norm = {norm}, l2 = {l2}, radius = {radius}, label = {label}",
            allowed="norm > 0, the others >= 0, all but the radius finite",
        )
    if isinstance(model, LinearModel):
        curvature, slope = _linear(model, norm * radius, label)
    elif isinstance(model, SoftmaxModel):
        curvature, slope = 0.5, math.sqrt(2.0) * _missed(model.classes, norm * radius)
    else:
        raise InputError(f"constants of {model.name!r}", allowed="a linear or a softmax model")
    return Constants(
        smoothness=curvature * norm * norm + l2,
        strong_convexity=l2,  # a record with x = 0 attains it, and so does any direction orthogonal to x
        lipschitz=slope * norm + (l2 * radius if l2 else 0.0),
    )


def bounded_constants(model: Model, *, norm: float) -> Constants:
    """The constants of an unregularised loss that is smooth and has bounded gradients.

    Raises
    ------
    InputError
        For a loss with a kink or with unbounded gradients, besides what :func:`constants` raises.
    """
    found = constants(model, norm=norm)
    if not (math.isfinite(found.smoothness) and math.isfinite(found.lipschitz)):
        raise InputError(f"model {model.name!r}", allowed="a smooth loss with bounded gradients")
    return found


def _linear(model: LinearModel, score: float, label: float) -> tuple[float, float]:
    """The largest second derivative by the score, and the largest slope at scores of at most this size."""
    match model.loss:
        case "logistic":
            return 0.25, 1.0 / (1.0 + math.exp(-score))
        case "huber-svm":
            return 0.5 / model.h_bar, min(1.0, (1.0 + score + model.h_bar) / (2.0 * model.h_bar))
        case "hinge":
            return math.inf, 1.0
        case _:
            return 1.0, score + label


def _missed(classes: int, score: float) -> float:
    """A bound on 1 - p_y where the vector of scores has at most this norm, so two scores differ by at most sqrt(2)
    times it."""
    return 1.0 / (1.0 + math.exp(-math.sqrt(2.0) * score) / (classes - 1))
