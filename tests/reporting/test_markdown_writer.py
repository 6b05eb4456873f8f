"""Markdown: what a pull request is told, in a table no wider than it must be."""

import pytest

from dpverify.reporting.formatting import false_alarms
from dpverify.reporting.limits_table import LEGEND
from dpverify.reporting.markdown_text import code, prose
from dpverify.reporting.markdown_writer import MarkdownWriter
from tests.reporting.test_writers import led_by_exact, made

REFUTED = made(id="b", verdict="refuted", expectation="broken", bound=1.5)


def written(records, folder):
    return MarkdownWriter().write(records, folder, title="dpverify run core (quick)").read_text().splitlines()


def with_confidence(*each):
    part = made()["evidence"][0]
    return made(evidence=[part | {"confidence": confidence} for confidence in each])


def test_a_row_that_is_not_refuted_says_how_close_the_audit_came(tmp_path):
    lines = written([made(), REFUTED], tmp_path)
    assert "| claim | verdict | measured | claimed | confidence | reached | detectable | rarest | ceiling |" in lines
    assert "| `laplace/epsilon=1` | not refuted | epsilon ≥ 0.98 | 1 | 1 - 1e-05 | 0.98 | 1.02 | - | 12 |" in lines
    apart = lines.index("**Known to be false, and audited to see that these audits find it:**")
    assert lines.index("| `b` | refuted | epsilon ≥ 1.5 | 1 | 1 - 1e-05 |") > apart
    assert "1 claim: 1 not refuted; 1 known to be false: 1 refuted." in lines
    assert lines[0] == "# dpverify run core (quick)"
    assert any(line.startswith("Reached: bound over claim.") for line in lines)
    caught = "would have detected epsilon ≥ 1.02 with 80 % power, if all of the violation shows at the tested event"
    caught += " (for this pair and the family of events that was searched)"
    assert f"`laplace/epsilon=1`: {caught}; could certify at most 12" in lines


def test_the_table_is_narrow_where_nothing_more_is_to_be_said(tmp_path):
    lines = written([REFUTED], tmp_path)
    assert "| claim | verdict | measured | claimed | confidence |" in lines
    assert "| `b` | refuted | epsilon ≥ 1.5 | 1 | 1 - 1e-05 |" in lines
    assert not any("Reached" in line or "details" in line for line in lines)


def test_an_exact_row_has_its_error_and_its_mark(tmp_path):
    lines = written([led_by_exact(detectable=0.19)], tmp_path)
    assert any(line.startswith("| `laplace/epsilon=1`") and "| error 1e-12 (estimated) |" in line for line in lines)
    assert any("| 0.1&#42; |" in line for line in lines)


def test_a_row_without_a_measurement_is_short(tmp_path):
    lines = written([made(verdict="unsupported", method=None, bound=None, confidence=None, evidence=[])], tmp_path)
    assert "| `laplace/epsilon=1` | unsupported |  | 1 | - |" in lines


def test_surprises_stand_first_with_their_commands(tmp_path):
    wrong = made(id="w", verdict="refuted", surprise="it should stand")
    failed = made(id="e", verdict="error", reason="event: ValueError: no")
    lines = written([made(), wrong, failed], tmp_path)
    at = lines.index("**Not as expected:**")
    assert at < next(place for place, line in enumerate(lines) if line.startswith("| claim"))
    assert lines[at + 2].startswith("- `w`: it should stand: epsilon ≥ 0.98, claimed 1")
    assert lines[at + 2].endswith("; again: `dpverify run core --only laplace`")
    assert lines[at + 3].startswith("- `e`: error: event: ValueError: no; again: ")
    assert "**Not as expected:**" not in written([made()], tmp_path)


def test_the_false_alarm_rate_is_the_sum_over_what_was_drawn_rounded_up():
    assert false_alarms([with_confidence(0.99999, 0.99), with_confidence(None), made(evidence=[])]) == (
        "False-alarm probability of these rows together: at most 0.011 (2 statistical audits)."
    )
    assert false_alarms([with_confidence(0.99999)]).endswith("at most 1e-05 (1 statistical audit).")
    assert false_alarms([with_confidence(*[0.9] * 20)]).startswith("Up to 2 false alarms are to be expected")
    assert false_alarms([with_confidence(None)]) == ""


def test_the_report_says_its_false_alarm_rate(tmp_path):
    lines = written([with_confidence(0.999)], tmp_path)
    assert lines[2].startswith("**No violation of the claim was found")
    assert lines[4].startswith("audited: on a day that is not known. written: 20")
    assert lines[6] == (
        "1 claim: 1 not refuted. False-alarm probability of these rows together: at most 0.001 (1 statistical audit)."
    )


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("noisy_max is (1, 1e-5)-DP, not_refuted", "noisy_max is (1, 1e-5)-DP, not_refuted"),
        (
            "a|b <i> &amp; *x* `y` [z] ~w~ \\",
            "a&#124;b &#60;i> &#38;amp; &#42;x&#42; &#96;y&#96; &#91;z] &#126;w&#126; &#92;",
        ),
        ("_x_", "&#95;x&#95;"),
        ("> x", "&#62; x"),
        ("12. x", "12&#46; x"),
        ("1 - 1e-05", "1 - 1e-05"),
        ("see @a", "see <code>&#64;a</code>"),
        ("#1", "<code>&#35;1</code>"),
        ("http://x", "<code>http&#58;&#47;&#47;x</code>"),
    ],
)
def test_prose_says_what_it_says(text, seen):
    assert prose(text) == seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("laplace/epsilon=1", "`laplace/epsilon=1`"),
        ("<b> @a *x*", "`<b> @a *x*`"),
        ("a`b", "<code>a&#96;b</code>"),
        ("a|b", "<code>a&#124;b</code>"),
        ("", "<code></code>"),
    ],
)
def test_names_stand_in_code(text, seen):
    assert code(text) == seen


def test_the_legend_is_the_terminals(tmp_path):
    assert prose(LEGEND) in written([made()], tmp_path)
