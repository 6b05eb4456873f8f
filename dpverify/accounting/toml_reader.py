"""TOML text, looked at before the standard library reads it: that reader takes cubic time and memory for dotted keys.

``a.a.a...`` of 100 kB takes it 40 seconds and 3 GB, and arrays in arrays end in a RecursionError. So the parts of a key
and the nesting of values are limited. The scan is linear; malformed text is passed on, since the reader refuses it.
"""

from __future__ import annotations

import re
import tomllib

MOST_PARTS = 8
"""Of one dotted key."""

DEEPEST = 50
"""Arrays and inline tables inside one another."""

# An unclosed string goes to the end of its line or of the text, so that no position is read twice. No repeated group
# is possessive: Python 3.11.2 matches such groups wrongly.
_STRING = r'"(?:[^"\\\n]|\\[^\n])*"?+|' + r"'[^'\n]*+'?+"
_PIECE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"{3,5})?|'
    r"'''(?:[^']|'(?!''))*(?:'{3,5})?|"
    r"#[^\n]*+|"
    rf"(?P<key>(?:[\w+-]++|{_STRING})(?:[ \t]*+\.[ \t]*+(?:[\w+-]++|{_STRING}))*)|"
    r"(?P<bracket>[][{}])",
    re.ASCII | re.DOTALL,
)
_PART = re.compile(rf"[\w+-]++|{_STRING}", re.ASCII)


def parse_toml(text: str) -> dict[str, object]:
    """The table in a TOML text.

    Raises
    ------
    ValueError
        No TOML, or keys of more than `MOST_PARTS` parts, or values nested more than `DEEPEST` deep.
    """
    depth = 0
    for piece in _PIECE.finditer(text):
        if (key := piece["key"]) is not None and "." in key and len(_PART.findall(key)) > MOST_PARTS:
            raise ValueError(f"a key of more than {MOST_PARTS} parts between dots: {key[:40]}...")
        if (bracket := piece["bracket"]) is not None:
            depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
            if depth > DEEPEST:
                raise ValueError(f"its values are nested more than {DEEPEST} deep")
    return tomllib.loads(text)
