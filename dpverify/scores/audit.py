"""``dpverify.audit_scores`` and ``dpverify.audit_one_run``: a verdict on a claim from the scores of an attack alone."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from numpy.typing import ArrayLike

from dpverify.core.errors import InputError
from dpverify.core.evidence import Evidence
from dpverify.core.plugins import registry
from dpverify.core.relation_names import DEFAULT_RELATION, REPLACE
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import DEFAULT_CONFIDENCE
from dpverify.datasets.neighbors.relation import keeps_size
from dpverify.definitions.claims import known_relation
from dpverify.scores.recorded_scores import MOST_VALUES, RecordedRun, RecordedScores, inclusions, numbers
from dpverify.scores.result import ScoreResult, audit_recorded
from dpverify.stats.one_run import LARGEST_CANARIES
from dpverify.stats.score_rates import score_rates


def audit_scores(
    in_scores: ArrayLike,
    out_scores: ArrayLike,
    *,
    claim: Guarantee | str,
    confidence: float = DEFAULT_CONFIDENCE,
    method: Literal["ranks", "split"] = "ranks",
    threshold: float | None = None,
    relation: str = DEFAULT_RELATION,
    seed: int = 0,
    name: str = "scores",
) -> ScoreResult:
    """Audit a claim by the scores of an attack on many independent trainings.

    Parameters
    ----------
    in_scores, out_scores : array_like of float
        Shapes (n,) and (m,): one score for each training with the record, and for each without; n and m may differ.
        Higher or lower for members, either way; infinities are scores.
    claim : Guarantee or str
        Any privacy guarantee, such as ``ApproxDP(epsilon=1, delta=1e-5)`` or ``GDP(mu=1)``, or the same as text.
    confidence : float
        One-sided, of the whole audit: all thresholds, both directions.
    method : "ranks" or "split"
        All thresholds at once at positions fixed beforehand (stronger wherever it was tried), or chosen on one half and
        counted on the other, both ways.
    threshold : float or None
        One threshold instead, with all of the error: only if it was fixed before these scores were seen.
    relation : str
        Which neighbours the two kinds of training are: a known name. Whether they are is not checked: there is no data.
    seed : int
        Of the random order of ties and of the halves.

    Returns
    -------
    ScoreResult

    Raises
    ------
    InputError
        For NaN, an empty side, an unknown relation, or a bad claim; one line.

    Notes
    -----
    The scores of a side must be independent draws of one law: trainings of their own. Scores of many records of one
    training are not; see `audit_one_run`.
    """
    relation = known_relation(relation)
    auditor: Any = registry().auditors.get("scores")
    if threshold is not None:
        auditor = dataclasses.replace(auditor, method="threshold", threshold=threshold)
    elif method in ("ranks", "split"):
        auditor = dataclasses.replace(auditor, method=method)
    else:
        raise InputError(f"method {method!r}", allowed="ranks, split")
    subject = RecordedScores(inside=numbers(in_scores, "in_scores"), outside=numbers(out_scores, "out_scores"))
    result = audit_recorded(
        subject,
        auditor,
        claim=claim,
        relation=relation,
        confidence=confidence,
        seed=seed,
        name=name,
        trials=min(subject.inside.size, subject.outside.size),
        notes=lambda evidence: (
            "sound if every score comes from a training of its own ({in} with, {out} without)".format(
                **evidence.statistics["sizes"]
            ),
        ),
    )
    return dataclasses.replace(result, attack=score_rates(subject.inside, subject.outside, confidence=confidence))


def audit_one_run(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    claim: Guarantee | str,
    guesses: int | tuple[int, int] | Sequence[tuple[int, int]] | None = None,
    values: int = 2,
    confidence: float = DEFAULT_CONFIDENCE,
    relation: str | None = None,
    seed: int = 0,
    name: str = "one-run",
) -> ScoreResult:
    """Audit a claim by one training with many canaries, each put in by an independent fair coin.

    Parameters
    ----------
    scores : array_like of float
        Shape (m,), higher for rather in; or, for canaries that took one of `values` values, shape (m, values). NaN says
        nothing of a canary: it is guessed last, by a coin.
    included : array_like of bool or int
        Shape (m,): whether the canary was in, or which value it took.
    claim : Guarantee or str
        Any privacy guarantee. Curves (GDP, zCDP, RDP) are held against the stronger theorem for curves.
    guesses : int, (int, int), sequence of (int, int), or None
        How many of the highest scores are called in and of the lowest out (an int is halved), fixed before the scores
        were seen; several pairs share the error. None: a half (less 2 sqrt(m), since seldom just half are in), an
        eighth and a thirty-second of the canaries each way.
    values : int
        2 for in and out.
    confidence : float
        One-sided, of the whole audit.
    relation : str or None
        None: add-remove for two values (the only one that fits these), replace for more.

    Returns
    -------
    ScoreResult

    Raises
    ------
    InputError
        For shapes that do not fit, more guesses than canaries, or inclusions that no fair coin gives.

    Notes
    -----
    Rests on: every coin fair, independent, and known to nothing but the training. If they are not (the most telling
    records were put in; exactly half were), the confidence is void, and sound trainings may be refuted.
    """
    pairs = guess_pairs(guesses)
    if not 2 <= values <= MOST_VALUES:
        raise InputError(f"values = {values}", allowed=f"2 for in and out, or more, up to {MOST_VALUES}")
    relation = known_relation(relation or (DEFAULT_RELATION if values == 2 else REPLACE))
    if keeps_size(relation) == (values == 2):
        raise InputError(
            f"relation {relation!r} for canaries of {values} values",
            allowed="a relation that changes how many records there are (add-remove) where a canary is in or out, one "
            "that keeps it where a canary takes one of several values",
        )
    subject = RecordedRun(
        given=numbers(scores, "scores", dimensions=(1,) if values == 2 else (2,)),
        included=inclusions(included),
        values=values,
    )
    if subject.given.shape[0] != subject.included.size:
        raise InputError(
            f"{subject.given.shape[0]} scores and {subject.included.size} inclusions", allowed="as many of each"
        )
    if subject.canaries > LARGEST_CANARIES:
        raise InputError(f"{subject.canaries} canaries", allowed=f"at most {LARGEST_CANARIES}")
    auditor: Any = dataclasses.replace(registry().auditors.get("one-run"), guesses=pairs)  # type: ignore[type-var]
    return audit_recorded(
        subject,
        auditor,
        claim=claim,
        relation=relation,
        confidence=confidence,
        seed=seed,
        name=name,
        trials=subject.canaries,
        notes=one_run_notes,
    )


def guess_pairs(guesses: int | tuple[int, int] | Sequence[tuple[int, int]] | None) -> Sequence[tuple[int, int]] | None:
    """The pairs (in, out) that are meant; an integer is halved."""
    if guesses is None:
        return None
    try:
        if not isinstance(guesses, Iterable):
            whole = _whole(guesses)
            return [(whole - whole // 2, whole // 2)]
        given: list[Any] = list(guesses)
        if len(given) == 2 and not any(isinstance(each, Iterable) for each in given):
            given = [tuple(given)]
        return [(_whole(inside), _whole(outside)) for inside, outside in given]
    except (TypeError, ValueError):
        raise InputError(
            f"guesses {guesses!r}", allowed="a whole number, a pair (in, out), or a list of pairs"
        ) from None


def _whole(number: object) -> int:
    if isinstance(number, bool):
        raise TypeError
    return operator.index(number)  # type: ignore[arg-type]


def one_run_notes(evidence: Evidence) -> tuple[str, ...]:
    """Say what was guessed, and then what that rests on."""
    seen = evidence.statistics
    return (
        f"one training, {seen['canaries']} canaries, {seen['guesses']} guessed, {seen['correct']} right "
        f"({seen['critical'] if seen['critical'] is not None else 'no number'} would refute)",
        "sound if every canary's coin was fair and independent of all others",
        *(() if evidence.measure.kind in ("epsilon", "mu") else ("the bound is within the family of the claim",)),
    )
