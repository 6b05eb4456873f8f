"""``with dpverify.canaries(trainer, data, ...) as study``: from a trainer to the verdict of one run."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.adapters.foreign_call import foreign_call
from dpverify.adapters.time_limit import TimeLimit
from dpverify.audits.judges import Known, judged
from dpverify.canary_kit.model_losses import TrainerCall, called, losses
from dpverify.canary_kit.planted import Planted
from dpverify.canary_kit.records import Array, make_canaries, records_of
from dpverify.canary_kit.result import CanaryResult, Power, curve, one_run, power_of
from dpverify.core.errors import InputError
from dpverify.core.note import SMALL_LOOP, Kind, Note
from dpverify.core.relation_names import DEFAULT_RELATION
from dpverify.core.subjects import Guarantee
from dpverify.core.verdict import Status
from dpverify.definitions.claims import privacy_guarantee_of
from dpverify.definitions.gdp import GDP
from dpverify.definitions.pure_dp import ApproxDP
from dpverify.frontier.trainer import global_generators_kept, seed_global_generators
from dpverify.neighbourhood.redact import hiding
from dpverify.runner.plan import check_confidence
from dpverify.sampling.streams import stream
from dpverify.shown.mixin import Displayed
from dpverify.shown.view import View

DELTA = 1e-5
POINTS = 100
FEW_RUNS = Note(Kind.SHRINK, f"one run shows little of a small leak; {SMALL_LOOP}")


def canaries(
    trainer: Any,
    data: Any,
    *,
    claim: Guarantee | str,
    count: int = 1000,
    kind: str = "record",
    relation: str = DEFAULT_RELATION,
    norm: float | None = None,
    own_columns: bool = False,
    coordinates: ArrayLike | None = None,
    likelihood: tuple[float, float] | None = None,
    guesses: Any = None,
    confidence: float = 0.999,
    max_seconds: float = 3600.0,
    seed: int = 0,
    name: str | None = None,
) -> Study:
    """Canaries for one run of a trainer: put in by fair coins, scored, and judged when the block ends.

    Parameters
    ----------
    trainer : callable, estimator or None
        ``train(data)`` or ``train(features, labels)``, with ``rng`` or ``seed``, and ``canaries`` (the `Planted` of
        gradient canaries), where it has such parameters; an estimator with ``fit`` (a copy is fitted); or None, where
        the training stands in the block (and ends with `score` or `score_by_loss`).
    data : (features, labels), Table or str
        Shapes (n, ...) and (n,); or the name of a data set.
    claim : Guarantee or str
        What the training claims under `relation`.
    count : int
        Canaries, each in with probability 1/2.
    kind : "record", "label" or "gradient"
        Made-up records; records of the data with a wrong label; gradients that the training plants.
    relation : "add-remove" or "replace"
        A canary is there or not; or it, or a blank record (the right label) in its place.
    norm : float or None
        L2 norm of made-up records (None: the largest of the data), or of planted gradients before clipping.
    own_columns : bool
        Each made-up record in a column of its own, which is added to the data: no other record is on it.
    coordinates, likelihood
        Of gradient canaries: see `Planted`.
    guesses : as for `dpverify.audit_one_run`
        Fixed beforehand.
    confidence : float
        One-sided.
    max_seconds : float
        Limit of the training, where it is called here.
    seed : int
        Of the coins, the canaries, their order, and the training's generators; each has a stream of its own.

    Returns
    -------
    Study
        In the block: `data`, `canaries`, `power`, `train`, `score` or `score_by_loss`; after it: `result`.

    Raises
    ------
    InputError
        One line for whatever does not fit.

    Notes
    -----
    Sound if the training knows of the coins only what is in its data, and the scores depend on the coins only through
    what the training releases. A training that is not refuted is not proved private: other canaries may show more.
    """
    return Study(
        trainer,
        data,
        claim=claim,
        count=count,
        kind=kind,
        relation=relation,
        norm=norm,
        own_columns=own_columns,
        coordinates=coordinates,
        likelihood=likelihood,
        guesses=guesses,
        confidence=confidence,
        max_seconds=max_seconds,
        seed=seed,
        name=name,
    )


ALL_EQUAL = "all scores are equal, so that this attack could have seen nothing"


class Study(Displayed):
    """One run with canaries; made by `canaries`, and used as a context."""

    def __init__(self, trainer: Any, data: Any, **asked: Any) -> None:
        check_confidence(asked["confidence"])
        self._asked, self._trainer, self._guarantee = asked, trainer, privacy_guarantee_of(asked["claim"])
        self.name = asked["name"] or called(trainer)
        records = records_of(data)
        self._records = [] if isinstance(data, str) else [records.features, records.labels]  # no error prints them
        self._classes = np.unique(records.labels)
        kind, count = asked["kind"], asked["count"]
        self._canaries = make_canaries(
            records,
            kind,
            count,
            relation=asked["relation"],
            norm=asked["norm"] if kind == "record" else None,
            own_columns=asked["own_columns"],
            rng=self._stream("made"),
        )
        self._coins: NDArray[np.bool_] = self._stream("coins").integers(2, size=count) == 1
        self._mixed, numbers = self._canaries.mixed(self._coins, rng=self._stream("order"))
        self._planted: Planted | None = None
        if kind == "gradient":
            self._planted = Planted(
                numbers,
                count,
                coordinates=asked["coordinates"],
                norm=asked["norm"],
                likelihood=asked["likelihood"],
            )
        elif asked["coordinates"] is not None or asked["likelihood"] is not None:
            raise InputError(f"coordinates or likelihood for the kind {kind!r}", allowed="kind='gradient'")
        self._scores: NDArray[np.float64] | None = None
        self._model: Any = None
        self._trained = self._over = False
        self._scored_by = ""
        self._result: CanaryResult | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, problem: object, trace: object) -> None:
        if problem is None:
            self._finish()

    @property
    def data(self) -> tuple[Array, Array]:
        """(features, labels) with the canaries that are in, in a random order; fresh copies."""
        return self._mixed.pair()

    @property
    def canaries(self) -> tuple[Array, Array]:
        """(features, labels) of all canaries, in or not: for scores of one's own."""
        return self._canaries.inside.pair()

    @property
    def planted(self) -> Planted:
        """Gradient canaries take `Planted.plant` and `Planted.observe` of this."""
        if self._planted is None:
            raise InputError(f"planted gradients for the kind {self._asked['kind']!r}", allowed="kind='gradient'")
        return self._planted

    @cached_property
    def power(self) -> Power:
        """The power of this run is known before it is run."""
        asked = self._asked
        return power_of(
            self._guarantee,
            asked["count"],
            relation=asked["relation"],
            confidence=asked["confidence"],
            guesses=asked["guesses"],
        )

    @property
    def coins(self) -> NDArray[np.bool_]:
        """The coins say which canaries were in; they are there only after the block."""
        if not self._over:
            raise InputError(
                "the coins were asked for before the block ended",
                allowed="after it: until then they are kept from the training and the scores",
            )
        return self._coins.copy()

    @property
    def result(self) -> CanaryResult:
        """The verdict; only after the block."""
        if self._result is None:
            raise InputError("the result was asked for before the block ended", allowed="after the block")
        return self._result

    def train(self) -> Any:
        """Call the trainer once on `data`, with the canaries that are in; returns what it returns.

        Raises
        ------
        InputError
            When it raises, takes too long, or has parameters that cannot be given.
        """
        self._still()
        if self._trainer is None:
            raise InputError("no trainer", allowed="canaries(trainer, ...), or a training in the block and `score`")
        if self._trained:
            raise InputError(f"{self.name} was trained already", allowed="one run a study")
        self._trained = True
        rng = self._stream("training")
        call = TrainerCall(self._trainer, self.name, self._planted)
        limit = TimeLimit(per_call=self._asked["max_seconds"])
        allowed = "a trainer that returns on such data"

        def where() -> str:
            return f" on {self._mixed.rows} records"

        with global_generators_kept(), hiding(self._records), limit:
            seed_global_generators(rng)
            with foreign_call(self.name, limit, allowed=allowed, where=where):
                self._model = call(self.data, rng)
        return self._model

    def score(self, scores: ArrayLike) -> None:
        """Score every canary with numbers of one's own, higher for rather in.

        Parameters
        ----------
        scores : array_like of float
            Shape (count,), in the order of `canaries`; NaN says nothing of a canary.
        """
        self._still()
        self._scores, self._scored_by = self._checked(scores), "the caller's"

    def score_by_loss(self, model: Any) -> None:
        """Score every canary by the loss of a model (`model_losses` says which models), less for rather in."""
        self._still()
        self._scores, self._scored_by = self._by_loss(model), "loss of the model"

    def view(self) -> View:
        """The view shows what the run could show and, once it is there, its result."""
        return (self.power if self._result is None else self._result).view()

    def _still(self) -> None:
        if self._over:
            raise InputError("the study is over", allowed="train and score in the block")

    def _stream(self, *names: str) -> np.random.Generator:
        return stream(self._asked["seed"], "canaries", *names)

    def _checked(self, given: Any) -> NDArray[np.float64]:
        count = self._asked["count"]
        try:
            found = np.asarray(given.detach().cpu() if hasattr(given, "detach") else given, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("scores that are not all numbers", allowed=f"{count} numbers, one a canary") from None
        if found.shape != (count,):
            raise InputError(f"scores of shape {found.shape}", allowed=f"shape ({count},): one a canary")
        return found.copy()

    def _by_loss(self, model: Any) -> NDArray[np.float64]:
        """Less loss for members; under ``replace`` against the loss on what is there otherwise, for labels."""
        inside, outside = self._canaries.inside, self._canaries.outside
        with hiding(self._records):
            found = -losses(model, inside, self._classes, name=self.name)
            if outside is not None and self._asked["kind"] == "label":
                found = found + losses(model, outside, self._classes, name=self.name)
        return self._checked(found)

    def _finish(self) -> None:
        asked = self._asked
        if self._scores is None and self._planted is not None and self._planted.steps:
            steps = self._planted.steps
            self._scores, self._scored_by = self._planted.scores, f"{steps} noisy sums along the canaries' directions"
        if self._scores is None and self._planted is not None:
            raise InputError(
                f"{self.name} observed no step", allowed="a training that calls canaries.plant and canaries.observe"
            )
        if self._scores is None and not self._trained:
            raise InputError(
                "nothing was trained or scored", allowed="study.train(), or study.score(...), in the block"
            )
        if self._scores is None:
            self._scores, self._scored_by = self._by_loss(self._model), "loss of the model"
        self._over = True
        scores, coins = self._scores, self._coins
        common = {key: asked[key] for key in ("relation", "confidence", "guesses", "seed")} | {"name": self.name}
        found = one_run(scores, coins, claim=self._guarantee, **common)
        delta = next((m.argument for m in self._guarantee.measures() if m.kind == "epsilon" and m.argument), DELTA)
        beside = {
            "epsilon": one_run(scores, coins, claim=ApproxDP(epsilon=1.0, delta=delta), **common).bound,
            "mu": one_run(scores, coins, claim=GDP(mu=1.0), **common).bound,
        }
        spoken = scores[~np.isnan(scores)]
        blind = ALL_EQUAL if spoken.size == 0 or spoken.min() == spoken.max() else ""
        positive, negative = curve(
            np.nan_to_num(scores, nan=float(np.nanmedian(scores)) if spoken.size else 0.0), coins, POINTS
        )
        claimed = np.asarray(self._guarantee.tradeoff(np.array(positive)))
        finding = judged(found.finding, Known(saw_nothing=blind))
        self._result = CanaryResult(
            name=self.name,
            finding=finding if finding.status is Status.REFUTED else finding.noting(FEW_RUNS),
            claim=self._guarantee.text(),
            measure=found.measure,
            epsilon_lower=float(beside["epsilon"] or 0.0),
            mu_lower=float(beside["mu"] or 0.0),
            delta=delta,
            power=self.power,
            canaries=asked["count"],
            inside=int(coins.sum()),
            kind=asked["kind"],
            relation=asked["relation"],
            scored_by=self._scored_by,
            seed=asked["seed"],
            curve={"false_positive": positive, "false_negative": negative, "claimed": claimed.tolist()},
        )
