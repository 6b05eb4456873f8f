"""One process's bench: data, trainer and references, loaded once; each unit of work by its own named streams.

A unit is plain JSON, and so is what it gives, so that it may be done anywhere, kept in a file, and be the same.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.frontier.asked import FrontierSettings
from dpverify.frontier.attacks import FEW, OTHERS, Attack, CanaryPair, canary_pairs
from dpverify.frontier.labelled_data import labelled
from dpverify.frontier.references import Reference, without_privacy
from dpverify.frontier.trained import METRICS, Trained
from dpverify.frontier.trainer import Trainer, load_trainer
from dpverify.sampling.streams import stream
from dpverify.utility.split import split

Unit = list[Any]

SIDES = ("with", "without")
PAIRS = 2


class Bench:
    """Everything that one process needs.

    Parameters
    ----------
    asked : FrontierSettings
    limit : TimeLimit
        Of calls; entered by whoever does units here.

    Raises
    ------
    InputError
        For a trainer or data of another form, and for unknown references.
    """

    def __init__(self, asked: FrontierSettings, limit: TimeLimit) -> None:
        self.asked = asked
        self.table, self.classes, self.prepared = labelled(asked.data, label=asked.label)
        subject = load_trainer(asked.trainer) if isinstance(asked.trainer, str) else asked.trainer
        self.trainer = Trainer(subject, name=asked.name, classes=self.classes, limit=limit)
        self.metric = METRICS[asked.metric]
        if self.metric.scored and self.classes > 2:
            raise InputError(f"metric {asked.metric!r} with {self.classes} classes", allowed="accuracy")
        self.references = {
            name: Reference(name=name, classes=self.classes, delta=asked.delta, relation=asked.relation)
            for name in asked.against
        }
        self._pairs: dict[int, tuple[CanaryPair, ...]] = {}

    def do(self, unit: Unit) -> Any:
        """Do one unit: its kind, then its arguments."""
        kind, *words = unit
        kinds: dict[str, Callable[..., Any]] = {
            "worth": self.worth,
            "ceiling": self.ceiling,
            "pilot": self.pilot,
            "runs": self.runs,
        }
        return kinds[kind](*words)

    @property
    def training_rows(self) -> int:
        """Records of a training part."""
        return int(self._split(0)[0].rows)

    def pair(self, others: int, place: int) -> CanaryPair:
        """One of the pairs with so many other records."""
        if others not in self._pairs:
            self._pairs[others] = canary_pairs(
                self.table.columns, self.classes, relation=self.asked.relation, norm=self.asked.norm, others=others
            )
        return self._pairs[others][place]

    def pairs(self) -> list[tuple[int, int]]:
        """(others, place) of the pairs on which the trainer returns: of one size, and of small ones.

        Raises
        ------
        InputError
            What it raised on the first pair, where it returns on none.
        """
        problem: InputError | None = None
        found: list[tuple[int, int]] = []
        for others in (*(FEW if self.asked.few else ()), *OTHERS):
            if others in OTHERS and any(each in OTHERS for each, _ in found):
                break
            for place in range(PAIRS):
                try:
                    for epsilon in (self.asked.epsilons[0], self.asked.epsilons[-1]):
                        for side in SIDES:
                            self.output(epsilon, others, place, side, rng=self.named("tried", epsilon, side))
                except InputError as raised:
                    problem = problem or raised
                else:
                    found.append((others, place))
        if not found:
            assert problem is not None
            raise problem
        return found

    def worth(self, arm: str, epsilon: float, repetition: int) -> dict[str, float]:
        """The metric on the test part of a repetition's split, and the seconds of the training."""
        train, test = self._split(repetition)
        rng = self.named("coins", arm, epsilon, repetition)
        begun = time.perf_counter()
        trained: Trained
        if arm in self.references:
            trained = self.references[arm].train(train, epsilon=epsilon, rng=rng)
        else:
            trained = self.trainer.train(train, epsilon=epsilon, delta=self.asked.delta, rng=rng)
        seconds = time.perf_counter() - begun
        return {"value": self.metric.measure(trained, test), "seconds": seconds}

    def ceiling(self, repetition: int) -> dict[str, float]:
        """The metric without privacy, and of the label that most training records have."""
        train, test = self._split(repetition)
        labels, counts = np.unique(train.labels, return_counts=True)
        most = float(np.mean(test.labels == labels[counts.argmax()]))
        best = self.metric.measure(without_privacy(train, self.classes), test)
        return {"ceiling": best, "floor": {"accuracy": most, "auc": 0.5, "loss": float(np.log(2.0))}[self.metric.name]}

    def output(self, epsilon: float, others: int, place: int, side: str, *, rng: np.random.Generator) -> Float:
        """Return what an attack sees of one training on one side of a pair: the score on the canary, then all else."""
        pair = self.pair(others, place)
        table = pair.inside if side == SIDES[0] else pair.outside
        trained = self.trainer.train(table, epsilon=epsilon, delta=self.asked.delta, rng=rng)
        return np.concatenate([[trained.score_on(pair.probes)], trained.numbers(pair.probes)])

    def numbers_on_data(self, epsilon: float, pair: tuple[int, int], *, rng: np.random.Generator) -> Float:
        """The numbers of a model of the first training part; where a model has none of its own, on a pair's probes."""
        train, _ = self._split(0)
        trained = self.trainer.train(train, epsilon=epsilon, delta=self.asked.delta, rng=rng)
        return trained.numbers(self.pair(*pair).probes)

    def pilot(self, epsilon: float, others: int, place: int, side: str, first: int, count: int) -> list[list[float]]:
        """Whole outputs of pilot runs."""
        found: list[list[float]] = self._outputs("pilot", epsilon, others, place, side, first, count).tolist()
        return found

    def runs(
        self, epsilon: float, others: int, place: int, side: str, first: int, count: int, attack: Mapping[str, Any]
    ) -> list[float]:
        """The attack's scores of counted runs."""
        outputs = self._outputs("runs", epsilon, others, place, side, first, count)
        weights = attack["weights"]
        made = Attack(words=attack["words"], weights=None if weights is None else np.asarray(weights))
        found: list[float] = made.scores(outputs).tolist()
        return found

    def _outputs(self, what: str, epsilon: float, others: int, place: int, side: str, first: int, count: int) -> Float:
        found = [
            self.output(epsilon, others, place, side, rng=self.named(what, epsilon, others, place, side, index))
            for index in range(first, first + count)
        ]
        sizes = {each.size for each in found}
        if len(sizes) > 1:
            raise InputError(
                f"{self.asked.name} returned models of {' and '.join(map(str, sorted(sizes)))} numbers",
                allowed="a model of one shape whatever the coins",
            )
        return np.stack(found)

    def _split(self, repetition: int) -> tuple[Any, Any]:
        return split(
            self.table,
            self.asked.share,
            seed=self.asked.seed,
            name=f"frontier {self.table.name}",
            repetition=repetition,
        )

    def named(self, *names: Any) -> np.random.Generator:
        """The stream of these names."""
        words = [f"{each:.12g}" if isinstance(each, float) else each for each in names]
        return stream(self.asked.seed, "frontier", *words)
