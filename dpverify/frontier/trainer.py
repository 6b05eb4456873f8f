"""A user's trainer, called at an epsilon: a function, or an estimator with ``fit`` and ``predict``.

A function is called by its parameters' names: ``epsilon``, and where it has them ``delta``, and ``rng`` (or
``random_state`` or ``seed``, an integer); what is left is the table, or features and labels. An estimator (class or
instance) has a setting ``epsilon``, and perhaps ``delta`` and ``random_state``; a fresh copy is fitted each time.

Global generators (``random``, NumPy's, torch's where it is loaded) are seeded before each call, so that a trainer that
draws from them repeats itself, too.
"""

from __future__ import annotations

import copy
import inspect
import random
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from dpverify.adapters.foreign_call import foreign_call
from dpverify.adapters.named_callable import load_callable
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.frontier.trained import Trained, read_trained

SEEDS = ("random_state", "seed")
NAMED = ("epsilon", "delta", "rng", *SEEDS)
FORMS = "train(table, epsilon, delta, rng), or an estimator with fit, predict and a setting epsilon"


class Trainer:
    """The trainer that is measured and audited.

    Parameters
    ----------
    subject : object
        The function, or the estimator's class or instance.
    name : str
        For messages and reports.
    classes : int
        Of the labels.
    limit : TimeLimit or None
        Of each call; entered by the caller.

    Raises
    ------
    InputError
        For a subject of another form.
    """

    def __init__(self, subject: Any, *, name: str, classes: int, limit: TimeLimit | None = None) -> None:
        self.subject, self.name, self.classes = subject, name, classes
        self._limit = limit or TimeLimit()
        self._warned: set[tuple[type[Warning], str]] = set()
        self._train: Callable[[Table, Mapping[str, Any]], Any]
        if is_estimator(subject):
            self._settings = _settings_of(subject, name)
            self._train = self._fitted
        else:
            known, self._apart = parameters_of(subject, name, NAMED, forms=FORMS)
            self._settings = {each: each for each in NAMED if each in known}
            self._train = self._called
            if "epsilon" not in known:
                raise InputError(
                    f"{name} has no parameter epsilon: it cannot be asked for a price",
                    allowed=FORMS,
                    remedy="give it the parameter epsilon",
                )

    def train(self, table: Table, *, epsilon: float, delta: float, rng: np.random.Generator) -> Trained:
        """One training at (epsilon, delta); deterministic where the trainer draws from what it is given.

        InputError when it raises, runs longer than its limit, or returns no model.
        """
        seed_global_generators(rng)
        words: dict[str, Any] = {"epsilon": epsilon, "delta": delta, "rng": rng}
        words |= {name: int(rng.integers(2**31 - 1)) for name in SEEDS if name in self._settings}
        given = {self._settings[word]: value for word, value in words.items() if word in self._settings}
        allowed = "a trainer that returns on every table of such records"

        def where() -> str:
            return f" on {table.rows} records at epsilon {epsilon:g}"

        with foreign_call(self.name, self._limit, allowed=allowed, where=where), self._warning_once():
            returned = self._train(table, given)
        return read_trained(returned, table, name=self.name, classes=self.classes)

    @contextmanager
    def _warning_once(self) -> Iterator[None]:
        """Show each warning of a trainer once: it may warn thousands of times."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            yield
        for each in caught:
            key = each.category, str(each.message)
            if key not in self._warned:
                self._warned.add(key)
                warnings.showwarning(each.message, each.category, each.filename, each.lineno)

    def limited(self, limit: TimeLimit) -> None:
        """Limit each call from now on."""
        self._limit = limit

    def _called(self, table: Table, words: Mapping[str, Any]) -> Any:
        data = (table.features.copy(), table.labels.copy()) if self._apart else (table,)
        return self.subject(*data, **words)

    def _fitted(self, table: Table, words: Mapping[str, Any]) -> Any:
        if isinstance(self.subject, type):
            model = self.subject(**words)
        else:
            model = copy.deepcopy(self.subject)
            if hasattr(model, "set_params"):
                model.set_params(**words)
            else:
                for word, value in words.items():
                    setattr(model, word, value)
        fitted = model.fit(table.features.copy(), table.labels.copy())
        return model if fitted is None else fitted


def load_trainer(text: str) -> Any:
    """Import ``package.module:name``: a callable, or an estimator's instance; errors as for `load_callable`."""
    try:
        return load_callable(text)
    except InputError:
        if not is_estimator(found := imported(text)):
            raise
        return found


def imported(text: str) -> Any:
    """Return what an imported module has under ``package.module:name``, whatever it is; None where it has nothing."""
    module, _, path = text.partition(":")
    found: Any = sys.modules.get(module)
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def is_estimator(subject: Any) -> bool:
    """Tell whether it has ``fit`` and ``predict``."""
    return hasattr(subject, "fit") and hasattr(subject, "predict")


def seed_global_generators(rng: np.random.Generator) -> None:
    """Seed what old code draws from, by the stream of this training."""
    number = int(rng.integers(2**32))
    random.seed(number)
    np.random.seed(number)  # noqa: NPY002 - it is the global generator that is meant
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(number)


@contextmanager
def global_generators_kept() -> Iterator[None]:
    """Set back at the end what was seeded: noise that is drawn after a check must not come from a known seed."""
    before, numbers = random.getstate(), np.random.get_state()  # noqa: NPY002 - the global generator is meant
    torch = sys.modules.get("torch")
    with ExitStack() as stack:
        if torch is not None:
            stack.enter_context(torch.random.fork_rng(range(torch.cuda.device_count() * torch.cuda.is_initialized())))
        try:
            yield
        finally:
            random.setstate(before)
            np.random.set_state(numbers)  # noqa: NPY002 - as above
            if torch is None and "torch" in sys.modules:  # loaded meanwhile, and seeded
                sys.modules["torch"].seed()


def parameters_of(function: Any, name: str, known: Collection[str], *, forms: str) -> tuple[list[str], bool]:
    """Return the known parameters that a training function has, and whether it takes features and labels apart.

    InputError for what is no function of data and of these.
    """
    if not callable(function):
        raise InputError(f"{name} is a {type(function).__name__}", allowed=forms)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        raise InputError(f"{name} has no signature that can be read", allowed=forms) from None
    if inspect.iscoroutinefunction(function):
        raise InputError(f"{name} is an async function", allowed=forms)
    given = [item.name for item in parameters if item.name in known]
    needed = [item for item in parameters if item.name not in known and item.default is item.empty]
    data = [item.name for item in needed if item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD)]
    further = [item.name for item in needed if item.kind is item.KEYWORD_ONLY] + data[2:]
    if further or not data:
        what = f"{name} needs {', '.join(further)}" if further else f"{name} takes no data"
        raise InputError(what, allowed=forms, remedy=f"bind the rest: functools.partial({name}, ...)")
    return given, len(data) == 2


def _settings_of(estimator: Any, name: str) -> dict[str, str]:
    """The estimator's own names of epsilon, delta and random_state: of a pipeline ``step__epsilon``."""
    if isinstance(estimator, type):
        known = list(inspect.signature(estimator).parameters)
    elif hasattr(estimator, "get_params"):
        known = list(estimator.get_params())
    else:
        known = [*getattr(estimator, "__dict__", {})]
    found = {}
    for word in NAMED:
        names = [each for each in known if each == word or each.endswith(f"__{word}")]
        if names:
            found[word] = min(names, key=len)
    if "epsilon" not in found:
        raise InputError(
            f"{name} has no setting epsilon: it cannot be asked for a price",
            allowed=FORMS,
            remedy="wrap it: def train(table, epsilon, delta, rng)",
        )
    return found
