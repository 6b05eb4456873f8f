"""Docstrings are sentences: their subject is not the name that stands above them."""

import ast
import re
from pathlib import Path

import dpverify

HOME = Path(dpverify.__file__).parent
HALF = re.compile(
    r"(Of|As|By|In|For|To|At|From|With|Without|Where|What|Whether|Which|Who|How|Those|Some|None|Its|Itself|That)\b"
)
VERB = re.compile(r"(Show|Save|Close|Writes)\b")
LEFT = {"adapters", "datasets", "definitions", "laws", "sampling", "stats"}
"""Rooms whose texts are as they were."""
HALF_SENTENCES = 12
"""How many may be left elsewhere, in bugs of the gallery, whose records carry their hash; never more."""


def half_sentences(text: str) -> list[str]:
    """First sentences of docstrings that begin like half of one, or are a word or two without a verb."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    told = (ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, kinds))
    first = [each.partition("\n\n")[0] for each in told if each]
    return [each for each in first if HALF.match(each) or (len(each.split()) < 3 and not VERB.match(each))]


def test_docstrings_are_sentences():
    """A wish that is counted: what is new must not add to it."""
    found = {
        f"{path.relative_to(HOME)}: {each}"
        for path in HOME.rglob("*.py")
        if path.relative_to(HOME).parts[0] not in LEFT
        for each in half_sentences(path.read_text())
    }
    assert len(found) <= HALF_SENTENCES, "\n".join(sorted(found))


def test_the_search_for_half_sentences_finds_them():
    text = '''
class A:
    """Of each claim."""
    def name(self):
        """Its name."""
def f():
    """Return a number."""
'''
    assert half_sentences(text) == ["Of each claim.", "Its name."]


def test_saved_failures_have_one_name():
    """Pairs of old failures were saved, recorded, old failures, and saved pairs."""
    pages = [*HOME.rglob("*.py"), *(HOME.parent / "docs").rglob("*.md")]
    other = re.compile(r"(recorded|old) failure|saved[ _]pair", re.IGNORECASE)
    assert [str(path) for path in pages if other.search(path.read_text())] == []
