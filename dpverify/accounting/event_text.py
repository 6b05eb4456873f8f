"""The text of an event of ``dp_accounting``, as Python prints it, read by hand and never evaluated as code.

    event := NAME "(" [argument ("," argument)* [","]] ")"          argument := NAME "=" value
    value := event | number | ("np.float64" | ...) "(" number ")" | list or tuple of values

``GaussianDpEvent(noise_multiplier=1.1)``, and the tuples that ``to_named_tuple`` makes. Which events there are, and
what they cost, is said elsewhere (:mod:`~dpverify.accounting.other_libraries`). Not to be confused with compositions.
"""

from __future__ import annotations

import re

from dpverify.accounting.composition_grammar import WrittenStep
from dpverify.definitions.grammar import FUNCTIONS, TextReader, token_pattern

_SCALAR = re.compile(r"(?:np|numpy|jnp)\.(?:float|int)\d{1,3}")
_TUPLE = re.compile(r"_(\w+)NamedTupleWrapper")


def parse_event(text: str) -> WrittenStep:
    """The event that `text` says, its class's name and its fields; InputError (one line, with the position) if none."""
    reader = _Reader(text)
    found = reader.event()
    reader.finish("nothing after the closing ')'")
    return found


class _Reader(TextReader):
    """Events: calls in calls; numbers are floats, but for whole ones."""

    subject = "an event"
    example = "PoissonSampledDpEvent(sampling_probability=0.01, event=GaussianDpEvent(noise_multiplier=1.1))"
    tokens_like = token_pattern(r"[A-Za-z_][\w.]*+")

    def event(self) -> WrittenStep:
        """A class's name with its fields."""
        with self.deeper():
            name, fields = self.call("the name of an event's class")
        wrapped = _TUPLE.fullmatch(name)
        if wrapped:
            fields = {key: value for key, value in fields.items() if key not in ("module_name", "class_name")}
        return WrittenStep(name=wrapped[1] if wrapped else name.rpartition(".")[2], arguments=fields)

    def item(self) -> object:
        """An event, None, a number of NumPy's, or whatever else may stand there."""
        if self.kind != "name" or self.token in FUNCTIONS or self.token == "inf":
            return super().item()
        if self.token == "None":
            return self.advance() and None
        if not _SCALAR.fullmatch(self.token):
            return self.event()
        name = self.advance()
        self.take("(", f"'(' after {name}")
        value = self.product()
        self.take(")", "')'")
        return value

    def product(self) -> float:
        """A number with its sign; Python prints nothing else."""
        sign = -1 if self.follows("+-") and self.advance() == "-" else 1
        if self.kind == "number":
            return sign * float(self.advance())
        if self.kind == "name" and self.token == "inf":
            return sign * float(self.advance())
        raise self.error("a number, an event, or a list of them")
