"""Keeps the user's own records out of results: a witness made of them is named, and not shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from dpverify.adapters.output_columns import label_text
from dpverify.core.evidence import Evidence
from dpverify.datasets.neighbors.json_values import plain_dataset
from dpverify.datasets.neighbors.of_example import OfExample
from dpverify.gate.neighbourhood import Neighbourhood
from dpverify.runner.row import Row

_BY_HAND = re.compile(r"call it once by hand on .*", re.DOTALL)

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")

_QUOTED = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""

_IN_EVENT = re.compile(rf"(\[{_QUOTED}\]|(?<=[\w\]])\[\d+\]|\d+ of \d+)|(?<![\w.]){_NUMBER.pattern}|{_QUOTED}")
"""A number or a text of an output; the first group is a key, an index, or a count of runs."""

_TEXT = re.compile(_QUOTED)

NUMBER = "(not shown)"

_SMALL = frozenset(range(-99, 100))
"""Whole numbers that tell nothing."""

REDACTED = "records of the example are not shown (show_records)"


HIDDEN_TEXT = "a text that holds records of the example, which are not shown (show_records)"


def redacted(row: Row, place: Neighbourhood) -> Row:
    """The row, without the pair where it holds records of the example, and without outputs that print values of it.

    Values that stand in the pair that is shown are made up, and may be printed. Texts of outputs are looked through as
    in `without_records`, and hidden whole; an event on a made-up pair keeps its numbers. Of a pair with records of the
    example no number and no text of outputs is shown: a mechanism that is broken may have returned its true answer.
    """
    example = (
        [] if not isinstance(place.generator, OfExample) else list(_leaves(list(place.generator.container.records)))
    )
    evidence = tuple(
        replace(each, witness=_redacted(each.witness, example, place), statistics=_without_outputs(each, place))
        for each in row.verdict.evidence
    )
    return replace(row, verdict=replace(row.verdict, evidence=evidence))


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


def _without_outputs(evidence: Evidence, place: Neighbourhood) -> Mapping[str, Any]:
    """The statistics, without the events' numbers where the pair holds records of the example."""
    if not place.shows_records(str(evidence.witness.get("pair", ""))):
        return evidence.statistics
    return dict(_hidden_events(evidence.statistics))


def _hidden_events(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _no_outputs(part) if name == "event" else _hidden_events(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_hidden_events(part) for part in value]
    return value


def _no_outputs(event: Any) -> Any:
    """An event in words without its numbers and texts, or the kind of a recorded one."""
    if isinstance(event, Mapping):
        return {"kind": event.get("kind"), "hidden": REDACTED}
    return _IN_EVENT.sub(lambda found: found[1] or NUMBER, str(event))


def _redacted(witness: Mapping[str, Any], example: list[Any], place: Neighbourhood) -> dict[str, Any]:
    shown: list[Any] = []
    found = dict(witness)
    if own := place.shows_records(str(witness.get("pair", ""))):
        found |= {"d0": REDACTED, "d1": REDACTED}
        found |= {name: _no_outputs(found[name]) for name in ("event",) if name in found}
        found |= {name: [_no_outputs(each) for each in found[name]] for name in ("values",) if name in found}
    else:
        shown = list(_leaves([witness.get("d0"), witness.get("d1")]))
    hidden = [value for value in example if value not in shown]
    if "event" in found and not own:
        found["event"] = _without_texts(str(found["event"]), found.get("labels") or (), hidden)
    if "labels" in found:
        found["labels"] = {
            REDACTED if own or _holds(str(label), hidden) else label: code for label, code in found["labels"].items()
        }
    if "forms" in found:
        found["forms"] = {
            code: REDACTED if own or _holds(form, hidden) else form for code, form in found["forms"].items()
        }
    return found


def _without_texts(event: str, labels: Iterable[str], hidden: list[Any]) -> str:
    """The event of a pair without records of the example: whole labels and texts that print such a record are hidden.

    Its numbers stay: they were computed on made-up data, and one that equals a value of the example does so by chance.
    """
    telling = [str(label) for label in labels if _holds(str(label), hidden)]
    for label in telling:  # cut where it is long, so that the event itself need not print the record
        event = event.replace(label_text(label), HIDDEN_TEXT)
    event = _TEXT.sub(lambda text: HIDDEN_TEXT if _holds(text[0], hidden) else text[0], event)
    for label in filter(_NUMBER.fullmatch, telling):
        event = re.sub(rf"(?<![\w.]){re.escape(label)}(?![\w.])", HIDDEN_TEXT, event)
    return event


def _holds(text: str, values: list[Any]) -> bool:
    """Whether the text prints one of the values."""
    numbers = {float(found) for found in _NUMBER.findall(text)}
    return any(_tells(value, text, numbers) for value in values)


def without_records(text: str, data: Any) -> str:
    """An error's text, without the data set that it names and without values of the user's own data.

    Values are looked for as they are printed: texts of three characters and more, numbers with a fraction, and whole
    numbers of three digits and more. A mechanism may print its data otherwise, and that is not noticed.
    """
    text = _BY_HAND.sub("call it once by hand on the example", text)
    if not _holds(text, list(_leaves(plain_dataset(data)))):
        return text
    return f"{text.partition(': ')[0]}: (the message holds records of the example)"


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _leaves(each)
    else:
        yield value


def _tells(value: Any, text: str, numbers: set[float]) -> bool:
    """Whether the text holds this value; values that tell nothing (0, True, a letter) are never said to be held."""
    if isinstance(value, str):
        return len(value) > 2 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None
    if isinstance(value, bool) or not isinstance(value, int | float) or value in _SMALL:
        return False
    return value in numbers
