"""No command drops one of two values of an option."""

from __future__ import annotations

import pytest
import typer

from dpverify.cli.command_line import application
from dpverify.cli.commands import COMMANDS
from dpverify.cli.once import FEW


def options(name):
    """Of a command: each option with a value, by its longest name."""
    group = typer.main.get_command(application([name]))
    return {
        max(each.opts, key=len): each
        for each in group.commands[name].params
        if each.param_type_name == "option" and not each.is_flag
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_a_repeated_option_is_one_line(call, name):
    for option, asked in options(name).items():
        values = ["1"] * (asked.nargs if asked.nargs > 0 else 1)
        status, out, err = call(name, option, *values, option, *values)
        told = f"dpverify: {option} is given 2 times; allowed: one value; leave one {option}\n"
        assert asked.multiple or (status, out, err) == (2, "", told)


def test_another_spelling_is_a_repetition_too_and_a_flag_is_none(call):
    assert "--only is given 3 times" in call("run", "--only", "a", "--only=b", "--only", "c")[2]
    assert "times" not in call("run", "nothing", "--quiet", "--quiet")[2]


def grouped_options(name):
    """Those of a command, but for ``--help``."""
    command = typer.main.get_command(application([name])).commands[name]
    return [each for each in command.params if each.param_type_name == "option"]


def sections(shown):
    """By section of the help: its lines."""
    found, name = {}, ""
    for line in shown.splitlines():
        if line and not line.startswith(" "):
            name = line
        else:
            found.setdefault(name, []).append(line)
    return found


LONG = [name for name in COMMANDS if len(grouped_options(name)) > FEW]


def test_the_long_commands_are_among_those_that_are_looked_at():
    assert {"audit", "run", "frontier", "sampler", "ledger", "audit-library", "scores"} <= set(LONG)


@pytest.mark.parametrize("name", LONG)
def test_every_option_of_a_long_command_has_a_group(name):
    assert [each.name for each in grouped_options(name) if not each.rich_help_panel] == []


@pytest.mark.parametrize("name", LONG)
def test_the_help_of_a_long_command_has_sections_within_80_columns(call, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = call(name, "--help")
    shown = sections(out)
    assert status == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "Options:" not in shown
    for each in grouped_options(name):
        told = "\n".join(shown[f"{each.rich_help_panel}:"])
        assert any(word in told for word in each.opts), each.name
    assert "--help" in "\n".join(shown["Output:"])


def test_a_short_command_has_one_list(call):
    assert set(sections(call("compare", "--help")[1])) >= {"Arguments:", "Options:"}
    assert "Output:" not in call("compare", "--help")[1]
