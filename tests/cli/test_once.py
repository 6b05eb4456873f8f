"""No command drops one of two values of an option."""

from __future__ import annotations

import pytest
import typer

from dpverify.cli.command_line import application
from dpverify.cli.commands import COMMANDS


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
