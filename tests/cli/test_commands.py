"""The table of commands: whole, true, and enough for ``--help`` and ``--version`` without any other import."""

import inspect
import subprocess
import sys
from importlib import import_module

import pytest

from dpverify.cli.command_line import application
from dpverify.cli.commands import COMMANDS, OPTIONS, help_text, place_of

LOOK = """
import sys
import dpverify.cli
sys.argv = ["dpverify", *{words!r}]
try:
    dpverify.cli.main()
except SystemExit as end:
    print(end.code)
print(" ".join(name for name in {names!r} if name in sys.modules))
"""


def loaded(*words, names):
    """What the command prints, its exit status, and which of the modules its process has imported then."""
    code = LOOK.format(words=words, names=names)
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *text, status, found = ran.stdout.split("\n")[:-1]
    return "\n".join(text), int(status), found.split()


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_where_the_table_says_and_does_what_it_says(name):
    module, function = place_of(name)
    told = " ".join(inspect.getdoc(getattr(import_module(module), function)).split())
    assert told.startswith(COMMANDS[name])


def test_the_table_is_what_is_called():
    assert [each.name for each in application([]).registered_commands] == list(COMMANDS)
    assert [each.name for each in application(["list"]).registered_commands] == ["list"]


@pytest.mark.parametrize("width", [30, 80, 200])
def test_the_help_names_every_command_and_option_within_the_width(width):
    text = help_text(width)
    told = " ".join(text.split())
    for name, line in [*OPTIONS.items(), *COMMANDS.items()]:
        assert f" {name} {line}" in told
    assert max(map(len, text.splitlines())) <= max(48, width - 2)


def test_the_help_is_one_text_however_it_is_asked_for(call):
    status, out, _ = call("--version", "--help")
    assert (status, out) == (0, help_text(80))
    assert call("--help")[:2] == (0, help_text(80))


@pytest.mark.parametrize(("words", "status"), [(["--version"], 0), (["--help"], 0), ([], 2)])
def test_version_and_help_import_next_to_nothing(words, status):
    out, ended, found = loaded(*words, names=["numpy", "typer", "rich", "numba", "dpverify.runner", "dpverify.cli.run"])
    assert (ended, found) == (status, [])
    assert out.startswith("dpverify 0." if words == ["--version"] else "Usage: dpverify ")


def test_only_the_command_that_is_asked_for_is_imported():
    code = "from dpverify.cli.command_line import application; application(['list']); import sys; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "dpverify.cli.listing" in found
    assert not {"dpverify.cli.run", "dpverify.cli.audit", "numpy", "rich"} & set(found)


def test_an_audit_imports_only_what_it_uses(tmp_path):
    (tmp_path / "summed.py").write_text("def noisy(data, size, rng):\n    return sum(data) + rng.laplace(size=size)\n")
    words = ["audit", "summed:noisy", "--claim", "PureDP(epsilon=1)", "--data", "[0.0, 1.0]", "--trials", "500"]
    code = f"""
import sys
from dpverify.cli import command_line
sys.argv = ["dpverify", *{[*words, "--quiet"]!r}]
try:
    command_line.command_line()
finally:
    print(*sys.modules)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    found = ran.stdout.split()
    assert "auditors.privacy.gate.auditor" in found
    assert len([name for name in found if name.startswith("reference_impls")]) <= 1
    assert not [name for name in found if name.startswith("dpverify.accounting.")]
    assert not {"joblib", "sklearn", "jinja2", "pooch", "dp_accounting", "scipy.stats"} & set(found)


def test_records_that_were_typed_are_left_out_of_the_command_that_is_kept(monkeypatch, tmp_path):
    from dpverify.cli.output import command_text

    (tmp_path / "data.json").write_text("[1]")
    file = str(tmp_path / "data.json")
    for typed, kept in (
        (["--data", "[0.123, 4]"], "--data EXAMPLE"),
        (["--data=[0.123, 4]"], "--data=EXAMPLE"),
        (["--data", file], f"--data {file}"),
        (["--d0", "[1]"], "--d0 '[1]'"),
    ):
        monkeypatch.setattr(sys, "argv", ["dpverify", "audit", "m:f", *typed])
        assert command_text(hide_data=True) == f"dpverify audit m:f {kept}"
    assert command_text() == "dpverify audit m:f --d0 '[1]'"


def test_suites_are_listed(call):
    status, out, _ = call("list", "suites")
    assert status == 0
    assert [line.split()[0] for line in out.splitlines()][:1] == ["core"]
    assert "papers" in out
