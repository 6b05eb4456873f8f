"""Numbers as people write them, and where a wrong option is sent."""

import pytest
import typer

from dpverify.cli.options import whole_number


@pytest.mark.parametrize(
    ("text", "number"), [("200000", 200_000), ("200_000", 200_000), ("2e5", 200_000), ("1.5e1", 15), ("-3", -3)]
)
def test_whole_numbers(text, number):
    found = whole_number(text)
    assert (found, type(found)) == (number, int)


@pytest.mark.parametrize("text", ["1.5", "", "many", "nan", "inf", "1e300", "0x10"])
def test_what_is_no_whole_number(text):
    with pytest.raises(typer.BadParameter, match="is no whole number, such as 200000, 200_000 or 2e5"):
        whole_number(text)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("audit", "--trils", "3"), "--trials); `dpverify audit --help` shows its options"),
        (("run", "core", "--trials", "1.5"), "200_000 or 2e5; `dpverify run --help` shows its options"),
        (("audt",), "Did you mean 'audit'?; `dpverify --help` shows the commands"),
    ],
)
def test_a_wrong_word_is_sent_to_the_help_that_lists_the_right_ones(words, told, call):
    status, _, err = call(*words)
    assert status == 2
    assert told in err
