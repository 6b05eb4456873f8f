"""The index of registered names: that of our own packages is whole, and an old one costs time only."""

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from dpverify.core.name_index import NAME, written
from dpverify.core.registry import Registry, register_modules
from tests.name_index import indexes

ONE = "def register(registry):\n    registry.mechanisms.add('one', dict)\n"
TWO = ONE.replace("one", "two")
FILES = {"*.txt": lambda path, registry: registry.steps.add(path.read_text(), path.name)}
LOOK = """
import sys
from importlib.metadata import entry_points
from dpverify.core.plugins import GROUP, load_registry
found = load_registry(entry_points(group=GROUP))
{code}
print(*(name for name in sys.modules if name.partition(".")[0] in ("numpy", "reference_impls", "auditors", "numba")))
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with two modules, one of which is in a folder and both of which register, and a file."""
    folder = tmp_path / "indexed"
    (folder / "inner").mkdir(parents=True)
    for path, text in {"__init__.py": "", "inner/__init__.py": "", "inner/one.py": ONE, "plain.py": "A = 1\n"}.items():
        (folder / path).write_text(text)
    (folder / "a.txt").write_text("step-a")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("indexed")
    for name in [name for name in sys.modules if name.partition(".")[0] == "indexed"]:
        del sys.modules[name]


def index(package):
    Path(package.__path__[0], NAME).write_text(written(package, FILES, Registry(), lambda *_: {}))
    for name in [name for name in sys.modules if name.startswith("indexed.")]:
        del sys.modules[name]


def registered(package):
    found = Registry()
    register_modules(package, found, files=FILES)
    return found


def test_the_indexes_in_the_packages_are_those_of_a_full_registration():
    """After a change of what registers: ``make index``."""
    for path, text in indexes().items():
        assert json.loads(path.read_text(encoding="utf-8")) == json.loads(text), f"make index ({path})"


def test_with_an_index_nothing_is_imported_before_it_is_asked_for(package):
    index(package)
    found = registered(package)
    assert "one" in found.mechanisms
    assert "step-a" in found.steps
    assert "indexed.inner.one" not in sys.modules
    assert found.mechanisms.get("one") is dict
    assert found.steps.get("step-a") == "a.txt"
    assert "indexed.plain" not in sys.modules


def test_a_new_file_is_registered_without_a_new_index(package):
    index(package)
    Path(package.__path__[0], "another.py").write_text(TWO)
    Path(package.__path__[0], "b.txt").write_text("step-b")
    found = registered(package)
    assert list(found.mechanisms) == ["one", "two"]
    assert found.mechanisms.names() == ["two", "one"]
    assert found.steps.names() == ["step-a", "step-b"]


def test_a_changed_registration_is_seen_without_a_new_index(package):
    index(package)
    Path(package.__path__[0], "inner", "one.py").write_text("# more\n" + TWO)
    Path(package.__path__[0], "a.txt").write_text("step-z")
    found = registered(package)
    assert list(found.mechanisms) == ["two"]
    assert list(found.steps) == ["step-z"]


def test_other_changes_leave_the_index_as_it_is(package):
    index(package)
    Path(package.__path__[0], "inner", "one.py").write_text("# more\n" + ONE.replace("\n", "\r\n"), newline="")
    assert registered(package).mechanisms.waiting("one") is not None


def test_a_deleted_file_is_gone_without_a_new_index(package):
    index(package)
    Path(package.__path__[0], "inner", "one.py").unlink()
    assert list(registered(package).mechanisms) == []


@pytest.mark.parametrize(
    ("code", "imported", "not_imported"),
    [
        ("", {"auditors", "reference_impls"}, {"numpy", "numba"}),
        ("list(found.mechanisms)", set(), {"numpy", "numba"}),
        ("found.neighbors.get('replace')", {"numpy"}, {"numba", "reference_impls.papers"}),
        ("found.auditors.get('gate')", {"numpy"}, {"reference_impls.mechanisms", "auditors.privacy.transcript"}),
    ],
)
def test_only_what_is_asked_for_is_imported(code, imported, not_imported):
    ran = subprocess.run([sys.executable, "-c", LOOK.format(code=code)], capture_output=True, text=True, check=True)
    found = set(ran.stdout.split())
    assert imported <= found
    assert not not_imported & found
