"""``dpverify.audit_samples``: a verdict on a claim from outputs that were drawn already, on two neighbouring data sets.

One part of the draws chooses an event, the rest count it. Which draw is in which part is drawn by the seed, so an order
in the files cannot matter; a dependence that shows in their order is refused, for no bound holds then.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpverify.adapters.dependence import dependence_in_call
from dpverify.adapters.encoding import Encoder
from dpverify.audits.audit_result import AuditResult, result_of
from dpverify.audits.finding import Finding
from dpverify.audits.judges import Known, judged, meanings_of
from dpverify.audits.recorded import audit_recorded_unit
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.core.note import Kind, Note, Telling, plain_notes
from dpverify.core.plugins import registry
from dpverify.core.recorded_draws import RecordedDraws, choosing_of
from dpverify.core.relation_names import DEFAULT_RELATION
from dpverify.core.subjects import Guarantee
from dpverify.core.suite import DEFAULT_CONFIDENCE
from dpverify.core.verdict import Status
from dpverify.definitions.claims import known_relation, privacy_guarantee_of
from dpverify.neighbourhood.goal import sought_value
from dpverify.runner.plan import check_confidence, task_streams
from dpverify.runner.row import Row
from dpverify.runner.verdict_strength import IF_ALL_SHOWS
from dpverify.stats.intervals import LARGEST_TRIALS

INDEPENDENT = (
    "the draws are independent, each side's of one law, and none was left out by its value; this is taken for granted "
    "(a dependence that shows in their order is refused)"
)
NEIGHBOURS = "the two data sets are neighbours under {}; they are not here, so this is taken for granted"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecordedSamples:
    """Draws that were made already, with the capability ``recorded_draws``."""

    draws: RecordedDraws

    def recorded_draws(self) -> RecordedDraws:
        """The draws are the same every time."""
        return self.draws


def audit_samples(
    *,
    d0: Any,
    d1: Any,
    claim: Guarantee | str,
    relation: str = DEFAULT_RELATION,
    confidence: float = DEFAULT_CONFIDENCE,
    detect: float | None = None,
    seed: int = 0,
    name: str = "samples",
    names: Sequence[str] = ("the draws of d0", "the draws of d1"),
) -> AuditResult:
    """Audit a claim by outputs that were drawn already, on d0 and on d1.

    Parameters
    ----------
    d0, d1 : array_like or list
        Outputs on the two data sets: arrays of shape (n,) or (n, k), or lists of what a mechanism may return (numbers,
        labels, tuples, dicts). Of different numbers of draws, the first ones are used.
    claim : Guarantee or str
        Any privacy guarantee, or the same as text.
    relation : str
        Under which the two data sets are neighbours: a known name. Not checked, since the data sets are not here.
    confidence : float
        One-sided.
    detect : float or None
        A factor above 1 of the claimed value that a full pass must have been able to detect; None: twice the claimed
        value, and above a claimed epsilon of 3 the claim and 1 more.
    seed : int
        Of the parting into draws that choose and draws that count. Fix it before you look: the best of several seeds
        is no audit at this confidence.
    names : two str
        What the record calls the two sides.

    Returns
    -------
    AuditResult
        ``inconclusive`` where so few draws could refute nothing, or see nothing; its reason says how many could.

    Raises
    ------
    InputError
        For outputs that cannot be read, an empty side, draws that depend on one another, an unknown relation, and a
        bad claim; one line.
    """
    check_confidence(confidence)
    known = registry()
    known_relation(relation)
    guarantee = privacy_guarantee_of(claim)
    sides = [_outputs(side, what) for side, what in zip((d0, d1), names, strict=True)]
    size = min(map(len, sides))
    stated = Claim(
        id=name.replace(" ", "-"),
        guarantee=guarantee,
        relation=relation,
        subject=name,
        source=Source(paper="user", locus=""),
    )
    streams = task_streams(seed, stated.id)
    encoder = Encoder(name)
    draws = _parted([side[:size] for side in sides], encoder, [streams("parts", side) for side in (0, 1)], names)
    subject = RecordedSamples(draws=draws)
    sought = sought_value(guarantee.measures()[0], detect)
    auditor: Any = dataclasses.replace(known.auditors.get("samples"), detect=sought)  # type: ignore[type-var]
    row = audit_recorded_unit(
        subject,
        auditor,
        stated,
        names=names,
        confidence=confidence,
        trials=max(1, len(draws.counting[0])),
        seed=seed,
        suite="samples",
    )
    tell = Telling()
    row = replace(row, reproduce=_again(row, relation, confidence, detect, seed))
    heard = Known(columns=encoder.columns, meanings=partial(meanings_of, encoder), blind=encoder.blind, tell=tell)
    finding = judged(Finding(row=row), heard)
    notes = (
        Note(Kind.ASSUMED, INDEPENDENT),
        Note(Kind.ASSUMED, NEIGHBOURS.format(relation)),
        Note(
            Kind.DRAWS,
            f"{len(draws.choosing[0])} of {size} a side chose the event, {len(draws.counting[0])} counted it",
        ),
        *(
            Note(Kind.DRAWS, f"{len(side) - size} more of {what} were not used")
            for side, what in zip(sides, names, strict=True)
            if len(side) > size
        ),
        *plain_notes(*encoder.notes()),
        *_weak(finding.row),
        *(Note(Kind.NOT_TOLD, fault) for fault in tell.faults),
    )
    return result_of(finding.noting(*notes))


def _outputs(given: Any, what: str) -> Any:
    """An array, or a list of outputs; InputError for none."""
    if hasattr(given, "to_numpy") and not isinstance(given, np.ndarray):
        given = given.to_numpy()
    if isinstance(given, tuple | set | frozenset | range):
        given = list(given)
    if not isinstance(given, np.ndarray | list) or (isinstance(given, np.ndarray) and given.ndim == 0):
        raise InputError(f"{what}: a {type(given).__name__}", allowed="an array or a list of outputs")
    if len(given) == 0:
        raise InputError(f"{what}: no draws", allowed="at least one")
    if len(given) > LARGEST_TRIALS:
        raise InputError(f"{what}: {len(given)} draws", allowed=f"at most {LARGEST_TRIALS}")
    return given


def _parted(
    sides: Sequence[Any], encoder: Encoder, coins: Sequence[np.random.Generator], names: Sequence[str]
) -> RecordedDraws:
    """The draws as numbers, parted at random; their layout follows from the draws that choose alone."""
    size = len(sides[0])
    chosen = choosing_of(size)
    orders = [rng.permutation(size) for rng in coins]
    parts = [
        [_taken(side, order[:chosen]), _taken(side, order[chosen:])] for side, order in zip(sides, orders, strict=True)
    ]
    for choosing, _ in parts:
        if len(choosing):
            encoder.look_at(choosing, len(choosing))
    encoder.settle()
    found = [[_encoded(part, encoder) for part in side] for side in parts]
    for side, order, what in zip(found, orders, names, strict=True):
        if not chosen:
            continue
        back = np.empty((size, *side[0].shape[1:]))
        back[order] = np.concatenate(side)
        if how := dependence_in_call(back):
            raise InputError(
                f"{what}: draws that depend on one another ({how})",
                allowed="independent draws in the order in which they were made",
                remedy="do not sort them, and hand in each draw once",
            )
    (choose0, count0), (choose1, count1) = found
    return RecordedDraws(choosing=(choose0, choose1), counting=(count0, count1))


def _taken(side: Any, order: NDArray[Any]) -> Any:
    return side[order] if isinstance(side, np.ndarray) else [side[place] for place in order]


def _encoded(part: Any, encoder: Encoder) -> NDArray[np.float64]:
    if not len(part):
        return np.empty(0)
    return encoder.batch(part, len(part))


def _weak(row: Row) -> tuple[Note, ...]:
    """A note where a pass could have detected less than was sought."""
    leading = row.verdict.leading
    if leading is None or row.verdict.status is not Status.NOT_REFUTED or "would_do" not in leading.statistics:
        return ()
    able, sought, needed = leading.detectable, leading.statistics["sought"], leading.statistics["would_do"]
    label = leading.measure.label()
    more = "no number of draws might" if needed is None else f"about {needed} draws a side might"
    seen = f"it would have detected {label} = {able:.4g} with 80 % power, {IF_ALL_SHOWS}"
    return (Note(Kind.WEAK, f"{seen}, and {sought:.4g} was to be detected; {more}"),)


def _again(row: Row, relation: str, confidence: float, detect: float | None, seed: int) -> str:
    """The call that makes the audit again; the draws in it are the reader's to fill in."""
    given: dict[str, Any] = {"claim": row.entry.claim.guarantee.text()}
    given |= {"relation": relation} if relation != DEFAULT_RELATION else {}
    given |= {"confidence": confidence} if confidence != DEFAULT_CONFIDENCE else {}
    given |= {"detect": detect} if detect is not None else {}
    given |= {"seed": seed} if seed else {}
    given |= {"name": row.id} if row.id != "samples" else {}
    options = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return f"dpverify.audit_samples(d0=d0, d1=d1, {options})"
