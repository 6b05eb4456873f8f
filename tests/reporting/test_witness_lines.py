"""A witness is told line by line, short, and without what the row's other lines say."""

from dpverify.reporting.witness_lines import witness_lines


def test_each_name_has_its_line_and_nothing_stands_twice():
    witness = {
        "event": "output > 3",
        "pair": "1 by 0",
        "d0": [1.0],
        "d1": [0.0],
        "direction": "d0 against d1",
        "parameters": {},
        "values": list(range(200)),
        "at": {"step": 3, "ends": True},
    }
    assert witness_lines(witness) == [
        "  witness   direction: d0 against d1",
        "            values: [0, 1, 2, ... (200 in all)]",
        "            at, step: 3",
        "            at, ends: yes",
    ]


def test_a_pair_without_a_name_is_shown():
    assert witness_lines({"d0": [1.0], "d1": []}) == ["  witness   d0: [1.0]", "            d1: []"]


def test_parameters_are_shown_where_no_other_line_has_them():
    witness = {"parameters": {"sigma": 2.0}}
    assert witness_lines(witness) == ["  witness   parameters, sigma: 2"]
    assert witness_lines(witness, {"sigma": 2.0}) == []


def test_no_line_is_a_python_dict_or_too_long():
    lines = witness_lines({"deep": [{"a": [0.5] * 100, "b": "x" * 1000}] * 9})
    assert all(len(line) < 80 and "{" not in line for line in lines)
