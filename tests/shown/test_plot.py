"""`result.plot` by matplotlib, and `rich.print(result)`."""

import builtins
import io

import matplotlib as mpl
import pytest
from rich.console import Console

import dpverify as dpv
from dpverify.core.errors import AuditError, InputError
from dpverify.shown.plot import plot
from dpverify.shown.view import View

mpl.use("Agg")


@pytest.fixture(scope="module")
def audited():
    return dpv.audit(
        lambda data, size, rng: sum(data) + rng.laplace(size=size),
        [1.0, 1.0],
        [1.0],
        claim="PureDP(epsilon=1)",
        relation="add-remove",
        trials=4000,
        methods=["event"],
    )


def test_a_plot_has_the_claim_the_region_and_named_axes(audited):
    from matplotlib import pyplot

    figure, given = pyplot.subplots()
    ax = audited.plot(given)
    assert ax is given
    assert ax.get_xlabel().startswith("false-positive rate")
    assert ax.get_ylabel().startswith("false-negative rate")
    assert {"claimed", "no information", "measured, with confidence"} <= set(ax.get_legend_handles_labels()[1])
    assert "not refuted" in ax.get_title()
    figure.canvas.draw()
    pyplot.close(figure)


def test_a_plot_makes_its_own_figure(audited):
    from matplotlib import pyplot

    ax = audited.plot()
    assert ax.figure is not None
    pyplot.close(ax.figure)


def test_bars_and_curves_are_drawn_too():
    from matplotlib import pyplot

    ax = plot(View(title="t", verdict="refuted", measured=("epsilon", 1.0, 1.4)))
    assert [round(bar.get_width(), 3) for bar in ax.patches] == [1.4, 1.0]
    curve = dpv.EpsilonPosterior(tp=80, fn=20, fp=10, tn=90).plot()
    assert curve.get_xlabel() == "epsilon"
    pyplot.close("all")


def test_accounts_and_loaders_are_drawn_too():
    from matplotlib import pyplot

    accounts = dpv.account("gaussian(sigma=5)*10", delta=1e-5)
    ax = accounts.plot()
    assert [each.get_text() for each in ax.get_yticklabels()] == [row.accountant for row in accounts.rows]
    dots = {line.get_label(): list(line.get_xdata()) for line in ax.lines if line.get_marker() == "o"}
    assert dots["at most"] == [row.bracket.upper for row in accounts.rows]
    sides = [row.side for row in accounts.rows]
    assert len(dots["at least"]) == sum(side in ("bracket", "lower") for side in sides) < len(sides)

    def shuffled(rng):
        yield from rng.permutation(100).reshape(10, 10)

    found = dpv.audit_sampler(shuffled, records=100, accounted="poisson(rate=0.1)", epochs=60)
    ax = found.plot()
    assert not ax.get_title().lower().startswith("refuted: refuted")
    seen, needed = (list(line.get_xdata()) for line in ax.lines if line.get_marker() == "o")
    assert [one > other for one, other in zip(seen, needed, strict=True)] == [each.ruled_out for each in found.held]
    pyplot.close("all")


def test_nothing_to_draw_is_said():
    with pytest.raises(AuditError, match="nothing to draw"):
        plot(View(title="t"))


def test_without_matplotlib_the_extra_is_named(audited, monkeypatch):
    original = builtins.__import__

    def missing(name, *args, **named):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return original(name, *args, **named)

    monkeypatch.setattr("dpverify.core.extras.import_module", missing)
    with pytest.raises(InputError, match=r"dpverify\[plot\]"):
        audited.plot()


def test_rich_prints_the_facts(audited):
    out = io.StringIO()
    Console(file=out, width=80).print(audited)
    text = " ".join(out.getvalue().split())
    assert text.startswith("not refuted PureDP(epsilon=1)")
    assert "caught" in text
    assert max(map(len, out.getvalue().splitlines())) <= 80


def test_rich_prints_tables():
    out = io.StringIO()
    Console(file=out, width=80).print(dpv.account("gaussian(sigma=5)*10", delta=1e-5))
    assert "accountant" in out.getvalue()
