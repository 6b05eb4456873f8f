"""The reference of claims: what may be claimed, with the parameters of each, from the definitions."""

import dataclasses
import inspect
import re
from typing import Any

import dpverify as dpv

HEAD = """# Claims

A claim is written as a name with its parameters, such as `PureDP(epsilon=1)`. The text is read as data and never run as
code.

```text
claim   =  NAME(parameter=value, ...)
value   =  a number, a text in quotes, or several numbers in brackets: (0.5, 1)
number  =  0.1, 1e-5, 1/3, 2*3, log(3), ln(3), sqrt(2), inf
```

Parameters are written with their names; `PureDP(1)` is refused, and the message says what to write. A bracket with one
value has a comma, as in Python: `(2,)`. In Python the same claims are classes: `dpv.PureDP(epsilon=1)`.

A claim of privacy holds between neighbours under a relation: `add-remove` (one record more or less; the default), or
`replace` (one record has another value). With `--unit COLUMN` the records of one user count as one.

"""

PRIVACY = ("PureDP", "ApproxDP", "RDP", "ZCDP", "GDP", "Tradeoff", "SubsampledGaussian")


def pages() -> dict[str, str | bytes]:
    """One page: claims of privacy first, then the claims that papers and lemmas need."""
    known: Any = dpv.registry().definitions
    others = [name for name in known if name not in PRIVACY]
    text = HEAD + "## Claims of privacy\n\n" + "".join(_claim(name, known.get(name)) for name in PRIVACY)
    text += "## Other claims\n\nThe ledger and the utility experiments are written with these.\n\n"
    return {"claims.md": text + "".join(_claim(name, known.get(name)) for name in others)}


def _claim(name: str, definition: Any) -> str:
    summary, rows = _read(inspect.getdoc(definition) or "")
    fields = ", ".join(each.name.removeprefix("claimed_") for each in dataclasses.fields(definition))
    text = f"### {name}\n\n{summary}\n\n`{name}({fields})`\n\n"
    if rows:
        text += "| parameter | is | meaning |\n|---|---|---|\n" + "".join(f"| {' | '.join(r)} |\n" for r in rows) + "\n"
    examples = [each.text() for each in definition.examples()][:1] if hasattr(definition, "examples") else []
    return text + "".join(f"Example: `{each}`\n\n" for each in examples)


def _read(doc: str) -> tuple[str, list[tuple[str, str, str]]]:
    """The first paragraph, and the attributes of a docstring in numpy's form."""
    parts = re.split(r"\n(\w[\w ]*)\n-{3,}\n", "\n" + doc + "\n")
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    described = re.findall(
        r"^(\w[\w, ]*) : (.+)\n((?:    .+\n|\n(?=    ))*)", sections.get("Attributes", ""), re.MULTILINE
    )
    rows = [(f"`{name.removeprefix('claimed_')}`", _cell(kind), _cell(words)) for name, kind, words in described]
    return _cell(parts[0].strip().split("\n\n")[0]), [
        (n, k, w.replace("The parameter `delta`, in", "In")) for n, k, w in rows
    ]


def _cell(text: str) -> str:
    pieces = re.split(r"(``.+?``|`.+?`)", " ".join(text.split()))
    return "".join(p if p.startswith("`") else re.sub(r"([|*_<>\[\]{}$])", r"\\\1", p) for p in pieces)
