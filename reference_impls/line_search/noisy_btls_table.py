"""NoisyBTLS on real records: logistic regression or a Huberised SVM, objective clipped at C_obj, on a labelled table.

The margins y w.x and y g.x are computed once (two matrix-vector products); each candidate step then needs only losses,
at ``y w.x - eta y g.x``, which is ``y (w - eta g).x`` up to rounding.

Limits: no regularisation term; w and g come from a named data set (see
:mod:`reference_impls.line_search.descent_ray`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset
from dpverify.datasets.dataset import load_table
from dpverify.datasets.table import Table
from reference_impls.line_search.descent_ray import Ray, descent
from reference_impls.line_search.noisy_btls import NoisyBtls, candidate_steps
from reference_impls.models.margin import LinearModelText, clipped_objective, margin_model, margins
from reference_impls.training.clipping import Clip

Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyBtlsTable(NoisyBtls):
    """Subject ``noisy-btls``. Data set: a :class:`~dpverify.datasets.table.Table` with d columns.

    Attributes
    ----------
    ray : Ray
        w and g, public, shapes (d,).
    loss : str
        A linear model: ``logistic``, ``huber-svm``, ``hinge``, ``huber-svm:0.1``.
    clip : float
        C_obj: losses enter as min(f, clip). The paper takes 1 = Delta_q for linear models.
    """

    ray: Ray
    loss: LinearModelText = "logistic"
    clip: Clip = 1.0

    def query(self, dataset: Dataset) -> Float:
        """q_1 .. q_max_it, shape (max_it,); compensated sums, error about two units in the last place of f(w; D).

        Raises
        ------
        InputError
            When the data set is not a table, or has another number of columns than w.
        """
        if not isinstance(dataset, Table) or dataset.columns != self.ray.weights.size:
            raise InputError(
                f"data set {dataset if isinstance(dataset, Table) else type(dataset).__name__}",
                allowed=f"a Table with {self.ray.weights.size} columns",
                remedy="build the mechanism with data= set to the name of the data set it runs on",
            )
        norm = float(self.ray.direction @ self.ray.direction)
        decrease = _decrease(dataset, self.ray, self.loss, self.clip, self.eta0, self.beta, self.max_it)
        return np.asarray(decrease - self.alpha * self.step_sizes * norm, dtype=np.float64)


@lru_cache(maxsize=4)
def _decrease(table: Table, ray: Ray, loss: str, clip: float, eta0: float, beta: float, max_it: int) -> Float:
    """f(w; D) - f(w - eta_i g; D), shape (max_it,); cached, because an audit needs one pair's queries many times."""
    model = margin_model(loss)
    at, along = margins(table, ray.weights), margins(table, ray.direction)
    start, start_lost = clipped_objective(model, at, clip)
    out = np.empty(max_it)
    for i, step in enumerate(candidate_steps(eta0=eta0, beta=beta, max_it=max_it)):
        total, lost = clipped_objective(model, at - step * along, clip)
        out[i] = (start - total) + (start_lost - lost)
    out.flags.writeable = False
    return out


def noisy_btls(
    *,
    data: str = "auto",
    loss: str = "logistic",
    clip: float = 1.0,
    iterate: float = 5,
    gradient_scale: float = 1.0,
    **settings: object,
) -> NoisyBtlsTable:
    """The mechanism with a public w and g made from plain numbers.

    Parameters
    ----------
    data : str
        Registered data set that w and g are made from, and whose columns the records have.
    loss, clip
        As in :class:`NoisyBtlsTable`.
    iterate : float
        w is this iterate of gradient descent on `data`, rounded to a whole number >= 0 (a search may vary it).
    gradient_scale : float
        g is the mean clipped gradient at w times this; negative to search uphill.
    **settings
        As in :class:`~reference_impls.line_search.noisy_btls.NoisyBtls`: noise, budget, sensitivity, alpha, beta, eta0
        ...
    """
    if not iterate >= 0:
        raise InputError(f"iterate = {iterate}", allowed="a number >= 0")
    ray = _scaled(descent(load_table(data), loss, round(iterate)), gradient_scale)
    return NoisyBtlsTable(ray=ray, loss=loss, clip=clip, **settings)  # type: ignore[arg-type]  # checked there


@lru_cache(maxsize=32)
def _scaled(ray: Ray, factor: float) -> Ray:
    if factor == 1.0:
        return ray
    direction = factor * ray.direction
    direction.flags.writeable = False
    return Ray(weights=ray.weights, direction=direction)


def register(registry: Registry) -> None:
    """Register the subject."""
    registry.mechanisms.add("noisy-btls", noisy_btls)
