"""``claims.toml``: what it registers, and one line with the line number for whatever does not fit."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from dpverify.core.claim import Reading, SearchSpace, Source
from dpverify.core.errors import InputError
from dpverify.core.ledger_words import Curve, Figure, Shown
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.definitions.number_bounds import UpperBound
from dpverify.definitions.rdp import RDP
from dpverify.ledger.claims_file import load_claims

WHOLE = '''
[paper]
name = "TOY"
title = "A toy"
place = 1

[lemmas]
toy = "tests.ledger.test_claims_file.Toy"

# a comment [[row]]
[[row]]
id = "T-ONE"
locus = "Lemma 1"
relation = "any"
says = """\\
a sentence of two lines, \\
[[row]] among them"""

[[row.claim]]
guarantee = 'UpperBound(quantity="number")'
subject = "toy"
parameters = { a = 1.0, b = 2 }
space = { parameters = { a = [0.5, 2.0] } }
statement = "It holds."

[row.claim.reading.x]
text = "first"

[row.claim.reading."y"]
text = "second"
parameters = { a = 1.5 }
space = { size = 3 }
profile = "full"

[row.claim.remark.x]
breaks = "This."
means = "That."
instead = "Other."
shown = "tests.ledger.test_claims_file.shown"
with = { ends = [1.0, 2.0] }

[[row.claim]]
id = "T-ONE-R"
like = "T-ONE"
parameters = { b = 3 }
repairs = "Lemma 1"
statement = "It holds, mended."
reading = {}

[[row]]
id = "T-TWO"
locus = "Lemma 2"
relation = "any"
says = "nobody decided this yet"

[[entry]]
id = "toy-entry"
like = "T-ONE-R"
guarantee = { call = "tests.ledger.test_claims_file.curve", orders = [2.0, 4.0] }
statement = "An entry."
expectation = "stands"

[[figure]]
id = "toy-figure"
title = "A toy's curve"
claims = ["T-ONE.x"]
x = "a"
y = "b"
curves = "tests.ledger.test_claims_file.drawn"
note = "It is straight."
log_x = true
level = 1.0
'''


def shown(ends: tuple[float, ...]) -> Shown:
    return Shown(numbers=tuple((str(end), end) for end in ends), holds=True)


def drawn() -> tuple[Curve, ...]:
    return (Curve(label="b", points=((1.0, 2.0),)),)


@dataclass(frozen=True)
class Toy:
    a: float = 1.0
    b: int = 1


def curve(orders: tuple[float, ...]) -> RDP:
    return RDP(orders=orders, epsilons=tuple(order / 2 for order in orders))


@pytest.fixture
def known() -> Registry:
    made = Registry()
    for name, item in registry().definitions.items():
        made.definitions.add(name, item)
    made.neighbors.add("numbers", registry().neighbors.get("numbers"))
    return made


def load(text: str, known: Registry, folder: Path) -> Registry:
    path = folder / "claims.toml"
    path.write_text(text)
    load_claims(path, known)
    return known


def test_what_a_file_registers(known: Registry, tmp_path: Path) -> None:
    load(WHOLE, known, tmp_path)
    assert [(paper.name, paper.place) for paper in known.papers.in_order()] == [("TOY", 1)]
    assert [(row.id, row.claims) for row in known.rows.in_order()] == [("T-ONE", ("T-ONE", "T-ONE-R")), ("T-TWO", ())]
    assert known.rows.get("T-ONE").says == "a sentence of two lines, [[row]] among them"
    claim = known.claims.get("T-ONE")
    assert claim.guarantee == UpperBound(quantity="number")
    assert claim.source == Source(paper="TOY", locus="Lemma 1")
    assert claim.space == SearchSpace(parameters={"a": (0.5, 2.0)})
    assert claim.readings[1] == Reading(
        key="y", text="second", parameters={"a": 1.5}, space=SearchSpace(size=3, parameters={"a": (0.5, 2.0)})
    )
    mended = known.claims.get("T-ONE-R")
    assert (mended.parameters, mended.readings) == ({"a": 1.0, "b": 3}, ())
    assert mended.source == Source(paper="dpverify", locus="repair of Lemma 1")
    profiles = {name: (entry.profile, entry.suites, entry.expectation) for name, entry in known.entries.items()}
    assert profiles == {
        "T-ONE.x": ("quick", ("papers",), None),
        "T-ONE.y": ("full", ("papers",), None),
        "T-ONE-R": ("quick", ("papers",), None),
        "toy-entry": ("quick", ("core",), "stands"),
    }
    assert known.entries.get("toy-entry").claim.guarantee == curve((2.0, 4.0))
    assert known.remarks.get("T-ONE.x").shown().numbers == (("1.0", 1.0), ("2.0", 2.0))
    assert "toy-entry" not in known.claims
    assert known.lemmas.get("toy") is Toy
    assert claim.relation == "numbers"
    assert known.figures.get("toy-figure") == Figure(
        title="A toy's curve",
        claims=("T-ONE.x",),
        x="a",
        y="b",
        curves=drawn,
        note="It is straight.",
        log_x=True,
        level=1.0,
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('says = "nobody', 'sais = "nobody', 50, "unknown field 'sais' of a row"),
        ('says = "nobody decided this yet"\n', "", 50, "a row without 'says'"),
        ('locus = "Lemma 2"', "locus = 2", 50, "locus = 2 of a row"),
        ('statement = "It holds."\n', "", 19, "a claim without 'statement'"),
        ('subject = "toy"', 'subject = "toi"', 19, "no subject called 'toi'"),
        ('subject = "toy"\n', "", 19, "T-ONE without 'subject'"),
        ('subject = "toy"', 'subject = "toy"\nrelation = "sideways"', 19, "no relations called 'sideways'"),
        ('quantity="number"', 'quantity="weight"', 19, "weight"),
        ("UpperBound(", "UpperBond(", 19, "no guarantee is called 'UpperBond'"),
        ("{ size = 3 }", "{ sise = 3 }", 29, "unknown field 'sise' of a space"),
        ('text = "second"', 'test = "second"', 29, "unknown field 'test' of a reading"),
        ('breaks = "This."\n', "", 35, "a remark without 'breaks'"),
        ("remark.x", "remark.z", 35, "a remark on T-ONE beside its reading 'z'"),
        ("remark.x", "remark", 35, "a remark on T-ONE, which has readings"),
        ("claims_file.shown", "claims_file.shone", 35, "no function at 'tests.ledger.test_claims_file.shone'"),
        ('like = "T-ONE"', 'like = "T-NONE"', 42, "like = 'T-NONE'"),
        ("claims_file.curve", "claims_file.WHOLE", 56, "is a str"),
        ('[paper]\nname = "TOY"\ntitle = "A toy"\nplace = 1\n', "", 7, "the row T-ONE without a paper"),
        ('id = "toy-entry"\n', "", 56, "an entry without 'id'"),
        ('expectation = "stands"', 'expectation = "stand"', 56, "toy-entry: expectation = 'stand'"),
        ('expectation = "stands"', "suites = []", 56, "suites = []"),
        ('profile = "full"', 'profile = "ful"', 19, "profile = 'ful'"),
        ("{ a = 1.0, b = 2 }", "{ a = 1.0, c = 2 }", 19, "parameter 'c' of toy; allowed: a, b"),
        ("{ a = [0.5, 2.0] }", "{ c = [0.5, 2.0] }", 19, "parameter 'c' of toy"),
        ("{ a = [0.5, 2.0] }", "{ a = 0.5 }", 19, "a = 0.5; allowed: [low, high]"),
        ("{ a = [0.5, 2.0] }", "{ a = [0.5] }", 19, "a = [0.5]"),
        ("{ size = 3 }", "{ sizes = 3 }", 29, "TypeError"),
        ("orders = [2.0, 4.0] }", "order = [2.0, 4.0] }", 56, "TypeError"),
        ("ends = [1.0, 2.0]", "end = [1.0, 2.0]", 35, "TypeError"),
        ('text = "first"', 'text = ""', 26, "text = ''"),
        ('reading."y"', 'reading."y z"', 29, "the key 'y z' of a reading"),
        ('repairs = "Lemma 1"', 'repairs = "Lemma 1"\npaper = "TOY"', 42, "`repairs` and 'paper'"),
        ("test_claims_file.Toy", "test_claims_file.Toi", 7, "no function at 'tests.ledger.test_claims_file.Toi'"),
        ('toy = "tests.ledger.test_claims_file.Toy"', "toy = 1", 7, "toy = 1"),
        (
            "test_claims_file.drawn",
            "test_claims_file.drown",
            63,
            "no function at 'tests",
        ),
        ("log_x = true", "log_x = 1", 63, "log_x = 1 of a figure; allowed: a truth value"),
        ('claims = ["T-ONE.x"]\n', "", 63, "a figure without 'claims'"),
        ("place = 1", "place = true", 2, "place = True"),
    ],
)
def test_what_does_not_fit_is_one_line_with_its_place(
    known: Registry, tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    assert WHOLE.count(old) == 1
    with pytest.raises(InputError) as refused:
        load(WHOLE.replace(old, new), known, tmp_path)
    problem = str(refused.value)
    assert f"claims.toml, line {line}: " in problem
    assert said in problem
    assert "\n" not in problem


def test_an_entry_without_a_header_has_the_line_of_its_statement(known: Registry, tmp_path: Path) -> None:
    text = WHOLE.replace('says = "nobody decided this yet"', 'says = "nobody"\nclaim = [{ statement = "inline" }]')
    with pytest.raises(InputError, match="line 55: T-TWO without 'guarantee'"):
        load(text, known, tmp_path)


def test_headers_in_strings_and_comments_are_none(known: Registry, tmp_path: Path) -> None:
    text = WHOLE.replace('[[row]]\nid = "T-TWO"', '# """ [[row]]\n[[ row ]]\nid = \'T-TWO\'')
    with pytest.raises(InputError, match="line 51: unknown field 'sais'"):
        load(text.replace('says = "nobody', 'sais = "nobody'), known, tmp_path)


def test_a_remark_beside_several_readings_and_profiles_of_the_like(known: Registry, tmp_path: Path) -> None:
    text = WHOLE.replace("remark.x", 'remark."x, y"').replace("reading = {}\n", "")
    load(text, known, tmp_path)
    assert list(known.remarks) == ["T-ONE.x", "T-ONE.y"]
    assert known.entries.get("T-ONE-R.y").profile == "full"


def test_a_reading_without_a_text_goes_on_top_and_the_others_stay(known: Registry, tmp_path: Path) -> None:
    changed = "[row.claim.reading.y]\nspace = { low = -2.0 }\nparameters = { b = 4 }\n"
    load(WHOLE.replace("reading = {}\n", changed), known, tmp_path)
    first, second = known.claims.get("T-ONE-R").readings
    assert first == Reading(key="x", text="first")
    space = SearchSpace(size=3, low=-2.0, parameters={"a": (0.5, 2.0)})
    assert second == Reading(key="y", text="second", parameters={"a": 1.5, "b": 4}, space=space)
    assert known.entries.get("T-ONE-R.y").profile == "full"


def test_readings_with_texts_take_the_place_of_the_others(known: Registry, tmp_path: Path) -> None:
    load(WHOLE.replace("reading = {}\n", '[row.claim.reading.z]\ntext = "third"\n'), known, tmp_path)
    assert known.claims.get("T-ONE-R").readings == (Reading(key="z", text="third"),)


def test_a_reading_without_a_text_needs_one_to_go_on_top_of(known: Registry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 49: a reading without 'text'"):
        load(WHOLE.replace("reading = {}\n", "\n[row.claim.reading.z]\nspace = {}\n"), known, tmp_path)


def test_a_remark_says_what_an_earlier_one_says(known: Registry, tmp_path: Path) -> None:
    again = '[row.claim.remark]\nlike = "T-ONE.x"\nmeans = "More."\nwith.ends = [3.0]\n'
    load(WHOLE.replace("reading = {}\n", "reading = {}\n" + again), known, tmp_path)
    first, second = known.remarks.get("T-ONE.x"), known.remarks.get("T-ONE-R")
    assert (second.breaks, second.means, second.instead) == (first.breaks, "More.", first.instead)
    assert second.shown().numbers == (("3.0", 3.0),)


def test_a_remark_like_none_is_refused(known: Registry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"line 35: like = 'T-ONE\.y'"):
        load(WHOLE.replace('breaks = "This."', 'like = "T-ONE.y"'), known, tmp_path)


def test_a_file_that_is_not_there_or_no_text_is_one_line(known: Registry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="allowed: a file of TOML"):
        load_claims(tmp_path / "none.toml", known)
    (tmp_path / "claims.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="allowed: a file of TOML"):
        load_claims(tmp_path / "claims.toml", known)


def test_text_that_is_no_toml_is_one_line(known: Registry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"claims\.toml: .*line 2") as refused:
        load("[paper]\nname = \n", known, tmp_path)
    assert "\n" not in str(refused.value)


def test_a_claim_twice_names_both(known: Registry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two claims called 'T-ONE'"):
        load(WHOLE.replace('id = "T-ONE-R"\n', ""), known, tmp_path)
