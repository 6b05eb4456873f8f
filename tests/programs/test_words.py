"""The text of a command: words as a shell splits them, places, and values that no shell can mistake."""

from __future__ import annotations

import subprocess

import pytest

from dpverify.core.errors import InputError
from dpverify.programs.words import command_words


def test_words_are_split_as_a_shell_splits_them_and_other_braces_stay():
    found = command_words("awk -v 'k=a b' '{print $1}' {data:csv} {count}")
    assert found.words == ("awk", "-v", "k=a b", "{print $1}", "{data:csv}", "{count}")
    assert (found.data, found.seeded, found.counted, found.worker) == ("{data:csv}", False, True, False)
    assert found.filled({"{data:csv}": "/x y", "{count}": "3"})[-2:] == ["/x y", "3"]
    assert command_words("./noisy --clip 1").worker


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a program and its arguments"),
        ("./noisy 'x", "closed quotes"),
        ("./noisy {sed}", "did you mean {seed}"),
        ("./noisy {data:tsv}", "{data:tsv} in the command"),
        ("./noisy {data} {data:csv}", "one of them"),
        ("./{seed}", "a place in its own name"),
    ],
)
def test_a_bad_command_is_one_line(text, said):
    with pytest.raises(InputError, match=said.replace("{", r"\{")) as caught:
        command_words(text)
    assert "\n" not in str(caught.value)


def test_within_the_text_of_a_shell_values_are_quoted():
    evil = '["$(echo gone)","; echo gone"]'
    words = command_words(["sh", "-c", "printf %s {data:inline}"]).filled({"{data:inline}": evil})
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == evil


def test_a_word_that_the_system_does_not_take_is_refused():
    with pytest.raises(InputError, match="write \\{data\\}"):
        command_words("./noisy {data:inline}").filled({"{data:inline}": "1" * 2**18})


def test_the_name_has_no_folders_and_no_places():
    assert command_words("/opt/bin/perl /home/me/noisy.pl {data} {seed}").name == "perl noisy.pl"
    assert len(command_words(["sh", "-c", "x\n" * 100]).name) == 60
