"""Names for the parts of a recorded result, in the order of `leaves`, so that an event says which number it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import Any

from dpverify.core.transcript import Transcript
from dpverify.recording.observed_steps import NOISE

_RESULT = re.compile(r"\bresult\[(\d+)\]")


def leaf_names(form: Any, name: str = "") -> Iterator[str]:
    """``result['mean']``, ``result['counts'][2]`` ... for a form of `flatten_output.form`."""
    if form == "value":
        yield name
        return
    kind, inside = form
    if kind == "array":
        yield from (f"{name}[{', '.join(map(str, at))}]" for at in product(*map(range, inside)))
    elif kind == "mapping":
        for key, part in inside:
            yield from leaf_names(part, f"{name}[{key!r}]")
    else:
        for number, part in enumerate(inside):
            yield from leaf_names(part, f"{name}[{number}]")


def with_leaf_names(event: str, run: Transcript) -> str:
    """The event, in which ``result[1]`` (the second noisy number of the result) has the name of its part.

    Unchanged where the result's noise has two laws, since the numbers count each by itself.
    """
    forms = [step.value for step in run.steps if step.name == "form of the result"]
    shown = [step.value for step in run.steps if step.name == "result" and step.kind == "public"]
    drawn = [step.clean.size for step in run.steps if step.name == "result" and step.kind == "noisy"]
    names = list(leaf_names(forms[-1], "result")) if forms and shown and len(drawn) == 1 else []
    if not names or not isinstance(shown[-1], tuple) or len(names) != len(shown[-1]):
        return event
    noisy = [name for name, part in zip(names, shown[-1], strict=True) if isinstance(part, str) and part == NOISE]
    if len(noisy) != drawn[0]:
        return event
    return _RESULT.sub(lambda found: noisy[int(found[1])] if int(found[1]) < len(noisy) else found[0], event)
