"""How a reference is named: ``dp-sgd``, or with settings of one's own, ``dp-sgd(steps=500, batch=256)``."""

from __future__ import annotations

import json
import re
from typing import Any

from dpverify.core.errors import InputError

_FORM = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\((.*)\))?", re.DOTALL)
_SETTING = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.+?)\s*", re.DOTALL)

ALLOWED = "a name, or a name with settings such as 'dp-sgd(steps=500, batch=256)'"


def references_of(text: str) -> tuple[str, ...]:
    """The references that a command line names, apart at commas outside of parentheses."""
    return tuple(_split(text))


def parsed_reference(text: str) -> tuple[str, dict[str, Any]]:
    """The algorithm's name, and its settings: numbers, true, false, texts.

    Raises
    ------
    InputError
        For a text of another form, and a setting that is given twice.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise InputError(f"the reference {text!r}", allowed=ALLOWED)
    settings: dict[str, Any] = {}
    for each in _split(found[2] or ""):
        one = _SETTING.fullmatch(each)
        if one is None or one[1] in settings:
            raise InputError(f"{each!r} in the reference {text!r}", allowed="settings such as steps=500, each once")
        settings[one[1]] = _value(one[2])
    return found[1], settings


def _value(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        return text.strip("'")
    return found if isinstance(found, bool | int | float | str) else text


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [each.strip() for each in parts if each.strip()]
