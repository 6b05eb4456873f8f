"""Gradient canaries: planted among a training's per-record gradients, and looked for in its noisy sums.

A canary's gradient lies along one coordinate of the flattened parameters, its own. It is planted before clipping, far
longer than the clipping norm: correct clipping shortens it to that norm, missing clipping leaves it long.
The score is the dot product of the noisy sums with the canary's direction, added up over the steps; or, where the rate
and the noise multiplier of the claim are given, the log-likelihood ratio of a sampled Gaussian, which is the best score
where nothing else is on that coordinate. Coordinates on which other records have no gradient (weights of features that
are always 0) show most.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.errors import InputError
from dpverify.core.rules import POSITIVE, SHARE
from dpverify.core.subjects import Float
from dpverify.frontier.trained import as_numbers

Integer = NDArray[np.int64]

NORM = 1e3
"""Length of a planted gradient before it is clipped."""


class Planted:
    """Gradient canaries of one training, which gets `plant` and `observe`.

    Parameters
    ----------
    numbers : int64, shape (n,)
        For each record of the training's data, the number of its canary, or -1.
    count : int
        Canaries.
    coordinates : array_like of int or None
        Shape (count,), all different: of the flattened parameters. None: evenly over all of them.
    norm : float or None
        Length before clipping; None for `NORM`.
    likelihood : (float, float) or None
        Sampling rate and noise multiplier of the claim; then `observe` wants sums in clipping norms.
    """

    def __init__(
        self,
        numbers: Integer,
        count: int,
        *,
        coordinates: ArrayLike | None = None,
        norm: float | None = None,
        likelihood: tuple[float, float] | None = None,
    ) -> None:
        self._numbers, self._count = numbers, count
        self._norm = NORM if norm is None else norm
        self._given = None if coordinates is None else np.asarray(coordinates)
        self._places: Integer | None = None
        self._scores = np.zeros(count)
        self.steps = 0
        self._likelihood = None
        if likelihood is not None:
            rate, sigma = likelihood
            self._likelihood = SHARE.number("likelihood: rate", rate), POSITIVE.number("likelihood: sigma", sigma)

    def plant(self, gradients: Any, rows: Any) -> Any:
        """Put the canaries' gradients in the place of those of their records, and return the gradients.

        Parameters
        ----------
        gradients : array (b, d), or torch module
            Per-record gradients before clipping; of a module, those that its parameters have as ``grad_sample``.
        rows : array_like of int, shape (b,)
            The numbers of the batch's records in the training's data.

        Raises
        ------
        InputError
            For another number of rows, unknown ones, and modules without ``grad_sample``.
        """
        records = _whole(rows)
        if records.size and not 0 <= records.min() <= records.max() < self._numbers.size:
            raise InputError(
                f"rows from {records.min()} to {records.max()}",
                allowed=f"0 to {self._numbers.size - 1}, of the study's data",
            )
        numbers = self._numbers[records]
        here = np.flatnonzero(numbers >= 0)
        if _is_module(gradients):
            samples = list(_samples(gradients))
            self._settle(sum(each[0].numel() if len(each) else 0 for each in samples) or _width(gradients))
            for each in samples:
                _as_many(each.shape[0], records.size)
            _plant_torch(samples, here, self._of(numbers[here]), self._norm)
            return gradients
        if getattr(gradients, "ndim", 0) != 2:
            raise InputError(f"gradients of type {type(gradients).__name__}", allowed="an array (batch, parameters)")
        _as_many(len(gradients), records.size)
        self._settle(gradients.shape[1])
        if here.size:
            gradients[here.tolist()] = 0.0
            gradients[here.tolist(), self._of(numbers[here]).tolist()] = self._norm
        return gradients

    def observe(self, update: Any, *, scale: float = 1.0) -> None:
        """Look at one noisy sum: an array (d,), or the gradients ``grad`` that a torch module's parameters have.

        `scale` times it is in clipping norms, which only `likelihood` needs (the batch size that a mean was divided by,
        over the clip).
        """
        if _is_module(update):
            parts = [each.grad for each in update.parameters() if each.requires_grad]
            if any(each is None for each in parts):
                raise InputError("a module without gradients", allowed="observe after the step, before zero_grad")
            flat = np.concatenate([each.detach().cpu().numpy().ravel() for each in parts]).astype(np.float64)
        else:
            flat = as_numbers(update, "the training", "an update").ravel()
        self._settle(flat.size)
        if not np.isfinite(flat).all():
            raise InputError("an update with numbers that are not finite", allowed="finite numbers")
        seen = scale * flat[self._of(np.arange(self._count))]
        if self._likelihood is not None:
            rate, sigma = self._likelihood
            inside = np.log(rate) + (2.0 * seen - 1.0) / (2.0 * sigma**2)
            seen = np.logaddexp(np.log1p(-rate), inside) if rate < 1.0 else inside
        self._scores += seen
        self.steps += 1

    @property
    def scores(self) -> Float:
        """Return the scores so far, shape (count,)."""
        return self._scores.copy()

    def _of(self, numbers: Integer) -> Integer:
        assert self._places is not None
        return self._places[numbers]

    def _settle(self, width: int) -> None:
        """The coordinates, once the number of parameters is known."""
        if self._places is not None:
            return
        if self._given is None:
            if width < self._count:
                raise InputError(
                    f"{self._count} gradient canaries and {width} parameters", allowed="as many parameters"
                )
            self._places = np.linspace(0, width - 1, self._count).astype(np.int64)
            return
        given = _whole(self._given)
        if given.size != self._count or np.unique(given).size != given.size or given.min() < 0 or given.max() >= width:
            raise InputError(
                f"{given.size} coordinates for {self._count} canaries and {width} parameters",
                allowed="one for each canary, all different, below the number of parameters",
            )
        self._places = given


def _whole(values: Any) -> Integer:
    found = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    if found.ndim != 1 or (found.size and found.dtype.kind not in "iu"):
        raise InputError(f"numbers of type {found.dtype} and shape {found.shape}", allowed="a list of whole numbers")
    return found.astype(np.int64)


def _as_many(gradients: int, rows: int) -> None:
    if gradients != rows:
        raise InputError(f"gradients of {gradients} records and {rows} rows", allowed="as many of each")


def _is_module(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.nn.Module)


def _width(module: Any) -> int:
    return sum(each.numel() for each in module.parameters() if each.requires_grad)


def _samples(module: Any) -> Iterator[Any]:
    for each in module.parameters():
        if each.requires_grad:
            found = getattr(each, "grad_sample", None)
            if found is None or not hasattr(found, "shape"):
                raise InputError(
                    "a module whose parameters have no per-record gradients (grad_sample)",
                    allowed="one that Opacus made private, after backward and before the step",
                )
            yield found


def _plant_torch(samples: list[Any], here: Integer, places: Integer, norm: float) -> None:
    begun = 0
    for each in samples:
        size = each[0].numel() if len(each) else 0
        if here.size:
            each[here.tolist()] = 0.0
            own = (places >= begun) & (places < begun + size)
            flat = each.view(len(each), -1)
            flat[here[own].tolist(), (places[own] - begun).tolist()] = norm
        begun += size
