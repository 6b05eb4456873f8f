"""The upper limits of several measured points in the picture of an audit."""

from dpverify.reporting.tradeoff_picture import SIZE, draw

CLAIMED = {"alpha": [0.0, 0.5, 1.0], "beta": [1.0, 0.25, 0.0]}
MEASURED = {"alpha": [0.1, 0.5], "beta": [0.7, 0.2], "alpha_high": [0.2, 0.6], "beta_high": [0.8, 0.3]}


def test_limits_are_drawn_where_they_lie():
    limits = draw({"claimed": CLAIMED, "measured": MEASURED}).limits
    points = [tuple(float(part) for part in point.split(",")) for point in limits.split()]
    assert points == [(0.2 * SIZE, round(0.2 * SIZE, 2)), (0.6 * SIZE, round(0.7 * SIZE, 2))]


def test_no_limits_where_one_point_was_measured():
    assert draw({"claimed": CLAIMED}).limits is None
    outside = {"claimed": CLAIMED, "measured": MEASURED, "rectangle": dict.fromkeys(
        ("fpr_low", "fpr_high", "fnr_low", "fnr_high"), 1e-6
    )}  # fmt: skip
    assert draw(outside).limits is None, "all of them lie beyond what the picture shows"
