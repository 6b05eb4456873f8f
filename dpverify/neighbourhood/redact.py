"""Keeps the user's own records out of results: a witness made of them is named, and not shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from inspect import isfunction
from typing import Any

from dpverify.adapters.encoding import Encoder
from dpverify.adapters.output_columns import label_text
from dpverify.core.errors import AuditError, DpverifyError, InputError
from dpverify.core.note import Note
from dpverify.core.subjects import Pair
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.datasets.neighbors.of_example import FROM_EXAMPLE, OfExample
from dpverify.neighbourhood import notes as gate_notes
from dpverify.neighbourhood.example_values import NUMBER as _NUMBER
from dpverify.neighbourhood.example_values import Values, leaves
from dpverify.neighbourhood.neighbourhood import Neighbourhood
from dpverify.runner.row import Row

_BY_HAND = re.compile(r"call it once by hand on .*", re.DOTALL)

_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""

_IN_EVENT = re.compile(rf"(\[{_QUOTED}\]|(?<=[\w\]])\[\d+\]|\d+ of \d+)|(?<![\w.]){_NUMBER.pattern}|{_QUOTED}")
"""A number or a text of an output; the first group is a key, an index, or a count of runs."""

_TEXT = re.compile(_QUOTED)

NUMBER = "(not shown)"

REDACTED = "records of the example are not shown (show_records)"


_BYTES = re.compile(
    r"""\bb['"]|\\x[0-9a-fA-F]{2}|bytearray\(|(?<!\d\.)\b[0-9a-fA-F]{16,}\b"""
    r"""|(?<![A-Za-z0-9+/])(?!/[A-Za-z]+/)(?=[A-Za-z0-9+/=]*[0-9])(?=[A-Za-z0-9+/=]*[A-Z])[A-Za-z0-9+/]{32,}={0,2}"""
)
"""Bytes, pickles and the like in a text: in Python's form, in hexadecimal digits, or in base 64; a path is none."""

LONG = 40
"""Characters from which on a constant is a whole sentence."""

HIDDEN_TEXT = "a text that holds records of the example, which are not shown (show_records)"


def redacted(row: Row, place: Neighbourhood) -> Row:
    """The row without records of the example, and without what was returned on pairs that hold them.

    Values that stand in the pair that is shown are made up, and may be printed. Texts of outputs are looked through as
    in `without_records`, and hidden whole; an event on a made-up pair keeps its numbers. Of a pair with records of the
    example no number and no text of outputs is shown: a mechanism that is broken may have returned its true answer. So
    it is with events that stand in lists, since each may be of another pair. At last all that is left is walked
    through, and what holds a value of the example is hidden, wherever it stands.
    """
    values = _values_of(place)
    evidence = []
    for each in row.verdict.evidence:
        own = _own(each.witness, place)
        shown = values if own else values.but(leaves([each.witness.get("d0"), each.witness.get("d1")]))
        evidence.append(
            replace(
                each,
                witness=witness_of(each.witness, place, values),
                statistics=shown.hidden_in(_hidden_events(each.statistics, every=own)),
                picture=shown.hidden_in(each.picture),
            )
        )
    reason = values.hidden_in(row.verdict.reason)
    return replace(row, verdict=replace(row.verdict, evidence=tuple(evidence), reason=reason))


def without_witness(row: Row) -> Row:
    """The row with its counts alone: no pair, no event, whatever they hold."""
    evidence = tuple(
        replace(each, witness={"event": REDACTED}, statistics=_without_events(each.statistics))
        for each in row.verdict.evidence
    )
    return replace(row, verdict=replace(row.verdict, evidence=evidence))


def _without_events(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _without_events(part) for name, part in value.items() if name not in ("event", "values")}
    return [_without_events(part) for part in value] if isinstance(value, list | tuple) else value


def _hidden_events(value: Any, *, every: bool) -> Any:
    """The statistics, without the numbers of events: of all, or of those in lists."""
    if isinstance(value, Mapping):
        return {
            name: _no_outputs(part) if every and name == "event" else _hidden_events(part, every=every)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [_hidden_events(part, every=True) for part in value]
    return value


def _no_outputs(event: Any) -> Any:
    """An event in words without its numbers and texts, or the kind of a recorded one."""
    if isinstance(event, Mapping):
        return {"kind": event.get("kind"), "hidden": REDACTED}
    return _IN_EVENT.sub(lambda found: found[1] or NUMBER, str(event))


def _values_of(place: Neighbourhood) -> Values:
    """Return the example's values, but for what `Neighbourhood.assumed` says: the ends of ranges are read off it."""
    if not isinstance(place.generator, OfExample):
        return Values(())
    container, said = place.generator.container, " ".join(place.assumed)
    if not any(one is container and told == said for one, told, _ in _last):
        _last[:] = [(container, said, Values(leaves(list(container.records))).but_those_of(said))]
    return _last[0][2]


_last: list[tuple[object, str, Values]] = []
"""Of the last example: a large one is gone through once, and not for each block of draws."""


def _own(witness: Mapping[str, Any], place: Neighbourhood) -> bool:
    """Tell whether the pair holds records of the example, as one does of which nothing is known."""
    return place.shows_records(str(witness.get("pair", FROM_EXAMPLE)))


def without_pair(witness: Mapping[str, Any]) -> dict[str, Any]:
    """A witness without its data sets, and without what was returned on them."""
    found = dict(witness)
    found |= {side: REDACTED for side in ("d0", "d1") if side in found}
    found |= {name: _no_outputs(found[name]) for name in ("event",) if name in found}
    return found | {name: [_no_outputs(each) for each in found[name]] for name in ("values",) if name in found}


def with_pair(row: Row, pair: Pair) -> Row:
    """The row, with the pair that the user gave where a file of earlier sessions kept none."""
    leading = row.verdict.leading
    if leading is None or leading.witness.get("d0") != REDACTED:
        return row
    leading = replace(leading, witness={**leading.witness, **plain_pair(pair)})
    return replace(row, verdict=replace(row.verdict, evidence=(leading, *row.verdict.evidence[1:])))


def witness_of(witness: Mapping[str, Any], place: Neighbourhood, values: Values | None = None) -> dict[str, Any]:
    """A witness without records of the example, and without what was returned on them."""
    values = _values_of(place) if values is None else values
    own = _own(witness, place)
    found = without_pair(witness) if own else dict(witness)
    hidden = values if own else values.but(leaves([witness.get("d0"), witness.get("d1")]))
    if "event" in found and not own:
        found["event"] = _without_texts(str(found["event"]), found.get("labels") or (), hidden)
    if "labels" in found:
        found["labels"] = {
            REDACTED if own or hidden.held_by(str(label)) else label: code for label, code in found["labels"].items()
        }
    if "forms" in found:
        found["forms"] = {
            code: REDACTED if own or hidden.held_by(form) else form for code, form in found["forms"].items()
        }
    left = {name: part for name, part in found.items() if name not in ("d0", "d1", "event", "labels", "forms")}
    return {**found, **hidden.hidden_in(left)}


def _without_texts(event: str, labels: Iterable[str], hidden: Values) -> str:
    """The event of a pair without records of the example: whole labels and texts that print such a record are hidden.

    Its numbers stay: they were computed on made-up data, and one that equals a value of the example does so by chance.
    """
    telling = [str(label) for label in labels if hidden.held_by(str(label))]
    for label in telling:  # cut where it is long, so that the event itself need not print the record
        event = event.replace(label_text(label), HIDDEN_TEXT)
    event = _TEXT.sub(lambda text: HIDDEN_TEXT if hidden.held_by(text[0]) else text[0], event)
    for label in filter(_NUMBER.fullmatch, telling):
        event = re.sub(rf"(?<![\w.]){re.escape(label)}(?![\w.])", HIDDEN_TEXT, event)
    return event


def without_records(text: str, data: Any) -> str:
    """An error's text, without the data set that it names and without values of the user's own data.

    Values are looked for as they are printed, or rounded to four digits and more: texts of three characters and more,
    numbers with a fraction, and whole numbers of three digits and more. Bytes may hold anything, and are never shown. A
    mechanism may print its data otherwise, and that is not noticed.
    """
    text = _BY_HAND.sub("call it once by hand on the example", text)
    values = Values(leaves(data))
    if not values or not (_BYTES.search(text) or values.held_by(text, rounded=True)):
        return text
    start = text.partition(": ")[0]
    start = "an error" if _BYTES.search(start) or values.held_by(start, rounded=True) else start
    return f"{start}: (the message holds records of the example)"


def without_records_of(problem: DpverifyError, data: Any) -> DpverifyError:
    """The error without values of the user's own data (`without_records`); itself where it holds none."""
    if isinstance(problem, InputError):
        parts = problem.what, problem.allowed, problem.remedy
        what, allowed, remedy = (without_records(part, data) for part in parts)
        return problem if (what, allowed, remedy) == parts else InputError(what, allowed=allowed, remedy=remedy)
    said = without_records(str(problem), data)
    return problem if said == str(problem) else AuditError(said)


@contextmanager
def hiding(data: Any) -> Iterator[None]:
    """Context in which errors are raised without values of these data."""
    try:
        yield
    except DpverifyError as problem:
        hidden = without_records_of(problem, data)
        if hidden is problem:
            raise
        raise hidden from None


def without_values(notes: Iterable[Note], place: Neighbourhood) -> tuple[Note, ...]:
    """Notes without values of the example; a sentence that stands in our code word for word holds none."""
    values = _values_of(place)
    own = _sentences()
    return tuple(note if note.text in own else replace(note, text=values.hidden_in(note.text)) for note in notes)


@cache
def _sentences() -> frozenset[str]:
    """All constants of the code that makes notes: what is put together from them and a value is none of these."""
    codes = [Encoder.notes.__code__, *(each.__code__ for each in vars(gate_notes).values() if isfunction(each))]
    found = [*vars(gate_notes).values(), *(each for code in codes for each in code.co_consts)]
    return frozenset(each for each in found if isinstance(each, str) and len(each) > LONG)
