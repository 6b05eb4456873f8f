"""Plug-ins: none is an error, and a foreign package in the place of ours is named."""

import sys
import types
from importlib.metadata import EntryPoint, entry_points

import pytest

from dpverify.core import plugins
from dpverify.core.errors import AuditError
from dpverify.core.plugins import GROUP, load_registry, registry
from dpverify.core.watchdog_page import listening


class Distribution:
    def __init__(self, name):
        self.name = name


def point(name, value, owner):
    made = EntryPoint(name=name, value=value, group=GROUP)
    return made._for(Distribution(owner))


@pytest.fixture
def foreign(monkeypatch, tmp_path):
    """A package called `auditors_shadow` somewhere else, with a register function."""
    module = types.ModuleType("auditors_shadow")
    module.__file__ = str(tmp_path / "auditors_shadow" / "__init__.py")
    module.register = lambda registry: registry.auditors.add("theirs", object())
    monkeypatch.setitem(sys.modules, "auditors_shadow", module)
    return module


def test_no_plugins_is_an_error_and_never_an_empty_pass():
    with pytest.raises(AuditError, match="no plug-ins"):
        load_registry([])


def test_plugins_without_subjects_are_an_error(foreign):
    with pytest.raises(AuditError, match="no plug-ins"):
        load_registry([point("theirs", "auditors_shadow:register", "someone")])


def test_a_foreign_package_that_shadows_ours_is_named(foreign):
    with pytest.raises(AuditError, match=r"'auditors_shadow' comes from .*shadows dpverify's own"):
        load_registry([point("auditors", "auditors_shadow:register", "dpverify")])


def test_anybodys_plugin_comes_in_by_the_same_door(foreign):
    ours = [item for item in entry_points(group=GROUP) if item.dist.name == "dpverify"]
    found = load_registry([*ours, point("theirs", "auditors_shadow:register", "someone")])
    assert "theirs" in found.auditors
    assert len(found.mechanisms)


def test_two_plugins_of_one_name_are_named(foreign):
    ours = [item for item in entry_points(group=GROUP) if item.dist.name == "dpverify"]
    with pytest.raises(AuditError, match="two plug-ins are called 'auditors': of dpverify and of someone"):
        load_registry([*ours, point("auditors", "auditors_shadow:register", "someone")])


@pytest.mark.parametrize(
    "section", ["mechanisms", "auditors", "writers", "neighbors", "definitions", "claims", "entries"]
)
def test_a_plugin_that_registers_a_name_of_ours_is_refused_and_both_are_named(foreign, section):
    ours = [item for item in entry_points(group=GROUP) if item.dist.name == "dpverify"]
    name, taken = next(iter(getattr(registry(), section).items()))
    foreign.register = lambda registry: getattr(registry, section).add(name, taken)
    with pytest.raises(AuditError) as refused:
        load_registry([*ours, point("theirs", "auditors_shadow:register", "someone")])
    told = str(refused.value)
    assert "\n" not in told
    assert told.startswith("plug-in 'theirs' of someone is refused: two ")
    assert f" called {name!r}: " in told
    assert " of dpverify and " in told
    assert " of plug-in 'theirs' of someone; " in told


def test_a_known_broken_subject_cannot_take_the_place_of_a_sound_one(foreign):
    ours = [item for item in entry_points(group=GROUP) if item.dist.name == "dpverify"]
    foreign.register = lambda registry: registry.known_broken.add("laplace", dict)
    with pytest.raises(
        AuditError, match=r"two known broken mechanisms called 'laplace': .* of dpverify and builtins\.dict"
    ):
        load_registry([*ours, point("theirs", "auditors_shadow:register", "someone")])


def test_a_plugin_that_fails_while_it_registers_is_named_in_one_line(foreign):
    def register(registry):
        raise RuntimeError("no\nway\x1b[2J")

    foreign.register = register
    with pytest.raises(AuditError, match=r"^plug-in 'theirs' of someone is refused: no way\\x1b\[2J$"):
        load_registry([point("theirs", "auditors_shadow:register", "someone")])


def test_a_plugin_that_cannot_be_loaded_is_named():
    with pytest.raises(AuditError, match="plug-in 'gone' of someone"):
        load_registry([point("gone", "no_such_module_at_all:register", "someone")])


@pytest.mark.parametrize("what", ["import sys; sys.exit(0)", "raise KeyboardInterrupt", "raise GeneratorExit"])
@pytest.mark.parametrize("when", ["imported", "registering"])
def test_a_plugin_that_raises_what_is_no_exception_is_named_in_one_line(tmp_path, monkeypatch, what, when):
    """A KeyboardInterrupt that nobody pressed is one of these; the module is made anew each time."""
    name = f"ends_{when}_{what[-4:].strip('()')}"
    at_once, later = (what, "pass") if when == "imported" else ("pass", what)
    (tmp_path / f"{name}.py").write_text(f"{at_once}\ndef register(registry):\n    {later}\n")
    monkeypatch.syspath_prepend(tmp_path)
    with listening(), pytest.raises(AuditError, match=r"^plug-in 'theirs' of someone") as caught:
        load_registry([point("theirs", f"{name}:register", "someone")])
    assert len(str(caught.value).splitlines()) == 1


def test_what_a_plugin_prints_is_no_result(foreign, capsys):
    foreign.register = lambda registry: sys.stdout.write("here\n")
    with pytest.raises(AuditError, match="no plug-ins"):
        load_registry([point("theirs", "auditors_shadow:register", "someone")])
    assert capsys.readouterr() == ("", "here\n")


def test_the_installed_registry_is_whole():
    known = registry()
    assert len(known.auditors) >= 3
    assert not set(known.mechanisms) & set(known.known_broken)
    for _, entry in known.entries.items():
        known.subject(entry.claim.subject)
        known.neighbors.get(entry.claim.space.generator or entry.claim.relation)


def test_ledger_claims_carry_no_expectation_into_suites():
    known = registry()
    for _, claim in known.claims.items():
        for single in claim.single():
            assert known.entries.get(single.id).expectation is None


def test_the_working_directory_installs_nothing(tmp_path, monkeypatch):
    about = tmp_path / "stranger-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[dpverify.plugins]\nstranger = stranger:register\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(plugins.LEFT_OUT, raising=False)
    for path, found in (([str(tmp_path), *sys.path], False), ([sys.path[0], str(tmp_path), *sys.path[1:]], True)):
        monkeypatch.setattr(sys, "path", path)
        plugins.leave_out_working_directory()
        assert any(each.name == "stranger" for each in plugins.installed()) is found
        monkeypatch.delenv(plugins.LEFT_OUT, raising=False)
