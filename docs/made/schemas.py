"""The reference of the file formats, from their JSON schemas: one table for each object."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import dpverify

HOME = Path(dpverify.__file__).parent
FORMATS = {
    "record": (
        "The record of an audit",
        "reporting/record.schema.json",
        "`--json`, and the files `results.json` of runs, hold an array of these. The conclusion of a whole run is no "
        "record: it stands in `summary.json` beside `results.json` (with the false-alarm probability, the counts of "
        "verdicts and the facts of the run), and with `--json -` on standard error. `dpverify recheck FILE` computes "
        "each bound again from the counts in its record.",
    ),
    "suite_file": (
        "The suite file",
        "suite_file/suite_file.schema.json",
        "`dpverify.toml`, or the table `[tool.dpverify]` of `pyproject.toml`. `dpverify init PACKAGE` writes a first "
        "one.",
    ),
    "events": (
        "Progress for machines",
        "reporting/events.schema.json",
        "`--events FILE` writes one line of JSON for each step of a run.",
    ),
    "accounts": (
        "The JSON of an account",
        "reporting/accounts.schema.json",
        "`dpverify account ... --json` prints it.",
    ),
    "loss_proof": (
        "The proof of an account",
        "reporting/loss_proof.schema.json",
        "`dpverify account ... --prove --json` has it in the row of the accountant `proved`. `dpverify check-proof "
        "FILE` checks it, from there or from a file of its own.",
    ),
    "dossier": (
        "The JSON of a dossier",
        "dossier/dossier.schema.json",
        "`dpverify dossier ... --out DIR` writes `dossier.json`.",
    ),
}


def pages() -> dict[str, str | bytes]:
    """One page a format."""
    return {f"format_{name}.md": _page(*each) for name, each in FORMATS.items()}


def _page(title: str, file: str, words: str) -> str:
    schema = json.loads((HOME / file).read_text(encoding="utf-8"))
    text = [f"# {title}", "", words, "", f"The schema is `dpverify/{file}`. {schema.get('description', '')}", ""]
    text += _object(schema, schema)
    for name, part in schema.get("$defs", {}).items():
        if "properties" in part:
            text += [f"## {name}", "", part.get("description", ""), "", *_object(part, schema)]
    return "\n".join(text) + "\n"


def _object(part: Mapping[str, Any], schema: Mapping[str, Any]) -> list[str]:
    rows = [f"| {name} | {kind} | {words} |" for name, kind, words in _fields(part, schema)]
    return ["| field | is | meaning |", "|---|---|---|", *rows, ""] if rows else []


def _fields(part: Mapping[str, Any], schema: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str, str]]:
    needed = part.get("required", ())
    for name, field in part.get("properties", {}).items():
        there = schema["$defs"][field["$ref"].rpartition("/")[2]] if "$ref" in field else {}
        words = field.get("description", "" if "properties" in there else there.get("description", ""))
        if name in needed and not above:
            words = f"Required. {words}".strip()
        yield f"`{above}{name}`", _kind(field, schema), words.replace("|", "\\|")
        if "properties" in field:
            yield from _fields(field, schema, f"{above}{name}.")


def _kind(field: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        there = schema["$defs"][name]
        return f"[{name}](#{name.lower()})" if "properties" in there else _kind(there, schema)
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return " or ".join(f"`{json.dumps(each)}`" for each in field["enum"])
    for word in ("anyOf", "oneOf"):
        if word in field:
            return " or ".join(dict.fromkeys(_kind(each, schema) for each in field[word]))
    kinds = field.get("type", "anything")
    text = kinds if isinstance(kinds, str) else " or ".join(kinds)
    if text == "array" and "items" in field:
        return f"array of {_kind(field['items'], schema)}"
    return str(text)
