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
import re
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.core.callable_name import function_at
from dpverify.core.errors import InputError, one_line
from dpverify.core.ledger_words import LOSSES, Objection, Printed
from dpverify.core.registry import Registry

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
_HEADER = re.compile(r"^\[\[objection\]\]", re.MULTILINE)


def load_objections(path: Path, registry: Registry) -> None:
    """Register the objections of an ``objections.toml``; the claims that they are to must be known already.

    Raises
    ------
    InputError
        One line with the file and the line of the entry: an unknown or missing field, a claim that is not there, a
        printed number without its place, a function that does not exist.
    """
    import tomllib  # our own files, which nobody writes to hang a reader

    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except (OSError, ValueError) as problem:
        raise InputError(f"{path}: {one_line(str(problem))}", allowed="a file of TOML in UTF-8") from problem
    if set(content) - {"objection"}:
        raise InputError(f"{path}: unknown {sorted(set(content) - {'objection'})[0]!r}", allowed="[[objection]]")
    lines = [text.count("\n", 0, found.start()) + 1 for found in _HEADER.finditer(text)]
    entries = content.get("objection", [])
    if len(entries) != len(lines):
        raise InputError(
            f"{path}: {len(entries)} objections below {len(lines)} lines [[objection]]",
            allowed="each below a line of its own",
        )
    for line, table in zip(lines, entries, strict=True):
        try:
            _load(table, registry)
        except InputError as problem:
            what = f"{path}, line {line}: {problem.what}"
            raise InputError(what, allowed=problem.allowed, remedy=problem.remedy) from problem
        except Exception as problem:  # a value of a type that nobody expects there
            what = f"{path}, line {line}: {type(problem).__name__}: {one_line(str(problem))}"
            raise InputError(what, allowed="values that an objection takes") from problem


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
