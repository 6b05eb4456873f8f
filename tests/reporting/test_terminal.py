"""One result and the closing table as a terminal of 80 columns shows them."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from dpverify.neighbourhood.redact import REDACTED
from dpverify.reporting.labelled_lines import labelled
from dpverify.reporting.terminal import MOST, closing_table, first_lines, one_result, sequential_lines
from tests.reporting.test_row_lines import transcript_item as transcript
from tests.reporting.test_writers import made

WORDS = " ".join(["interval", "[0.123, 0.456)"] * 20)


def shown(what: Any, *given: Any, **options: Any) -> list[str]:
    out = io.StringIO()
    what(*given, Console(file=out, width=80), **options)
    return out.getvalue().splitlines()


def test_a_result_says_what_part_of_the_claim_was_reached():
    assert "  reached   97.9 % of the claim" in shown(one_result, made(tightness=0.97912))
    for share in (None, "inf"):
        assert not any("reached" in line for line in shown(one_result, made(tightness=share)))


@pytest.mark.parametrize("place", ["event", "note", "guarantee"])
def test_long_lines_are_wrapped_under_their_label(place):
    item = made(witness={"event": WORDS}) if place == "event" else made(**{place: WORDS} if place != "note" else {})
    lines = shown(one_result, item, notes=[WORDS] if place == "note" else [])
    assert max(map(len, lines)) <= 79
    assert " ".join(WORDS.split()) in " ".join(" ".join(lines).split())
    hang = "  " if place == "guarantee" else " " * 12
    first = 0 if place == "guarantee" else next(i for i, line in enumerate(lines) if line.startswith(f"  {place} "))
    assert lines[first + 1].startswith(hang)
    assert lines[first + 1][len(hang)] != " "


def test_a_note_that_the_reason_already_says_is_not_printed_again():
    refusal = "exact: the subject has no exact output law"
    told = shown(one_result, made(verdict="unsupported", method="", reason=refusal), notes=[refusal, "another"])
    assert sum("no exact output law" in line for line in told) == 1
    assert "  note      another" in told


def test_sequential_evidence_says_its_e_value_and_why_it_stopped():
    told = " ".join(shown(one_result, made(evidence=item(e_value_here=4.0)["evidence"])))
    assert "e-value   1500 at its highest, 1200 last, 1000 refutes" in told
    assert "stopped   the claim was refuted" in told
    assert "sessions  several pooled" in told
    assert "e-value" not in " ".join(shown(one_result, made()))


def test_the_closing_table_shows_what_holds_within_the_family_with_its_label():
    lines = shown(closing_table, [made(id="white", evidence=transcript()["evidence"]), made(id="black")])
    told = " ".join(" ".join(lines).split())
    assert "family white: >= 3.9 (98% of the claim's 4) at delta 1e-05, within the subsampled-Gaussian family" in told
    assert told.count("within the subsampled-Gaussian family") == 1
    assert max(map(len, lines)) <= 80


def test_what_would_have_been_caught_names_its_assumption_or_says_that_nothing_would_do():
    evidence = [{"statistics": {"detectable_rests_on": "within a family"}}]
    assert "epsilon ≥ 10.2 with 80 % power, within a family" in " ".join(
        " ".join(shown(one_result, made(detectable=10.2, evidence=evidence))).split()
    )
    table = " ".join(" ".join(shown(closing_table, [made(detectable=10.2, evidence=evidence)])).split())
    assert "10.2†" in table
    assert "†: within a family." in table
    assert "†" not in " ".join(shown(closing_table, [made()]))
    none = " ".join(" ".join(shown(one_result, made(detectable="inf"))).split())
    assert "could not have detected any value of epsilon at the tested event" in none


def test_what_is_detectable_beyond_the_ceiling_says_why():
    def told(**changes: Any) -> str:
        return " ".join(" ".join(shown(one_result, made(**changes))).split())

    assert "with 80 % power (more than it could certify: too few" in told(detectable=2765.0, ceiling=7.7)
    assert "too few trials" not in told(detectable=1.2, ceiling=7.7)
    assert "too few trials" not in told(detectable=2.0, ceiling=1.0, confidence=None, error=0.0)


def test_a_label_that_is_not_shown_is_said_in_whole_words():
    codes = {REDACTED: 5, "a" * 60: 1}
    told = " ".join(" ".join(shown(one_result, made(witness={"event": "output <= 0", "labels": codes}))).split())
    assert f"labels 1 is '{'a' * 36}...', others are not shown (records of the example)" in told


def test_labels_are_told_and_only_so_many():
    codes = {f"label {code}": code for code in range(11)}
    lines = shown(one_result, made(witness={"event": "output <= 0", "labels": codes}))
    told = " ".join(" ".join(lines).split())
    assert "labels 0 is 'label 0', 1 is 'label 1'" in told
    assert told.count(" is 'label") == 8
    assert "and 3 more" in told
    assert max(map(len, lines)) <= 79


def item(**changes: Any) -> dict[str, Any]:
    found = {
        "e_value": 1200.0,
        "e_value_largest": 1500.0,
        "e_value_here": 1200.0,
        "alpha": 0.001,
        "stop": "refuted",
        "pairs": 4096,
        "pairs_bet": 3000,
    }
    return {"evidence": [{"statistics": found | changes}]}


def text(**changes: Any) -> str:
    return " ".join(" ".join(sequential_lines(item(**changes))).split())


def test_the_e_value_and_why_it_stopped():
    assert (
        text() == "e-value 1500 at its highest, 1200 last, 1000 refutes stopped the claim was refuted, after 4096 pairs"
    )
    assert "stopped the trials were spent" in text(stop="trials")
    assert "would have been detected with 80 % power" in text(stop="power")
    assert "before its end" in text(stop=None)


@pytest.mark.parametrize(
    ("changes", "many"), [({"e_value_here": 4.0}, "several"), ({"sessions": 3}, "3"), ({"nights": 3}, "3")]
)  # as older records call them
def test_sessions_are_told_where_there_were_earlier_ones(changes, many):
    assert f"sessions {many} pooled, 3000 pairs bet in all; this session's own e-value is" in text(**changes)
    assert all(len(line) <= 79 for line in sequential_lines(item(**changes)))
    assert "sessions" not in text(sessions=1)


def test_a_session_that_lost_says_that_many_short_ones_find_less():
    assert "one longer session finds more" in text(sessions=3, e_value_here=0.4, stop="trials")
    assert "longer session" not in text(sessions=3, e_value_here=4.0, stop="trials")
    assert "longer session" not in text(sessions=3, e_value_here=0.4)
    assert "longer session" not in text(sessions=3, e_value_here=0.4, stop="power")


def test_other_rows_have_no_such_lines():
    assert sequential_lines({"evidence": []}) == []
    assert sequential_lines({"evidence": [{"statistics": {"e_value": 2.0}}]}) == []


LONG = " ".join(["word"] * 60)
NOTES = [f"note {place}" for place in range(20)]


def test_a_short_result_is_shown_whole():
    lines = [*labelled("measured", "x"), *labelled("steps", "y")]
    assert first_lines(lines, 2) == lines


def test_a_long_one_shows_whole_facts_by_weight_in_their_order():
    lines = [*labelled("steps", "s"), *labelled("measured", "m"), *labelled("pair", LONG), *labelled("event", "e")]
    assert first_lines(lines, 3) == [
        "  measured  m",
        "  event     e",
        f"  ...       {len(lines) - 2} more lines: --verbose",
    ]
    assert first_lines(lines, 4)[0] == "  steps     s"  # the pair would not fit
    assert first_lines([*lines, *labelled("note", "n")], len(lines))[:-1] == lines[1:]


def test_a_label_of_two_words_is_one():
    lines = [*labelled("not told", "a"), *labelled("note", "b"), *labelled("steps", "c")]
    assert first_lines(lines, 2)[0] == "  not told  a"


def test_what_a_label_says_again_comes_after_all_labels():
    lines = [*labelled("outside", "a"), *labelled("outside", "b"), *labelled("sure", "c"), *labelled("steps", "d")]
    assert first_lines(lines, 3)[:2] == ["  outside   a", "  sure      c"]


@pytest.mark.parametrize("changes", [{}, {"guarantee": LONG}, {"reason": LONG}, {"witness": {"event": LONG}}])
def test_a_result_has_at_most_twelve_lines_and_all_of_them_where_it_is_asked(changes):
    def shown(verbose):
        out = io.StringIO()
        one_result(made(**changes), Console(file=out, width=80), notes=NOTES, verbose=verbose)
        return out.getvalue().splitlines()

    few, whole = shown(False), shown(True)
    assert len(few) <= MOST < len(whole)
    assert f"{len(whole) - len(few) + 1} more lines: --verbose" in few[-1]
    assert [line for line in whole if line in few] == few[:-1]
