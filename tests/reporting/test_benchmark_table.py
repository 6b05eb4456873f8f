"""The table of published bounds: what is shown, what counts as met, and why a bound falls short."""

import io

from rich.console import Console

from dpverify.reporting.benchmark_table import (
    benchmark_table,
    cells,
    meets_published,
    notes,
    totals,
    with_published_bound,
)


def row(bound, due=0.2, *, truth=0.25, k1=3000, k2=2000, name="a-claim"):
    return {
        "id": name,
        "bound": bound,
        "confidence": 0.9,
        "seconds": 1.25,
        "reason": "",
        "witness": {"event": "output > 1"},
        "evidence": [
            {"statistics": {"k1": k1, "n1": 10_000, "k2": k2, "n2": 10_000, "pairs_screened": 7, "alpha": 0.1}}
        ],
        "published": {"truth": truth, "bound": 0.1, "tool": "Tool", "seconds": 300.0, "due": due},
    }


def test_a_row_whose_auditor_counts_otherwise_has_a_note():
    item = row(0.19, k1=2200, k2=2000)
    seen = item["evidence"][0]["statistics"]
    assert (
        "no better event was found."
        in notes([{**item, "evidence": [{"statistics": _without(seen, "pairs_screened")}]}])[0]
    )
    for name in ("k1", "n1", "k2", "n2", "alpha"):
        assert "no counts of an event" in notes([{**item, "evidence": [{"statistics": _without(seen, name)}]}])[0]


def _without(seen, name):
    return {key: value for key, value in seen.items() if key != name}


def test_only_rows_with_published_bounds_are_shown():
    assert with_published_bound([{"id": "x"}, row(0.3)])[0]["id"] == "a-claim"
    silent = io.StringIO()
    benchmark_table([{"id": "x"}], Console(file=silent))
    assert silent.getvalue() == ""


def test_bounds_are_compared_as_printed():
    assert meets_published(row(0.2))
    assert not meets_published(row(0.19996)), "a target is a number of its own"
    assert meets_published(row(0.0951, due=0.1)), "due is what was published: 0.1, rounded to one digit there"
    assert not meets_published(row(0.0449, due=0.1))
    assert not meets_published(row(None))
    assert meets_published(row("inf"))
    assert cells(row(0.2124))[:5] == ["a-claim", "0.25", "0.2124", "0.1 (due 0.2)", "Tool"]


def test_notes_say_why():
    enough, little = notes([row(0.19, k1=3000, k2=2000)]), notes([row(0.19, k1=2200, k2=2000)])
    between = notes([row(0.15, k1=2400, k2=2000)])
    assert "too few to bound it" in enough[0]
    assert "0.4055" in enough[0]
    assert "no better event was found on 7 pairs" in little[0]
    # log(1.1) = 0.095, and log(0.22690 / 0.19347) = 0.159 by the limits at 5 % each: below the 0.2 that is due.
    assert "0.09531, at most 0.15" in little[0]
    assert "it may be enough" in between[0], "log(1.2) = 0.182 is too little, the limit is not"
    assert "too little" not in between[0]
    assert notes([row(0.21)]) == []
    assert notes([row(0.0951, due=0.1)]) == [
        "a-claim: 0.0951 is the 0.1 once it is rounded as the published bounds are."
    ]
    assert "above the truth" in notes([row(0.3)])[0]
    assert notes([row(None) | {"evidence": [], "reason": "it broke"}]) == ["a-claim: it broke"]


def test_the_terminal_table_fits_eighty_columns():
    out = io.StringIO()
    benchmark_table([row(0.21, name="a-very-long-name-of-a-claim-indeed"), row(0.1)], Console(file=out, width=80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    assert sum("yes" in line for line in lines) == 1
    assert "1 of 2 bounds" in totals([row(0.21), row(0.1)])
    assert "600 s" in totals([row(0.21), row(0.1)])
