"""The fields of the tables in an experiment's file, and their values."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from dpverify.core.callable_name import function_at
from dpverify.core.errors import InputError

Table = dict[str, Any]

_TYPES: dict[str, dict[str, tuple[type, ...]]] = {
    "file": {
        "name": (str,), "paper": (str,), "item": (str,), "title": (str,), "sentence": (list,), "note": (str,),
        "x": (str,), "log_x": (bool,), "needs": (dict,), "design": (dict,), "tuning": (dict,), "arm": (list,),
        "unprinted": (list,), "statement": (list,),
    },
    "design": {
        "data": (list,), "axis": (str,), "xs": (list,), "epsilon": (float, int), "delta": (float,),
        "relation": (str,), "settings": (dict,), "evaluate": (str,), "evaluation": (dict,), "prepare": (list,),
        "train_as": (str, dict), "test": (float,), "tests": (dict,), "metrics": (list,), "floor": (str,),
        "ceiling": (str,), "chance": (dict,), "quick": (dict,), "full": (dict,),
    },
    "effort": {
        "repetitions": (int,), "xs": (list,), "tuned": (int,), "once": (bool,), "moved": (int,), "rows": (int,),
        "settings": (dict,),
    },
    "tuning": {"rule": (str,), "on": (dict,), "metric": (str,), "trials": (int,), "at": (float, int)},
    "arm": {
        "label": (str,), "algorithm": (str,), "settings": (dict,), "space": (dict,), "price": (str,),
        "epsilon": (float, int), "like": (str,), "prepare": (list,),
    },
    "unprinted": {"arm": (str,), "setting": (str,), "used": (object,), "others": (list,), "why": (str,)},
    "statement": {"id": (str,), "says": (str,), "guarantee": (str,), "reading": (str,)},
}  # fmt: skip
_NEEDED = {
    "file": ("name", "paper", "item", "title", "sentence", "design", "arm", "statement"),
    "design": ("data", "xs", "metrics", "quick", "full"),
    "effort": ("repetitions",),
    "tuning": (),
    "arm": ("label", "algorithm"),
    "unprinted": ("arm", "setting", "used", "why"),
    "statement": ("id", "says", "guarantee"),
}


def value_of(given: Any) -> Any:
    """A setting; TOML has no word for None, which is the text ``none`` here."""
    return None if given == "none" else given


def fits(kind: str, table: Any) -> None:
    """Check a table: all that is needed, nothing unknown, every value of a type that its field takes.

    Raises
    ------
    InputError
        One line that names the field.
    """
    known = _TYPES[kind]
    if not isinstance(table, dict):
        raise InputError(f"{kind} = {table!r}", allowed=f"a table of {', '.join(known)}")
    for name, value in table.items():
        if name not in known:
            raise InputError(f"unknown field {name!r} of {kind}", allowed=", ".join(known))
        if not isinstance(value, known[name]) or (isinstance(value, bool) and known[name] not in ((bool,), (object,))):
            raise InputError(
                f"{name} = {value!r} of {kind}", allowed=" or ".join(each.__name__ for each in known[name])
            )
    for name in _NEEDED[kind]:
        if name not in table:
            raise InputError(f"{kind} without {name!r}", allowed=", ".join(_NEEDED[kind]))


def function_of(given: str | Table) -> Callable[..., Any]:
    """A function by its dotted path, or by a table ``{ call = path, ... }`` with keyword arguments."""
    if isinstance(given, str):
        return called(given, {})
    return called(str(given.get("call", "")), {name: value for name, value in given.items() if name != "call"})


def called(path: str, settings: Table) -> Callable[..., Any]:
    """The function at a dotted path, with these keyword arguments."""
    found = function_at(path)
    return partial(found, **settings) if settings else found
