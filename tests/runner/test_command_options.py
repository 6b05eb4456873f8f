"""Commands without some of their options, however these are written."""

from dpverify.runner.command_options import without_options


def test_options_go_with_their_values_and_others_stay():
    words = ["dpverify", "audit", "m:f", "--json", "out.json", "--events=e.jsonl", "--quiet", "--seed", "3", "--json"]
    assert without_options(words, ("--json", "--events")) == ["dpverify", "audit", "m:f", "--seed", "3"]
