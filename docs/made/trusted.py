"""What a reader must believe for each kind of verdict: the definitions that it rests on, with their files and lines.

The definitions are those that the function which computes a verdict again reaches (as digests of records follow them),
so that the list can neither forget one nor fall behind. Docstrings and blank lines are counted apart.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from dpverify.runner.row_sources import DECIDING, Key, Sources, reached_definitions

PACKAGES = (*DECIDING, "dpverify.core", "dpverify.proofs", "dpverify.runner.recheck")


@dataclass(frozen=True)
class Kind:
    """A kind of verdict: what is computed, from which definitions on, and with which other packages."""

    title: str
    words: str
    roots: tuple[Key, ...]
    packages: str


JUDGE = Key("dpverify.core.verdict", "judge")
ROOT_OF = Key("dpverify.core.light_optimize", "brentq")
"""scipy's `brentq` without its imports; digests take it for scipy's."""

CLAIM = Key("dpverify.definitions.pure_dp", "PureDP")
"""One kind of claim; others stand beside it in `dpverify.definitions`."""

KINDS = (
    Kind(
        "Refuted, by counts of one event",
        "A record has two counts, the level and the claim. The bound is computed again from them. You must believe "
        "that the draws were made as the record says: run its command again.",
        (Key("auditors.privacy.sampled_evidence", "one_event"), ROOT_OF, JUDGE, CLAIM),
        "numpy, scipy (the incomplete beta function)",
    ),
    Kind(
        "Refuted, by bets on draws as they come",
        "The counts of each block give its e-value again; their product decides.",
        (Key("auditors.privacy.sequential.recheck", "whole_chain"), ROOT_OF, JUDGE, CLAIM),
        "numpy, scipy",
    ),
    Kind(
        "Refuted, by replayed runs",
        "The same noise gives another output on the neighbour; the runs that differ are counted.",
        (Key("auditors.privacy.replay.auditor", "recheck_runs"), ROOT_OF, JUDGE, CLAIM),
        "numpy, scipy",
    ),
    Kind(
        "Refuted or certified, by an exact law of finitely many outcomes",
        "Probabilities in ball arithmetic, whose every ball contains the truth. You must believe that the law is that "
        "of the code; where the code can draw, its draws are compared with the law.",
        (
            *(Key("dpverify.laws.finite_proof", name) for name in ("delta", "epsilon", "largest_ratio", "renyi")),
            JUDGE,
            CLAIM,
        ),
        "python-flint (Arb)",
    ),
    Kind(
        "Proved from the code: the proof alone",
        "The rules of the proof are applied again, and its cost is computed anew. No code is run.",
        (Key("dpverify.proofs.certificate", "checked"),),
        "numpy",
    ),
    Kind(
        "Proved from the code: the proof beside the code",
        "The code runs on data sets of the domain with the random numbers of the proof; what differs refuses it.",
        (Key("dpverify.proofs.check", "check"),),
        "numpy",
    ),
)

HEAD = """# What you must believe, by kind of verdict

The sources are long; a verdict rests on few of them. Each table has the definitions that compute the verdict again from
its record, found by following every name that they use. Everything else (the search, the plan, the pages, the command
line) may be wrong in any way without making that number wrong. It may still miss a violation: a pass rests on all.

Python, the packages that are named, and the machine must be believed for all.

| verdict | definitions | lines of code | files |
|---|---:|---:|---:|
"""


def pages() -> dict[str, str | bytes]:
    """One page."""
    sources = Sources(packages=PACKAGES)
    found = [(kind, lines_of(sources, kind.roots)) for kind in KINDS]
    text = HEAD + "".join(
        f"| [{kind.title}](#{kind.title.lower().replace(',', '').replace(':', '').replace(' ', '-')}) "
        f"| {sum(len(each) for each in files.values())} | {total(files)} | {len(files)} |\n"
        for kind, files in found
    )
    return {"trusted.md": text + "\n" + "\n".join(_section(kind, files) for kind, files in found)}


def total(files: dict[str, dict[str, int]]) -> int:
    """Lines of code of all definitions."""
    return sum(sum(each.values()) for each in files.values())


def lines_of(sources: Sources, roots: tuple[Key, ...]) -> dict[str, dict[str, int]]:
    """By file, the lines of code of each definition that the roots reach."""
    found: dict[str, dict[str, int]] = {}
    for key in sorted({*roots, *reached_definitions(roots, sources=sources)}):
        module = sources.module(key.module)
        assert module is not None
        lines = sorted({line for node in module.definitions[key.name] for line in _code(node)})
        found.setdefault(f"{key.module.replace('.', '/')}.py", {})[key.name] = len(lines)
    return found


def _code(node: ast.AST) -> Iterator[int]:
    """Lines with code: no docstring, no blank line, no comment."""
    prose = {
        id(each.body[0].value)
        for each in ast.walk(node)
        if isinstance(each, ast.FunctionDef | ast.ClassDef)
        and each.body
        and isinstance(each.body[0], ast.Expr)
        and isinstance(each.body[0].value, ast.Constant)
    }
    for each in ast.walk(node):
        if id(each) not in prose and not (isinstance(each, ast.Expr) and id(each.value) in prose):
            for name in ("lineno", "end_lineno"):
                if (line := getattr(each, name, None)) is not None and not isinstance(each, ast.Module):
                    yield line


def _section(kind: Kind, files: dict[str, dict[str, int]]) -> str:
    counts = Counter({file: sum(each.values()) for file, each in files.items()})
    names = {file: ", ".join(f"`{name}`" for name in each) for file, each in files.items()}
    rows = "".join(f"| `{file}` | {lines} | {names[file]} |\n" for file, lines in counts.most_common())
    return (
        f"## {kind.title}\n\n{kind.words} Needs {kind.packages}.\n\n"
        f"| file | lines of code | definitions |\n|---|---:|---|\n{rows}"
    )
