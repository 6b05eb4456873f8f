"""A trainer of one's own, a function or an estimator, called with data and a generator."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from dpverify.canary_kit.planted import Planted
from dpverify.canary_kit.records import Array
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import InputError
from dpverify.frontier.trainer import SEEDS, is_estimator, parameters_of

NAMED = ("rng", "canaries", *SEEDS)
HIDDEN = ("coins", "included", "members")
FORMS = "train(data) or train(features, labels), with rng, seed or canaries as further parameters, or an estimator"


class TrainerCall:
    """A trainer as a function of data and generator; InputError for parameters that cannot be given."""

    def __init__(self, trainer: Any, name: str, planted: Planted | None) -> None:
        self._trainer, self._planted = trainer, planted
        self._fits = is_estimator(trainer)
        if self._fits:
            return
        self._parameters, self._apart = parameters_of(trainer, name, (*NAMED, *HIDDEN), forms=FORMS)
        seen = [each for each in self._parameters if each in HIDDEN]
        if seen:
            raise InputError(f"{name} has a parameter {seen[0]}: the coins are kept from the training", allowed=FORMS)

    def __call__(self, data: tuple[Array, Array], rng: np.random.Generator) -> Any:
        """Return the trainer's model, or the fitted copy of an estimator."""
        if self._fits:
            return self._fitted(data, rng)
        words: dict[str, Any] = {"rng": rng, "canaries": self._planted}
        words |= {each: int(rng.integers(2**31 - 1)) for each in SEEDS}
        given = {each: words[each] for each in self._parameters}
        return self._trainer(*(data if self._apart else (data,)), **given)

    def _fitted(self, data: tuple[Array, Array], rng: np.random.Generator) -> Any:
        model = self._trainer() if isinstance(self._trainer, type) else copy.deepcopy(self._trainer)
        if hasattr(model, "get_params") and "random_state" in model.get_params():
            model.set_params(random_state=int(rng.integers(2**31 - 1)))
        model.fit(*data)
        return model


def called(trainer: Any) -> str:
    """A message calls the trainer by its name."""
    if trainer is None:
        return "the training"
    return callable_name(trainer)
