"""No data ever becomes code: the sources neither evaluate text nor read a format that can carry code."""

import ast
import re
from pathlib import Path

import pytest

import auditors
import dpverify
import reference_impls

PACKAGES = [Path(package.__file__).parent for package in (dpverify, auditors, reference_impls)]
SOURCES = [path for package in PACKAGES for path in sorted(package.rglob("*.py"))]
TEMPLATES = [path for package in PACKAGES for path in sorted(package.rglob("*.jinja"))]

MODULES = {"pickle", "_pickle", "cPickle", "cloudpickle", "dill", "marshal", "shelve", "jsonpickle", "code", "codeop"}
BUILTINS = {"eval", "exec", "compile", "__import__", "execfile"}
READERS = {"read_pickle", "to_pickle", "unsafe_load", "full_load", "load_all"}
OWNERS = {
    ("yaml", "load"),
    ("joblib", "load"),
    ("joblib", "dump"),
    ("torch", "load"),
    ("os", "system"),
    ("os", "popen"),
}


def faults(source):
    """Lines that could run what somebody wrote, each with what is wrong."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names]
            origin = [node.module or ""] if isinstance(node, ast.ImportFrom) else names
            found += [(node.lineno, name) for name in origin if name.partition(".")[0] in MODULES]
            if isinstance(node, ast.ImportFrom):
                pairs = {(node.module, name) for name in names}
                found += [(node.lineno, f"{owner}.{name}") for owner, name in sorted(pairs & OWNERS)]
                found += [(node.lineno, name) for name in names if name in READERS]
        elif isinstance(node, ast.Name) and node.id in BUILTINS:
            found.append((node.lineno, node.id))
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            built_in = owner == "builtins" and node.attr in BUILTINS
            if built_in or node.attr in READERS or (owner, node.attr) in OWNERS:
                found.append((node.lineno, f"{owner}.{node.attr}"))
        elif isinstance(node, ast.keyword):
            off = isinstance(node.value, ast.Constant) and node.value.value is False
            if node.arg in ("allow_pickle", "shell") and not off:
                found.append((node.value.lineno, f"{node.arg}={ast.unparse(node.value)}"))
    return found


COMPILES = {
    ("kinds.py", "compile"),
    ("kinds.py", "exec"),
    ("source.py", "compile"),
    ("statements.py", "builtins.__import__"),
}
"""Mutants: the author's own function, compiled again from its own source with its clipping taken out. Derivations: a
file compiled again, and never run, to see that it is the code that is loaded; and `__import__` compared, and never
called, to see that an import statement still means what it says."""


def test_no_source_evaluates_text_or_unpickles():
    assert len(SOURCES) > 300
    found = [(path.name, line, what) for path in SOURCES for line, what in faults(path.read_text())]
    assert [each for each in found if (each[0], each[2]) not in COMPILES] == []
    assert {(name, what) for name, _, what in found} == COMPILES


@pytest.mark.parametrize(
    "source",
    [
        "eval(text)",
        "run = exec",
        "compile(text, '', 'exec')",
        "__import__(name)",
        "import builtins\nbuiltins.eval(text)",
        "import pickle",
        "import numpy, pickle as p",
        "from pickle import loads",
        "from _pickle import Unpickler",
        "import marshal",
        "from shelve import open",
        "import yaml\nyaml.load(text)",
        "from yaml import load",
        "yaml.unsafe_load(text)",
        "joblib.load(path)",
        "frame = pandas.read_pickle(path)",
        "from pandas import read_pickle",
        "np.load(path, allow_pickle=True)",
        "np.load(path, allow_pickle=bool(1))",
        "np.load(path, **dict(allow_pickle=True))",
        "subprocess.run(text, shell=True)",
        "os.system(text)",
        "def f():\n    class C:\n        x = [eval(y) for y in z]",
    ],
)
def test_the_search_finds_each_way(source):
    assert faults(source)


@pytest.mark.parametrize(
    "source",
    ["re.compile(text)", "np.load(path, allow_pickle=False)", "json.load(stream)", "'eval(x)'", "model.eval()"],
)
def test_the_search_takes_nothing_else_for_one(source):
    assert not faults(source)


OWN_SCRIPT = "<script>{{ script }}</script>"
"""The report's: a file of ours, named by its hash in the page's policy; no other script runs."""

UNESCAPED = {"html_writer.py": ("Markup(_script())", "Markup(svg)", "Markup(bars_svg(", "Markup(drawing)")}
"""What is put into pages as it is: our own script, and pictures whose texts `dpverify.shown.svg` escapes."""


def test_templates_escape_everything():
    assert TEMPLATES
    for path in TEMPLATES:
        text = path.read_text()
        if path.name == "report.html.jinja":
            assert text.count(OWN_SCRIPT) == 1
            text = text.replace(OWN_SCRIPT, "")
        for word in ("|safe", "| safe", "autoescape", "<script", "javascript:", "srcdoc", "{% import"):
            assert word not in text, f"{path.name}: {word}"
        included = re.findall(r"{%-?\s*include\s+(.*?)\s*-?%}", text)
        assert all(name.strip('"') in {each.name for each in TEMPLATES} for name in included), path.name
    for path in SOURCES:
        text = path.read_text()
        for known in UNESCAPED.get(path.name, ()):
            assert text.count(known) == 1
            text = text.replace(known, "")
        assert "Markup(" not in text
        assert "autoescape=False" not in text
