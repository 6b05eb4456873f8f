"""The index of registered names: an old, a torn and a missing one cost time only."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from dpverify.core.listing import listing
from dpverify.core.name_index import NAME
from dpverify.core.registry import Registry, registers

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
    """What a process before this one did."""
    registered(package)
    forget_modules()


def forget_modules():
    for name in [name for name in sys.modules if name.startswith("indexed.")]:
        del sys.modules[name]


def registered(package):
    found = Registry()
    registers(package.__name__, FILES)(found)
    return found


def kept(package):
    return Path(package.__path__[0], "__pycache__", NAME)


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


def test_line_ends_leave_the_index_as_it_is(package):
    index(package)
    Path(package.__path__[0], "inner", "one.py").write_text(ONE.replace("\n", "\r\n"), newline="")
    assert registered(package).mechanisms.waiting("one") is not None


def test_a_deleted_file_is_gone_without_a_new_index(package):
    index(package)
    Path(package.__path__[0], "inner", "one.py").unlink()
    assert list(registered(package).mechanisms) == []


def test_what_a_listing_says_follows_the_text(package):
    path = Path(package.__path__[0], "inner", "one.py")
    path.write_text("'Old words.'\nclass A:\n    'Subject.'\n" + ONE.replace("dict", "A"))
    assert listing(registered(package), "mechanisms")[0]["about"] == "Old words."
    path.write_text(path.read_text().replace("Old", "Other"))
    forget_modules()
    assert listing(registered(package), "mechanisms")[0]["about"] == "Other words."


@pytest.mark.parametrize("torn", ["", '{"rules": 1', "[]", '{"rules": 1, "entries": {}}'])
def test_a_torn_index_and_one_of_other_rules_are_made_anew(package, torn):
    index(package)
    whole = kept(package).read_text()
    kept(package).write_text(torn)
    assert registered(package).mechanisms.names() == ["one"]
    assert kept(package).read_text() == whole
    assert [path.name for path in kept(package).parent.iterdir() if path.suffix != ".pyc"] == [NAME]


@pytest.mark.parametrize("entries", [[], None, {"inner/one.py": 3}])
def test_an_index_of_another_form_is_made_anew(package, entries):
    index(package)
    whole = kept(package).read_text()
    kept(package).write_text(json.dumps({**json.loads(whole), "entries": entries}))
    assert registered(package).mechanisms.names() == ["one"]
    assert kept(package).read_text() == whole


def closed_to_writing(package, monkeypatch):
    """A package in whose folder no index can be kept, root or not."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    beside = kept(package).parent
    if beside.exists():
        beside.rename(beside.with_name("aside"))
    beside.write_text("no folder")
    return package


def test_where_the_sources_cannot_be_written_to_the_users_cache_keeps_it(package, tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda _: str(tmp_path / "cache"))
    index(closed_to_writing(package, monkeypatch))
    assert len(list((tmp_path / "cache" / "registered").iterdir())) == 1
    assert registered(package).mechanisms.waiting("one") is not None


def test_where_a_folder_was_chosen_for_kernels_it_stands_there(package, tmp_path, monkeypatch):
    closed_to_writing(package, monkeypatch)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kernels"))
    index(package)
    assert len(list((tmp_path / "kernels" / "registered").iterdir())) == 1
    assert registered(package).mechanisms.waiting("one") is not None


@pytest.mark.parametrize("cache", ["~/.cache", "{file}/cache"])
def test_where_nothing_can_be_written_to_all_is_registered(package, cache, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda _: cache.format(file=tmp_path / "file"))
    index(closed_to_writing(package, monkeypatch))
    assert list(registered(package).mechanisms) == ["one"]
    assert registered(package).mechanisms.waiting("one") is None
    assert not (tmp_path / "~").exists()


def test_processes_that_make_it_at_once_leave_a_whole_one(package):
    script = "import indexed; from dpverify.core.registry import *; registers('indexed')(Registry())"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    several = [subprocess.Popen([sys.executable, "-c", script], env=environment) for _ in range(4)]
    assert [each.wait() for each in several] == [0, 0, 0, 0]
    assert list(json.loads(kept(package).read_text())["entries"]) == ["inner/one.py"]


def test_an_index_that_a_wheel_brought_serves_without_another(package):
    index(package)
    kept(package).rename(Path(package.__path__[0], NAME))
    assert registered(package).mechanisms.waiting("one") is not None
    assert not kept(package).exists()


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
