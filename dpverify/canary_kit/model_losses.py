"""The loss of a trained model on each record: what membership shows in without looking inside a training.

Models: a torch module (or any function) of features that gives scores, an object with ``predict_proba``,
``decision_function`` or ``predict``, a weight vector, or ``(weights, intercept)``. Scores are one a record, above 0 for
the larger of two labels, or one a class. The loss is the cross-entropy; of labels alone, whether they are wrong.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from dpverify.adapters.foreign_call import foreign_call
from dpverify.canary_kit.planted import Planted
from dpverify.canary_kit.records import Array, Records
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.frontier.trained import as_numbers
from dpverify.frontier.trainer import SEEDS, is_estimator, parameters_of

BATCH = 4096
FORMS = (
    "a torch module or a function of features, an object with predict_proba, decision_function or predict, a weight "
    "vector, or (weights, intercept)"
)


GIVEN = ("rng", "canaries", *SEEDS)
HIDDEN = ("coins", "included", "members")
TRAINERS = "train(data) or train(features, labels), with rng, seed or canaries as further parameters, or an estimator"


def losses(model: Any, records: Records, classes: Array, *, name: str) -> Float:
    """Loss of the model on each record, shape (n,).

    InputError for what is no model, raises, or gives other numbers than one, or one a class, for each record.
    """
    if model is None:
        raise InputError(f"{name} returned nothing", allowed=FORMS)
    places = np.searchsorted(classes, records.labels)
    for word in ("predict_proba", "decision_function", "predict"):
        call = getattr(model, word, None)
        if callable(call):
            raw = as_numbers(_called(call, records.features, name), name, word)
            raw = _checked(raw, records, name, word)
            if word == "predict_proba":
                with np.errstate(divide="ignore", invalid="ignore"):  # -inf and NaN are scores, too
                    raw = np.log(raw) if raw.ndim == 2 else np.log(raw) - np.log1p(-raw)
            return _loss(raw, places, classes, name, labels=word == "predict")
    if callable(model) and not isinstance(model, type) and not hasattr(model, "__array__"):
        raw = as_numbers(_called(_function(model), records.features, name), name, "the model")
        return _loss(_checked(raw, records, name, "the model"), places, classes, name)
    return _loss(_linear(model, records, name), places, classes, name)


def _function(model: Any) -> Callable[[Array], Any]:
    """A torch module asked in evaluation mode, without gradients, in batches."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        found: Callable[[Array], Any] = model
        return found
    kind = next((each.dtype for each in model.parameters()), torch.float32)

    def asked(features: Array) -> Any:
        training = model.training
        model.eval()
        try:
            with torch.no_grad():
                parts = [
                    model(torch.as_tensor(features[at : at + BATCH]).to(kind)) for at in range(0, len(features), BATCH)
                ]
                return torch.cat(parts)
        finally:
            model.train(training)

    return asked


def _called(call: Callable[..., Any], features: Array, name: str) -> Any:
    with foreign_call(f"the model of {name}", allowed=f"a model of features of shape {features.shape}"):
        return call(features.copy())


def _checked(raw: Float, records: Records, name: str, source: str) -> Float:
    if not raw.ndim or raw.shape[0] != records.rows or raw.ndim > 2:
        raise InputError(
            f"{source} of {name} gave an array of shape {raw.shape} for {records.rows} records",
            allowed="one number, or one a class, for each record",
        )
    return raw[:, 0] if raw.ndim == 2 and raw.shape[1] == 1 else raw


def _linear(model: Any, records: Records, name: str) -> Float:
    intercept: Any = 0.0
    if isinstance(model, tuple) and len(model) == 2:
        model, intercept = model
    weights = as_numbers(model, name, "the result")
    flat = records.features.reshape(records.rows, -1)
    if weights.ndim not in (1, 2) or weights.shape[-1] != flat.shape[1]:
        raise InputError(
            f"{name} returned an array of shape {weights.shape} for records of {flat.shape[1]} columns", allowed=FORMS
        )
    raw = flat @ weights.T + as_numbers(intercept, name, "the intercept")
    return _checked(np.asarray(raw, dtype=np.float64), records, name, "the weights")


def _loss(raw: Float, places: Array, classes: Array, name: str, *, labels: bool = False) -> Float:
    if raw.ndim == 2:
        return np.asarray(special.logsumexp(raw, axis=1) - _of_class(raw, places, classes, name))
    if labels:
        return np.asarray((raw != classes[places]).astype(np.float64))
    if classes.size != 2:
        raise InputError(f"{name}: one score a record for {classes.size} classes", allowed="one score a class")
    return np.asarray(np.logaddexp(0.0, -np.where(places == 1, raw, -raw)))


def _of_class(raw: Float, places: Array, classes: Array, name: str) -> Float:
    """The number of each record's own class."""
    if raw.shape[1] != classes.size:
        raise InputError(f"{name}: {raw.shape[1]} scores a record for {classes.size} classes", allowed="one a class")
    return np.asarray(raw[np.arange(len(raw)), places])


class TrainerCall:
    """A trainer as a function of data and generator; InputError for parameters that cannot be given."""

    def __init__(self, trainer: Any, name: str, planted: Planted | None) -> None:
        self._trainer, self._planted = trainer, planted
        self._fits = is_estimator(trainer)
        if self._fits:
            return
        self._parameters, self._apart = parameters_of(trainer, name, (*GIVEN, *HIDDEN), forms=TRAINERS)
        seen = [each for each in self._parameters if each in HIDDEN]
        if seen:
            raise InputError(
                f"{name} has a parameter {seen[0]}: the coins are kept from the training", allowed=TRAINERS
            )

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
