"""Completion by the shell: names of commands, options of the one that was typed, and the script that asks for them."""

import os
import subprocess
import sys

import pytest

CALL = "import sys; from dpverify.cli import main; main()"


def answers(typed):
    """What bash is told after these words."""
    words = typed.split(" ")
    asks = {"_DPVERIFY_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    ran = subprocess.run(
        [sys.executable, "-c", CALL], capture_output=True, text=True, check=True, env={**os.environ, **asks}
    )
    assert ran.stderr == ""
    return ran.stdout.split()


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("dpverify au", {"audit"}),
        ("dpverify audit --tri", {"--trials"}),
        ("dpverify run --show-", {"--show-records"}),
    ],
)
def test_the_shell_is_told_what_may_follow(typed, told):
    found = answers(typed)
    assert told <= set(found)
    assert all(each.startswith(typed.split(" ")[-1]) for each in found)


def test_the_script_for_a_shell():
    """Typer looks which shell calls; there may be none here, so it is told."""
    ran = subprocess.run(
        [sys.executable, "-c", CALL, "--show-completion", "zsh"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
    )
    assert "_DPVERIFY_COMPLETE=complete_zsh" in ran.stdout
