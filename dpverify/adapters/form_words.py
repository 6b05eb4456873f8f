"""A recorded form of a result (`dpverify.recording.flatten_output.form`) in words, where a replay's event names it."""

from __future__ import annotations

import ast
import re
from typing import Any

_EVENT = re.compile(r"form of the result is (.*?) on one data set and (.*?) on the other(.*)", re.DOTALL)
_NAMES = re.compile(r"\('((?:[^'\\]|\\.)*)', (?=['(])")
MAPPING = "mapping"


def form_event_in_words(event: str) -> str:
    """``the result is a dict of 'a', 'b' on one data set and a dict of 'b' on the other``; other events unchanged."""
    found = _EVENT.fullmatch(event)
    if found is None:
        return event
    return f"the result is {_read(found[1])} on one data set and {_read(found[2])} on the other{found[3]}"


def _read(text: str) -> str:
    """Words for the text of a form, which the event may have cut."""
    try:
        return _words(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, LookupError):
        names = [name for name in _NAMES.findall(text) if name != MAPPING]
        return f"a dict of {', '.join(map(repr, names))} and more" if names and text.endswith("...") else text


def _words(form: Any) -> str:
    if form == "value":
        return "a single value"
    kind, inside = form
    if kind == "array":
        return f"an array of shape {tuple(inside)}"
    if kind != MAPPING:
        return f"a {kind} of {len(inside)}"
    told = [repr(name) if part == "value" else f"{name!r} ({_words(part)})" for name, part in inside]
    return f"a dict of {', '.join(told)}" if told else "an empty dict"
