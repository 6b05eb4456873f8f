"""JSON text for files and for standard output."""

from __future__ import annotations

import json
from typing import Any


def dump(value: Any) -> str:
    """JSON text of all reports: indented, without NaN; control characters are escaped, since terminals act on them."""
    lines = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False).split("\n")
    return "\n".join(line if line.isprintable() else _escaped(line) for line in lines) + "\n"


def _escaped(line: str) -> str:
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in line)
