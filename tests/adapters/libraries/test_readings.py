"""Two readings of one claim: pairs under both relations, one twin, and refuted only where both readings are."""

import pytest

from dpverify.adapters.libraries.offered import both_readings, pairs_of
from dpverify.core.errors import exit_status
from dpverify.libraries.session import UNFINISHED, words_of

BASES, EXTREMES = ([0.0, 0.0], [0.0, 1.0]), (1.0, 0.0)


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_pairs_differ_in_one_record(relation):
    pairs = pairs_of(BASES, EXTREMES, relation)
    assert len(pairs) == (4 if relation == "add-remove" else 2)
    assert len({pair.label for pair in pairs}) == len(pairs)
    for pair in pairs:
        if relation == "add-remove":
            assert pair.d1[:-1] == pair.d0
        else:
            assert sum(one != other for one, other in zip(pair.d0, pair.d1, strict=True)) == 1


def test_a_claim_has_two_readings_and_its_twin_has_none():
    made = both_readings(
        "mean",
        1.0,
        BASES,
        EXTREMES,
        epsilon=1.0,
        words={"bounds": (0.0, 1.0), "bins": 3},
        builds=lambda once: lambda: once,
        twin=lambda: 2.0,
    )
    assert [each.id for each in made] == [
        "mean:bins=3:replace",
        "mean:bins=3:replace:twin-epsilon",
        "mean:bins=3:add-remove",
    ]
    assert [each.reading for each in made] == ["mean:bins=3", "", "mean:bins=3"]
    assert [each.build() for each in made] == [1.0, 2.0, 1.0]
    assert [bool(each.twin) for each in made] == [False, True, False]


def row(verdict, reading=None, twin=None, name="a"):
    return {"verdict": verdict, "reading": reading, "twin": twin, "id": name, "reason": ""}


@pytest.mark.parametrize(
    ("rows", "status"),
    [
        ([row("refuted", "r"), row("not_refuted", "r", name="b")], 0),
        ([row("refuted", "r"), row("refuted", "r", name="b")], 1),
        ([row("refuted", "r"), row("inconclusive", "r", name="b")], 3),
        ([row("refuted")], 1),
        ([row("not_refuted"), row("refuted", twin="half", name="b")], 0),
        ([row("not_refuted"), row("not_refuted", twin="half", name="b")], 1),
        ([row("error")], 3),
        ([row("error", twin="half")], 3),
        ([row("inconclusive", twin="half") | {"reason": UNFINISHED}], 3),
    ],
)
def test_a_claim_is_refuted_where_all_its_readings_are(rows, status):
    assert exit_status(words_of(rows)) == status


def test_what_is_refuted_in_one_reading_only_is_called_so():
    rows = [row("refuted", "r"), row("not_refuted", "r", name="b"), row("refuted", name="c")]
    assert words_of(rows) == ["one reading", "stands", "refuted"]
    assert words_of([row("refuted", "r"), row("refuted", "r", name="b")]) == ["refuted", "refuted"]
