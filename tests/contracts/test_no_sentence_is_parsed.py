"""Nothing branches on an English sentence: what a note, an error or a line is about, its type says.

Two readings of all sources. What takes texts apart (``startswith``, ``partition``, ``in`` ...) is given no phrase of
two words; and nothing but `dpverify.core.note` takes a note's line apart.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import dpverify

HOME = Path(dpverify.__file__).parent.parent
PHRASE = re.compile(r"[A-Za-z]{2,},? [a-z]{2,}")
TEXT_METHODS = {"startswith", "endswith", "removeprefix", "removesuffix", "find", "index", "count"}
TEXT_METHODS |= {"partition", "rpartition", "split", "rsplit", "search", "match", "fullmatch"}
READER = "dpverify/core/note.py"

OTHERS = {
    "dpverify/assertion.py": {"those of the session of seed"},
    "dpverify/adapters/output_columns.py": {"member of "},
    "dpverify/code_key/reads.py": {"<frozen importlib"},
    "dpverify/datasets/neighbors/of_example.py": {"the example's own records"},
    "dpverify/ledger/measured_replays.py": {"--profile full"},
    "dpverify/ledger/refresh.py": {"--profile full"},
    "dpverify/pytest_plugin/report.py": {"dpverify audit "},
    "dpverify/reporting/utility_pages.py": {"no data set is here", "the shortfall lies"},
    "dpverify/runner/environment.py": {"model name"},
    "dpverify/runner/recheck.py": {"dpverify audit "},
    "dpverify/runner/store/schema.py": {"unable to open"},
    "dpverify/runner/subprocess_guard.py": {"Fatal Python error"},
    "dpverify/suite_file/read.py": {r"\(at (?:line (\d+), column (\d+)|end of document)\)"},
}
"""Phrases of others (SQLite, Python, Linux), command lines, and names (of forms, pairs, numbers). Records of statements
that were not measured have their reason as text only, whose format stays, and so has an error of a watched process."""


@cache
def tree_of(path: Path) -> ast.Module:
    """A module of ours, parsed."""
    return ast.parse(path.read_text())


@cache
def texts_of(path: Path) -> dict[str, str]:
    """The texts that a module of ours has names for; none of another's."""
    return constants(tree_of(path)) if path.is_file() else {}


def constants(tree: ast.Module) -> dict[str, str]:
    """The texts that a module has names for, of its own or imported."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found |= {each.id: node.value.value for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            theirs = texts_of((HOME / node.module.replace(".", "/")).with_suffix(".py"))
            found |= {each.asname or each.name: theirs[each.name] for each in node.names if each.name in theirs}
    return found


def compared(tree: ast.Module) -> Iterator[tuple[ast.AST, list[ast.expr], list[ast.expr]]]:
    """Where a text is taken apart: the node, the texts, and what they are looked for in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TEXT_METHODS:
            yield node, [*node.args], [node.func.value, *node.args]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            (place, *_) = node.comparators
            if not isinstance(place, ast.Tuple | ast.List | ast.Set | ast.Dict):
                yield node, [node.left], [place]


def phrases(tree: ast.Module) -> set[str]:
    """The phrases that a module looks for in texts."""
    named = constants(tree)
    found = set()
    for _, given, _ in compared(tree):
        for node in (each for one in given for each in ast.walk(one)):
            text = named.get(node.id) if isinstance(node, ast.Name) else getattr(node, "value", None)
            if isinstance(text, str) and PHRASE.search(text):
                found.add(text)
    return found


def is_of_notes(node: ast.AST) -> bool:
    """Whether an expression speaks of notes: a name, an attribute or a key."""
    said = {getattr(each, name, None) for each in ast.walk(node) for name in ("id", "attr", "value")}
    return any(isinstance(each, str) and each == "notes" for each in said)


def of_notes(tree: ast.Module) -> set[str]:
    """Names of what loops over notes give, and of what is taken from them."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and is_of_notes(node.iter):
            found |= {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.Assign) and is_of_notes(node.value) and isinstance(node.value, ast.Subscript):
            found |= {each.id for each in node.targets if isinstance(each, ast.Name)}
    return found


def notes_taken_apart(tree: ast.Module) -> list[int]:
    """Lines on which the text of a note is taken apart, or looked into."""
    names = of_notes(tree)
    return [
        node.lineno
        for node, given, places in compared(tree)
        if any(isinstance(each, ast.Name) and each.id in names for place in places for each in ast.walk(place))
        and not (isinstance(node, ast.Compare) and isinstance(given[0], ast.Attribute))  # asks for its kind
    ]


SOURCES = sorted(
    path.relative_to(HOME).as_posix() for folder in ("dpverify", "auditors") for path in (HOME / folder).rglob("*.py")
)


def test_no_phrase_is_looked_for_in_a_text():
    found = {path: phrases(tree_of(HOME / path)) for path in SOURCES}
    assert {path: texts for path, texts in found.items() if texts} == OTHERS


def speaks_of_notes(path: str) -> bool:
    return path != READER and "notes" in (HOME / path).read_text()


def test_only_one_module_takes_the_line_of_a_note_apart():
    found = {path: notes_taken_apart(tree_of(HOME / path)) for path in SOURCES if speaks_of_notes(path)}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "source",
    [
        'raised = next((note for note in finding.notes if note.startswith(("raised: ", "untried: "))), "")',
        "any(ONE_BY_ONE in note for note in notes)",
        'kept = [each for each in item["notes"] if "warning" in each]',
        'for line in result.notes:\n    label, _, text = line.partition(": ")',
        "found = [COUNTED.search(line) for line in finding.notes]",
        'first = result.notes[0]\nalone = first.removeprefix("regression: ")',
    ],
)
def test_what_was_done_before_is_found(source):
    assert notes_taken_apart(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        'if problem.startswith("ran longer than"):\n    pass',
        'FIRST = "no store at"\nlacks = FIRST in problem.what',
        "from dpverify.runner.session import REPEATED\nlacks = REPEATED in problem.what",
        'head, _, tail = text.partition("  fails in ")',
        'any(word in told for word in ("left out", "nothing was decided")) or "left out" in told',
    ],
)
def test_phrases_are_found(source):
    assert phrases(ast.parse(source))
