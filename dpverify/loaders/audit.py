"""``dpverify.audit_sampler``: which sampling scheme a loader follows, and what that costs beside what was accounted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from inspect import signature
from typing import Any

import numpy as np

from dpverify.accounting.composition_grammar import parse_steps
from dpverify.adapters.time_limit import Interrupted
from dpverify.audits.finding import Finding
from dpverify.audits.judges import Known, judged
from dpverify.core.callable_name import callable_name
from dpverify.core.claim import Claim
from dpverify.core.claim import Source as ClaimSource
from dpverify.core.errors import InputError
from dpverify.core.note import plain_notes
from dpverify.core.plugins import registry
from dpverify.core.read_untrusted import shortened
from dpverify.core.relation_names import DEFAULT_RELATION, REPLACE
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status
from dpverify.core.watchdog_page import handle_ctrl_c_here, listening
from dpverify.frontier.trainer import global_generators_kept
from dpverify.loaders.detectable import Visible
from dpverify.loaders.observed import Observed
from dpverify.loaders.result import (
    Held,
    SamplerResult,
    Sampling,
    compared,
    deviations,
    held_against,
    level_of,
)
from dpverify.loaders.scheme import Scheme
from dpverify.loaders.scheme_test import PASSES, SchemeTest
from dpverify.loaders.source import LoaderSource, PassLimit, load_loader
from dpverify.loaders.terms import Priced, Terms
from dpverify.runner.plan import check_confidence
from dpverify.sampling.streams import stream

ACCOUNTED = "poisson"
CONFIDENCE = 1 - 1e-6
SECONDS, PER_PASS = 3.0, 30.0
FEWEST, MOST = 2, 20_000
"""Passes, whatever the seconds; two more are read before, which are not counted."""

MOST_BATCHES, MOST_CELLS = 40_000, 4_000_000
"""Of all counted passes: batches; inclusions, and records times passes."""

Told = Callable[[str], None]


@global_generators_kept()
def audit_sampler(
    loader: Any,
    *,
    records: int | None = None,
    accounted: str | Scheme = ACCOUNTED,
    epochs: int | None = None,
    seconds: float = SECONDS,
    batches_per_epoch: int | None = None,
    confidence: float = CONFIDENCE,
    noise_multiplier: float | None = None,
    steps: int | None = None,
    training_epochs: float | None = None,
    delta: float = 1e-5,
    relation: str = DEFAULT_RELATION,
    max_seconds_per_epoch: float = PER_PASS,
    seed: int = 0,
    name: str | None = None,
    say: Told = lambda _line: None,
) -> SamplerResult:
    """Read a loader many times, and tell which sampling scheme it follows.

    Parameters
    ----------
    loader : iterable or callable
        A torch ``DataLoader`` (its batch sampler is read; one over ``range(n)`` itself), a batch sampler, a list of
        batches, or a function that makes one of these or is a generator of batches. A batch holds record numbers 0 ..
        n - 1, or is a boolean mask of length n. A function may have parameters ``rng``, ``seed`` and ``epoch``.
    records : int or None
        n; None where the loader has a data set that says it.
    accounted : str
        The scheme that the privacy account assumes: ``poisson(rate=0.01)``, ``fixed-size(size=64)``,
        ``shuffled(size=64)`` ...; numbers may be left open.
    epochs : int or None
        Passes that are counted. None: as many as take about `seconds`, by one pass that is timed and not counted
        (nor is the first one).
    batches_per_epoch : int or None
        Where an endless loader is cut.
    confidence : float
        1 - the probability that a scheme is ruled out which the loader follows.
    noise_multiplier, steps, training_epochs, delta, relation
        Of a training with clipped gradients and Gaussian noise, whose epsilon is then told: noise over the clipping
        norm; steps (or passes) in all; neighbours ``add-remove`` or ``replace``, n taken as public.
    max_seconds_per_epoch : float
        Limit of one pass.
    seed : int
        Of the global generators of Python, NumPy and torch, which are seeded once before the first pass, and of `rng`.
    say : callable
        Told how many passes are read.

    Returns
    -------
    SamplerResult

    Raises
    ------
    InputError
        One line for a loader that raises, hangs, does not end, is empty, or gives no batches of record numbers.

    Notes
    -----
    A scheme is ruled out by exact tests (Chernoff bounds where inclusions are negatively associated), whose levels sum
    to 1 - confidence. A scheme that is not ruled out is not proved: `detectable` says which deviations would have been
    seen.
    """
    begun = time.perf_counter()
    check_confidence(confidence)
    scheme = read_scheme(accounted)
    for word, number in (("epochs", epochs), ("batches_per_epoch", batches_per_epoch), ("records", records)):
        if number is not None and (isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1):
            raise InputError(f"{word} = {number!r}", allowed="a whole number >= 1")
    if epochs is not None and epochs > MOST:
        raise InputError(f"epochs = {epochs}", allowed=f"1 to {MOST}")
    if not (math.isfinite(seconds) and seconds > 0):
        raise InputError(f"seconds = {seconds}", allowed="a number above 0")
    if noise_multiplier is None and (steps is not None or training_epochs is not None):
        raise InputError("steps without a noise multiplier", allowed="both, for the epsilon of a training")
    if noise_multiplier is not None and (steps is None) == (training_epochs is None):
        raise InputError("a noise multiplier without one of steps and training epochs", allowed="one of the two")
    terms = None
    if noise_multiplier is not None:
        terms = Terms(
            noise_multiplier=noise_multiplier, steps=steps or 1, delta=delta, relation=relation, per_pass=1, records=1
        )
    called = name or (loader if isinstance(loader, str) else callable_name(loader))
    source = LoaderSource(
        subject=load_loader(loader) if isinstance(loader, str) else loader,
        name=called,
        records=None if records is None else int(records),
        cut=batches_per_epoch,
        rng=stream(seed, "sampler", called),
        limit=PassLimit(max_seconds_per_epoch),
    )
    with source.limit, listening(), handle_ctrl_c_here(f"the loader {called}", Interrupted):
        pilot, seen, uneven = _read(source, epochs, seconds, say)
    scheme.fits(seen.records)
    alpha = 1.0 - confidence
    compared_with = [scheme, *(kind() for kind in schemes().values())]
    if uneven:
        held = [_uneven(each, seen, uneven) for each in compared_with]
    else:
        held = [held_against(each, seen, pilot, alpha=alpha) for each in compared_with]
    first, rest = held[0], held[1:]
    family = next((each for each in rest if type(each.scheme) is type(scheme)), first)  # one that nobody registered
    able = [each for each in rest if not each.ruled_out]
    if not first.ruled_out:
        able = [first, *(each for each in able if type(each.scheme) is not type(scheme))]
    looked = [] if uneven else scheme.visible(seen, level=level_of(max(first.tests, 1), alpha))
    claim = Claim(
        id="-".join(called.split()),
        guarantee=Sampling(scheme.kind if scheme.open and first.ruled_out else first.text),
        relation=relation,
        subject=called,
        source=ClaimSource(paper="user", locus=""),
    )
    status = Status.REFUTED if first.ruled_out else Status.NOT_REFUTED
    finding = Finding.without_evidence(SuiteEntry(claim=claim, suites=()), status, "", seed=seed).noting(
        *plain_notes(*source.notes)
    )
    result = SamplerResult(
        finding=judged(finding, Known(saw_nothing="" if first.ruled_out else _blind(scheme, seen, looked))),
        found=able[0].text if able else None,
        not_ruled_out=tuple(each.text for each in able),
        deviations=tuple((each.kind, each.words, each.p) for each in deviations(first, family)),
        detectable={} if first.ruled_out else {each.words: each.size for each in looked or []},
        p_value=first.p,
        confidence=confidence,
        passes=seen.passes,
        steps=seen.steps,
        records=seen.records,
        inclusions=seen.total,
        held=tuple(rest),
    )
    if terms is not None:
        in_all = steps if steps is not None else max(1, round(float(training_epochs or 0) * seen.steps))
        terms = replace(terms, steps=in_all, per_pass=seen.steps, records=seen.records)
        both = (scheme.settled(seen) if scheme.open else scheme, able[0].scheme if able else None)
        said, really = _priced(both, terms, seen, alpha)
        tells = False
        if first.ruled_out and really is not None and not terms.replaced and not compared(said, really):
            said_there, there = _priced(both, replace(terms, relation=REPLACE), seen, alpha)
            tells = there is not None and bool(compared(said_there, there))
        result = replace(result, terms=asdict(terms), accounted_epsilon=said, found_epsilon=really, replace_tells=tells)
    return replace(result, finding=result.finding.after(time.perf_counter() - begun))


def _priced(
    schemes: tuple[Scheme, Scheme | None], terms: Terms, seen: Observed, alpha: float
) -> tuple[Priced, Priced | None]:
    """Price the scheme that was accounted for, and the one that was found."""
    said, found = schemes
    return said.priced(terms, seen, alpha=alpha), None if found is None else found.priced(terms, seen, alpha=alpha)


def _read(
    source: LoaderSource, epochs: int | None, seconds: float, say: Told
) -> tuple[Observed, Observed, tuple[int, int] | None]:
    """(a pass that is not counted, those that are, fewest and most batches of a pass where they differ)."""
    first = source.one_pass()  # which may make or compile something, so the next one is timed
    begun = time.perf_counter()
    pilot = source.one_pass()
    taken = max(time.perf_counter() - begun, 1e-6)
    most = min(
        MOST,
        MOST_BATCHES // pilot.steps,
        MOST_CELLS // max(pilot.total, 1),
        MOST_CELLS // pilot.records,
    )
    count = epochs or max(FEWEST, int(float(f"{min(max(seconds / taken, FEWEST), max(most, FEWEST)):.2g}")))
    say(f"{count} passes of {pilot.steps} batches are read (--epochs {count} repeats this)")
    passes = [source.one_pass() for _ in range(count)]
    lengths = sorted({first.steps, pilot.steps, *(each.steps for each in passes)})
    seen = Observed(
        records=pilot.records,
        passes=count,
        steps=pilot.steps,
        flat=np.concatenate([each.flat for each in passes]),
        sizes=np.concatenate([each.sizes for each in passes]),
    )
    return pilot, seen, (lengths[0], lengths[-1]) if len(lengths) > 1 else None


def _uneven(scheme: Scheme, seen: Observed, uneven: tuple[int, int]) -> Held:
    """No scheme here has passes of different lengths."""
    words = f"passes have {uneven[0]} to {uneven[1]} batches (batches without a record may have been left out)"
    told = SchemeTest(kind=PASSES, words=words, p=0.0)
    return Held(scheme=scheme, text=scheme.kind, tests=1, p=0.0, failed=(told,))


def _blind(scheme: Scheme, seen: Observed, looked: list[Visible] | None) -> str:
    """Why what was read could have shown nothing; empty where it could."""
    if looked is None:
        return f"{scheme.kind} does not say which deviations would have been seen (its method `visible`)"
    if seen.total == 0:
        return "no record was in any batch"
    unseen = [each.words for each in looked if not each.fine and (each.size is None or each.size >= 1)]
    if unseen:
        return f"so little was read that no {unseen[0]} could have been seen; read more (--epochs, --seconds)"
    return ""


def schemes() -> Mapping[str, type[Scheme]]:
    """All that are registered, by name, those that leave less open first."""
    known = registry().schemes
    found: list[type[Scheme]] = sorted((known.get(name) for name in known.names()), key=lambda one: one.rank)
    return {each.kind: each for each in found}


def read_scheme(text: str | Scheme) -> Scheme:
    """The scheme of a text.

    InputError for an unknown name or number.
    """
    if isinstance(text, Scheme):
        return text
    allowed = ", ".join(
        f"{name}({', '.join(f'{each}=...' for each in signature(kind).parameters)})" for name, kind in schemes().items()
    )
    stripped = text.strip()
    if not stripped:
        raise InputError("no sampling scheme", allowed=allowed)
    try:
        written = parse_steps(stripped if stripped.endswith(")") else f"{stripped}()")
    except InputError:
        raise InputError(f"sampling scheme {shortened(text)!r}", allowed=allowed) from None
    if len(written) != 1 or written[0].count != 1 or written[0].name not in schemes():
        raise InputError(f"sampling scheme {shortened(text)!r}", allowed=allowed)
    kind = schemes()[written[0].name]
    known = list(signature(kind).parameters)
    unknown = [each for each in written[0].arguments if each not in known]
    if unknown:
        raise InputError(f"{kind.kind}: no number {unknown[0]!r}", allowed=", ".join(known) or "none")
    numbers = {
        name: float(value) if name == "rate" else _whole(value)  # type: ignore[arg-type]  # refused below where none
        for name, value in written[0].arguments.items()
        if not isinstance(value, str | tuple)
    }
    if len(numbers) < len(written[0].arguments):
        raise InputError(f"sampling scheme {shortened(text)!r}", allowed="numbers")
    return kind(**numbers)


def _whole(value: object) -> object:
    number = float(value)  # type: ignore[arg-type]
    return int(number) if number.is_integer() else number
