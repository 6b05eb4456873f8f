"""Members of the two families whose limits BL-AMP-SHARED takes, and the other direction of its divergence.

:mod:`~reference_impls.papers.blsgd.lemmas.shared_sample` looks at limits: a loss that changes at once beside w. Here
the same iteration on the same pair for a loss of finite steepness K, at the paper's own C_grad = 3, C_obj = 1, alpha =
1/2 and beta = 0.8, with eta0 = K^(-1/2); the record is (K, 1), weights and gradients are numbers:

- ``hinge``: w = 0, the paper's SVM. The loss is 1 at w, and max(0, 1 + K eta u) clipped to 1 after a step.
- ``rise``: the absolute error |K (w' - w) + 1 / K|, clipped to 1: convex, 1 / K at w with slope K there.

Both gradients are clipped to C_grad. Divergences are lower semicontinuous: where the limit exceeds what is subtracted,
so does every member that is steep enough. One search; Gauss quadrature over the released gradient, wherein nothing
cancels: errors of 1e-9 were seen against the mass 1.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from dpverify.core.errors import InputError
from dpverify.laws.stopping import StoppingLaw
from reference_impls.papers.blsgd.lemmas.shared_sample import SharedSample

Float = NDArray[np.float64]
C_GRAD, ALPHA, BETA = 3.0, 0.5, 0.8
"""Section V-D of BLSGD; C_obj = 1 is the unit of losses."""
_EDGES = np.array([0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 6.0, 12.0])
_NODES, _WIDTH = 10, 3.0


def gauss_points(reach: float = 0.0) -> tuple[Float, Float]:
    """Points over [-12 - reach, 12 + reach], closer near 0 where a steep loss turns, and logs of weights times phi."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    beyond = np.concatenate([_EDGES, np.arange(_EDGES[-1] + _WIDTH, _EDGES[-1] + reach + _WIDTH, _WIDTH)])
    edges = np.concatenate([-beyond[:0:-1], beyond])
    middle, half = (edges[1:] + edges[:-1]) / 2.0, (edges[1:] - edges[:-1]) / 2.0
    points = (middle[:, None] + half[:, None] * nodes).ravel()
    logs = np.log((half[:, None] * weights).ravel()) - points**2 / 2.0 - math.log(2.0 * math.pi) / 2.0
    return np.asarray(points), np.asarray(logs)


def levels(loss: str, steepness: float, gradient: float, size: int) -> tuple[Float, Float]:
    """The search's queries without and with the record, along this released gradient; shape (size,) each."""
    steps = BETA ** np.arange(size) / math.sqrt(steepness)
    public = -ALPHA * steps * gradient**2
    if loss == "hinge":
        moves = 1.0 - np.clip(1.0 + steepness * steps * gradient, 0.0, 1.0)
        return np.asarray(public), np.asarray(public + moves)
    start = 1.0 / steepness
    moves = start - np.minimum(1.0, np.abs(start - steepness * steps * gradient))
    return np.asarray(public), np.asarray(public + moves)


def steep_divergence(subject: SharedSample, steepness: float) -> float:
    """What `subject.truth` is the limit of, at this K > C_GRAD.

    Raises
    ------
    InputError
        For several searches, the loss ``fall``, samples of their own, or a K whose gradient is not clipped.
    """
    one = round(subject.retries) == 1 and subject.sample == "shared" and subject.loss != "fall"
    if not one or not steepness > C_GRAD:
        raise InputError(
            f"steep_divergence of {subject}, K = {steepness}", allowed="one search of hinge or rise, K > 3"
        )
    apart, sign = math.sqrt(2.0 * subject.rho_grad), -1.0 if subject.loss == "hinge" else 1.0
    scales = subject.laws()[0]
    points, logs = gauss_points(apart * subject.whole)
    powers = np.arange(subject.whole + 1.0)
    moments = np.empty((points.size, powers.size))
    for row, at in enumerate(points.tolist()):
        both = levels(subject.loss, steepness, at * C_GRAD / apart, subject.max_it)
        without, present = (
            StoppingLaw(
                noise=subject.noise,
                threshold_scale=scales.threshold_scale,
                query_scale=scales.query_scale,
                levels=each,
            ).log_probabilities()
            for each in both
        )
        told = present - without + sign * apart * at - apart**2 / 2.0
        moments[row] = logsumexp(without[:, None] + told[:, None] * powers, axis=0)
    own = logsumexp(logs[:, None] + moments, axis=0)
    return float(logsumexp(_binomial(subject) + own)) / (subject.whole - 1)


def turned_divergence(subject: SharedSample) -> float:
    """The other direction at the limit ``rise`` or ``fall``, one search: of the law on D' from the mixture.

    Raises
    ------
    InputError
        For the loss ``hinge``.
    """
    if subject.loss == "hinge":
        raise InputError("turned_divergence of the loss hinge", allowed="rise, fall")
    without, present = (law.log_probabilities() for law in subject.laws())
    apart = math.sqrt(2.0 * subject.rho_grad)
    points, logs = gauss_points()
    ratio = (apart * points - apart**2 / 2.0)[:, None] + present - without
    mixed = np.logaddexp(math.log1p(-subject.q), math.log(subject.q) + ratio)
    power = subject.whole - 1
    return float(logsumexp(logs[:, None] + without - power * mixed)) / power


def _binomial(subject: SharedSample) -> Float:
    """Logs of the chances of l hits in alpha draws."""
    order = subject.whole
    powers = np.arange(order + 1.0)
    chances = gammaln(order + 1) - gammaln(powers + 1) - gammaln(order - powers + 1)
    return np.asarray(chances + powers * math.log(subject.q) + (order - powers) * math.log1p(-subject.q))
