"""The page and the figure of a frontier: what is drawn where, and that no text of a trainer is markup."""

import re
import xml.etree.ElementTree as ElementTree

from dpverify.reporting.frontier_svg import LEFT, WIDTH, frontier_svg, write_frontier

HOSTILE = "x<script>alert(1)</script>"


def audit(epsilon, *, verdict="not_refuted", lower=0.2, ceiling=4.0):
    return {
        "epsilon": epsilon,
        "verdict": verdict,
        "lower": lower,
        "ceiling": ceiling,
        "detectable": None,
        "trials": 1234,
        "pair": "alone",
        "attack": "a score",
        "event": "score > 1",
    }


def point(arm, epsilon, mean, *, at=None, dominated=()):
    return {
        "arm": arm,
        "epsilon": epsilon,
        "at": at or epsilon,
        "refuted": at is not None,
        "mean": mean,
        "low": mean - 0.01,
        "high": mean + 0.01,
        "values": [mean],
        "dominated": list(dominated),
    }


def frontier(name="mine", audits=None):
    audits = audits or (audit(0.5), audit(1.0))
    refuted = {each["epsilon"]: each["lower"] for each in audits if each["verdict"] == "refuted"}
    return {
        "trainer": name,
        "metric": "accuracy",
        "larger_is_better": True,
        "table": {"name": "adult", "rows": 48842, "columns": 124, "classes": 2, "training_rows": 39074},
        "settings": {
            "epsilons": [0.5, 1.0],
            "delta": 1e-5,
            "relation": "add-remove",
            "splits": 5,
            "share": 0.2,
            "confidence": 0.999,
            "few": False,
        },
        "references": [
            {
                "name": "dp-sgd",
                "settings": {"steps": 10, "model": "logistic"},
                "chosen": False,
                "prices": [{"epsilon": 0.5, "certified": 0.499, "accountant": "pld"}],
            }
        ],
        "ceiling": 0.85,
        "floor": 0.76,
        "points": [
            point(name, 0.5, 0.80, at=refuted.get(0.5), dominated=["dp-sgd"]),
            point(name, 1.0, 0.82, at=refuted.get(1.0)),
            point("dp-sgd", 0.5, 0.81),
            point("dp-sgd", 1.0, 0.815),
        ],
        "audits": list(audits),
        "differences": [],
        "gates": [],
        "notes": [],
    }


def dots(svg):
    """(x, fill) of the large circles of the trainer."""
    return [(float(x), fill) for x, fill in re.findall(r'cx="([\d.]+)" cy="[\d.]+" r="5"[^>]*fill="(#\w+)"', svg)]


def test_a_dominated_point_is_hollow():
    svg = frontier_svg(frontier())
    ElementTree.fromstring(svg)
    assert [fill for _, fill in dots(svg)] == ["#fff", "#1b2430"]


def test_a_refuted_claim_is_drawn_where_the_audit_puts_it():
    plain = frontier_svg(frontier())
    svg = frontier_svg(frontier(audits=(audit(0.5), audit(1.0, verdict="refuted", lower=3.0))))
    red = [x for x, fill in dots(svg) if fill == "#b3261e"]
    claimed = dots(plain)[1][0]
    assert len(red) == 1
    assert claimed < red[0] < WIDTH
    assert f"M {claimed - 5:.1f}" in svg  # the cross
    assert "claim refuted" in svg
    assert "claim refuted" not in plain


def test_the_ceiling_and_a_bound_of_nothing_are_drawn():
    svg = frontier_svg(frontier(audits=(audit(0.5, lower=0.0, ceiling=None), audit(1.0, ceiling=2.0))))
    assert len(re.findall(r'class="reach"', svg)) == 1 + 1  # one bar, and the legend
    assert "M 7 " in svg  # an open end
    assert "claimed 0.5, audited at least 0" in svg


def test_the_page_says_all_of_it_and_runs_nothing(tmp_path):
    found = frontier(name=HOSTILE, audits=(audit(0.5), audit(1.0, verdict="refuted", lower=3.0)))
    lines = [("epsilon = 1: REFUTED: at least 3", "bad"), (f"{HOSTILE} is better", "")]
    svg, page = write_frontier(found, tmp_path, lines=lines, reproduce="dpverify frontier own:mine --data 'a&b'")
    for path in (svg, page):
        text = path.read_text()
        assert "<script" not in text
        assert "&lt;script&gt;" in text
    text = page.read_text()
    for words in (
        "48,842 records",
        "dominated by dp-sgd",
        "epsilon 0.499 by pld",
        "steps = 10",
        "nobody has tuned",
        "a&amp;b",
        "1,234",
    ):
        assert words in text
    assert re.search(r'<li class="bad">epsilon = 1: REFUTED', text)
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_nothing_is_drawn_beside_the_figure():
    svg = frontier_svg(frontier(audits=(audit(0.5, ceiling=900.0), audit(1.0, verdict="refuted", lower=800.0))))
    assert max(float(x) for x in re.findall(r'(?:cx|x2)="([\d.]+)"', svg)) <= LEFT + WIDTH
