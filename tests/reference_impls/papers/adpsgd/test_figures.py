"""The figures say what the rows say."""

from __future__ import annotations

from reference_impls.papers.adpsgd.figures import footnote, leakage, theorem_map


def test_every_dot_is_above_the_line_of_failure() -> None:
    fails, proved, used = theorem_map()
    assert all(y < dict(fails.points).get(x, float("inf")) for x, y in proved.points)
    for steps, epsilon in used.points:
        nearest = min(fails.points, key=lambda point: abs(point[0] - steps))
        assert epsilon > 5 * nearest[1]


def test_the_leak_grows_with_the_dimension_past_the_claim() -> None:
    found, claimed = leakage()
    values = [y for _, y in found.points]
    assert values == sorted(values)
    assert values[0] < claimed.points[0][1] < values[-1]


def test_the_prints_lie_between_the_two_relations() -> None:
    printed, exact, replaced = footnote()
    for (x, low), (same, middle), (_, high) in zip(exact.points, printed.points, replaced.points, strict=True):
        assert x == same
        assert low < middle < high
