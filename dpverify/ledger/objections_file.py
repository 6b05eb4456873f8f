"""``objections.toml``: what the authors would say to the refuted claims of a ``claims.toml`` beside it, as data.

::

    [[objection]]
    of = "BL-BUDGET.paper"               # a claim with its reading; "A.a, A.b": several
    loses = "privacy"                    # what a user loses: privacy, sensitivity, or remark for neither
    says = "..."                         # the authors' strongest objection
    left = "..."                         # what is left of the claim if it is granted
    printed = [{ what = "n = 48,842", where = "Table I" }]   # the paper's numbers at which it was shown to fail
    ours = "..."                         # numbers and conditions of ours that decide; left out: none
    scale = "..."                        # those of ours that only decide by how much
    excluded = "..."                     # where the paper's own text excludes the reading: no headline
    factor = "unbounded, {factor} after 300 iterations"      # or {value}; left out: the factor alone
    beside = ["AP-THM41.c"]              # claims to be named beside it
    delta = 1e-8                         # the paper's, at which Renyi divergences are converted
    law = "gaussian"                     # the refuting pair is a shifted Gaussian: its epsilon is exact
    epsilon = "package.module.function"  # computes epsilons otherwise; `with` gives it keyword arguments
    no_epsilon = "..."                   # why there is none

A row that is refuted needs one to be shown in a headline. Nothing in it is reached by the digest of code that decides
records. Whatever does not fit is one line with the file and the line of its entry.
"""

from __future__ import annotations

import dataclasses
import inspect
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.core.callable_name import function_at
from dpverify.core.errors import InputError
from dpverify.core.ledger_words import LOSSES, Objection, Printed
from dpverify.core.registry import Registry
from dpverify.core.toml_file import TomlFile

_FIELDS = {
    "of": str,
    "with": dict,
    "epsilon": str,
    "printed": list,
    "beside": list,
    "delta": float,
    **dict.fromkeys(("loses", "says", "left", "ours", "scale", "excluded", "factor", "law", "no_epsilon"), str),
}
_NEEDED = ("of", "loses", "says", "left")


def load_objections(path: Path, registry: Registry) -> None:
    """Register the objections of an ``objections.toml``; the claims that they are to must be known already.

    Raises
    ------
    InputError
        One line with the file and the line of the entry: an unknown or missing field, a claim that is not there, a
        printed number without its place, a function that does not exist.
    """
    file = TomlFile(path)
    with file.faults_in_one_line("values that an objection takes"):
        for name in set(file.content) - {"objection"}:
            file.place = (name, 0)
            raise InputError(f"unknown {name!r}", allowed="[[objection]]")
        for index, table in enumerate(file.content.get("objection", [])):
            file.place = ("objection", index)
            _load(table, registry)


def _load(table: dict[str, Any], registry: Registry) -> None:
    for name, value in table.items():
        if name not in _FIELDS:
            raise InputError(f"unknown field {name!r} of an objection", allowed=", ".join(_FIELDS))
        if not isinstance(value, _FIELDS[name]) or value in ("", [], {}):
            raise InputError(f"{name} = {value!r} of an objection", allowed=f"a {_FIELDS[name].__name__}, not empty")
    for name in _NEEDED:
        if name not in table:
            raise InputError(f"an objection without {name!r}", allowed=f"one with {', '.join(_NEEDED)}")
    if table["loses"] not in LOSSES:
        raise InputError(f"loses = {table['loses']!r}", allowed=", ".join(LOSSES))
    ids = [name.strip() for name in table["of"].split(",")]
    for name in (*ids, *table.get("beside", [])):
        if name not in registry.entries:
            raise InputError(f"an objection that names {name!r}", allowed="a claim of the ledger, with its reading")
    given = {name: value for name, value in table.items() if name not in ("of", "with", "epsilon", "printed", "beside")}
    whole = Objection(
        claim=ids[0],
        printed=tuple(_printed(each) for each in table.get("printed", [])),
        beside=tuple(table.get("beside", ())),
        epsilon=_computed(table),
        **given,
    )
    for name in ids:
        registry.objections.add(name, dataclasses.replace(whole, claim=name))


def _printed(table: Any) -> Printed:
    if not (isinstance(table, dict) and set(table) == {"what", "where"}):
        raise InputError(f"printed = {table!r}", allowed='{ what = "n = 48,842", where = "Table I" }')
    return Printed(**table)


def _computed(table: dict[str, Any]) -> Any:
    if "epsilon" not in table:
        if "with" in table:
            raise InputError("`with` of an objection without `epsilon`", allowed="both, or neither")
        return None
    function, settings = function_at(table["epsilon"]), table.get("with", {})
    inspect.signature(function).bind(**settings)
    return partial(function, **settings)
