"""The fragments of notebooks: well formed, escaped, and with everything that a reader needs."""

import math
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest

import dpverify as dpv
from dpverify.shown.html import COLOURS, MARKS, dots_svg, fragment
from dpverify.shown.plot import plot
from dpverify.shown.svg import bars_svg, chart_svg
from dpverify.shown.view import WORDS, Chart, Dots, PlotSeries, View

VOID = {"br", "meta", "hr"}


class Balanced(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.tags, self.text = [], [], ""

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    page = Balanced()
    page.feed(html)
    page.close()
    assert page.open == []
    assert not {"script", "link", "iframe", "img"} & set(page.tags)
    assert not re.search(r"(?:src|href)\s*=|url\(", html)
    for svg in re.findall(r"<svg xmlns.*?</svg>(?=</div>|$)", html, re.DOTALL):
        ElementTree.fromstring(svg)
    return page


@pytest.fixture(scope="module")
def audited():
    def noisy_sum(data, size, rng):
        return sum(data) + rng.laplace(size=size)

    noisy_sum.__name__ = noisy_sum.__qualname__ = "<b>sum & co</b>"
    return dpv.audit(
        noisy_sum, [1.0, 1.0], [1.0], claim="PureDP(epsilon=1)", relation="add-remove", trials=4000, methods=["event"]
    )


def test_a_result_shows_verdict_bound_event_picture_and_what_would_have_been_caught(audited):
    page = read(audited._repr_html_())
    for name, text in audited.facts():
        assert name in page.text
        assert text[:60] in page.text
    assert "not refuted" in page.text
    assert "80 % power" in page.text
    assert "dpverify.audit(" in page.text
    assert "false-positive rate" in page.text
    assert "private" not in page.text


def test_names_are_text(audited):
    html = audited._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;sum &amp; co&lt;/b&gt;" in html


def test_a_result_without_a_curve_shows_bars():
    page = read(fragment(View(title="t", verdict="refuted", measured=("epsilon", 1.0, 1.25))))
    assert all(words in page.text for words in ("refuted", "claimed", "shown, at least", "1.25"))


def test_a_refutation_by_replay_shows_its_region():
    def half(data, size, rng):
        return sum(data) + rng.laplace(scale=0.5, size=size)

    page = read(dpv.audit(half, claim="PureDP(epsilon=1)", data=[0.0, 1.0, 0.3])._repr_html_())
    assert "measured, with confidence" in page.text


def test_a_refutation_by_bets_shows_the_curve_of_its_bound():
    def hidden(data, rng):
        return float(sum(data)) + float(str(rng.laplace(scale=0.4)))

    found = dpv.audit(hidden, claim="PureDP(epsilon=1)", data=[0.0, 1.0, 0.3], trials=20_000)
    assert found.evidence.statistics["step"] == "bets"
    page = read(found._repr_html_())
    assert "certified: the true curve reaches this line" in page.text
    assert "observed at the event: an estimate" in page.text


def test_a_proof_shows_its_curve_beside_what_was_measured():
    def noisy(data, rng):
        return float(np.clip(np.nan_to_num(data), 0, 1).sum()) + rng.laplace(scale=2.0)

    found = dpv.audit(noisy, claim="PureDP(epsilon=1)", data=[0.2, 1.0, 0.3])
    assert found.verdict == "certified"
    assert found.epsilon_upper == pytest.approx(0.5)
    page = read(found._repr_html_())
    assert "proved from the code: the true curve is not below" in page.text
    assert "observed at the event: an estimate" in page.text


@pytest.mark.parametrize("verdict", WORDS)
def test_every_verdict_has_a_word_a_mark_and_a_colour_that_can_be_read(verdict):
    page = fragment(View(title="t", verdict=verdict))
    assert WORDS[verdict] in page
    assert MARKS[verdict] in page
    red, green, blue = (int(COLOURS[verdict][i : i + 2], 16) / 255 for i in (1, 3, 5))
    parts = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in (red, green, blue)]
    assert 1.05 / (0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05) >= 4.5


def test_accounts_and_posteriors_show_themselves():
    accounts = dpv.account("gaussian(sigma=5)*10", delta=1e-5)
    page = read(accounts._repr_html_())
    assert all(row.accountant in page.text and row.source in page.text for row in accounts.rows)
    assert f"by {accounts.lowest.accountant}" in page.text
    posterior = dpv.EpsilonPosterior(tp=80, fn=20, fp=10, tn=90)
    page = read(posterior._repr_html_())
    assert "TP 80, FN 20, FP 10, TN 90" in page.text
    assert "no confidence interval" in page.text


def test_a_loader_shows_its_schemes():
    def shuffled():
        rng = np.random.default_rng(1)
        return lambda: rng.permutation(100).reshape(10, 10).tolist()

    found = dpv.audit_sampler(shuffled(), records=100, accounted="poisson(rate=0.1)", epochs=60)
    page = read(found._repr_html_())
    assert found.headline().partition(": ")[2][:40] in page.text
    assert "ruled out" in page.text


def test_charts_and_bars_are_well_formed():
    line = PlotSeries(
        label="<a>",
        x=[0.1, 1.0, 10.0],
        y=[0.5, 0.7, 0.8],
        low=[0.4, 0.6, 0.7],
        high=[0.6, 0.8, 0.9],
        hollow=[True, False, False],
    )
    drawn = chart_svg(Chart(x="claimed epsilon", y="accuracy", series=[line]), label='"quoted" & <b>')
    root = ElementTree.fromstring(drawn)
    assert root.get("aria-label") == '"quoted" & <b>'
    assert drawn.count("<circle") == 3
    assert drawn.count('fill="none" stroke="#2b7bba"/>') == 1
    ElementTree.fromstring(bars_svg("epsilon", 1.0, float("inf"), label="x"))


mpl.use("Agg")

DOTS = Dots(
    x="loss",
    marks=("claimed", "shown, at least"),
    rows=[("<a>", (1.0, 3.0)), ("b", (1.0, None)), ("none", (None, None)), ("without end", (2.0, math.inf))],
)


def circles(svg):
    found = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="3.5" fill="(\S+)"', svg)
    return [(float(x), float(y), fill) for x, y, fill in found]


def test_each_number_has_a_dot_and_names_are_text():
    svg = dots_svg(DOTS, label="<label>", most=40)
    ElementTree.fromstring(svg)
    assert "&lt;a&gt;" in svg and "none</text>" not in svg
    dots = circles(svg)
    assert len(dots) == 5 + len(DOTS.marks)
    (claimed, shown), endless = dots[:2], dots[4]
    assert claimed[0] < shown[0] < endless[0] and claimed[1] == shown[1]
    assert claimed[2] != "none" and shown[2] == "none"


def test_more_rows_than_are_shown_are_counted():
    svg = dots_svg(DOTS, label="l", most=1)
    assert "and 2 more rows" in svg and "without end" not in svg


def test_long_names_keep_both_ends():
    name = "make_laplace_threshold:map-String-i32:twin-scale"
    svg = dots_svg(Dots(x="x", marks=("m",), rows=[(name, (1.0,))]), label="l", most=1)
    assert "make_laplace_thre...in-scale" in svg


def test_matplotlib_draws_the_same_rows():
    ax = plot(View(title="t", dots=DOTS))
    assert [each.get_text() for each in ax.get_yticklabels()] == ["<a>", "b", "without end"]
    dots = {line.get_label(): list(line.get_xdata()) for line in ax.lines if line.get_marker() == "o"}
    assert dots["claimed"] == [1.0, 1.0, 2.0]
    assert dots["shown, at least"][0] == 3.0 and 3.0 < dots["shown, at least"][1] < math.inf
    assert ax.get_xscale() == ("log" if DOTS.scale().log else "linear")
    wide = plot(View(title="t", dots=Dots(x="x", marks=("m",), rows=[("a", (0.001,)), ("b", (100.0,))])))
    assert wide.get_xscale() == "log"
    ax.figure.canvas.draw()
    mpl.pyplot.close("all")
