import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.definitions.gdp import GDP
from dpverify.definitions.grammar import DEEPEST, LONGEST, TextReader, built_in, parse_guarantee
from dpverify.definitions.level_curve import Tradeoff
from dpverify.definitions.number_bounds import SensitivityBound
from dpverify.definitions.pure_dp import ApproxDP, PureDP
from dpverify.definitions.rdp import RDP, ZCDP

KNOWN = built_in()


@pytest.mark.parametrize(
    ("text", "guarantee"),
    [
        ("PureDP(epsilon=1)", PureDP(epsilon=1)),
        ("  PureDP ( epsilon = 1.0 , )  ", PureDP(epsilon=1)),
        ("PureDP(epsilon=log(3))", PureDP(epsilon=math.log(3))),
        ("PureDP(epsilon=ln(3)/2)", PureDP(epsilon=math.log(3) / 2)),
        ("PureDP(epsilon=1/3)", PureDP(epsilon=1 / 3)),
        ("PureDP(epsilon=+.5e0)", PureDP(epsilon=0.5)),
        ("PureDP(epsilon=2*3/4)", PureDP(epsilon=1.5)),
        ("ApproxDP(delta=1e-5,epsilon=1.)", ApproxDP(epsilon=1, delta=1e-5)),
        ("RDP(order=inf, epsilon=1)", RDP(order=math.inf, epsilon=1)),
        ("RDP(orders=(2, 4, 8), epsilons=[.5, 1, 3/2,])", RDP(orders=(2, 4, 8), epsilons=(0.5, 1, 1.5))),
        ("RDP(orders=(2,), epsilons=(1,))", RDP(order=2, epsilon=1)),
        ("ZCDP(rho=(1/2))", ZCDP(rho=0.5)),
        ("GDP(mu=sqrt(2))", GDP(mu=math.sqrt(2))),
        ("Tradeoff(alphas=(0, 1), betas=(1, 0))", Tradeoff(alphas=(0, 1), betas=(1, 0))),
        ("SensitivityBound(bound=1, norm='l1')", SensitivityBound(bound=1, norm="l1")),
        ('SensitivityBound(\n  bound=1,\n  norm="linf"\n)', SensitivityBound(bound=1, norm="linf")),
    ],
)
def test_reads(text: str, guarantee: object) -> None:
    assert parse_guarantee(text) == guarantee
    assert parse_guarantee(text, KNOWN) == guarantee


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("PureDP(epsilon=1", "the text ends at position 17; allowed: ',' or '\\)'"),
        ("", "the text ends at position 1"),
        ("PureDP", "'\\(' after PureDP"),
        ("PureDP(1)", "'1' stands at position 8; allowed: argument=value; write PureDP\\(epsilon=1\\)"),
        (" ApproxDP( 1, delta=1e-5 )", "write ApproxDP\\(epsilon=1, delta=1e-05\\)"),
        ("ApproxDP(1, 2)", "position 10; allowed: argument=value; write a claim like"),
        ("PureDP(1, 2)", "position 8; allowed: argument=value; write a claim like"),
        ("PureDP(epsilon 1)", "'=' after epsilon"),
        ("PureDP(epsilon=1)+1", "'\\+' stands at position 18"),
        ("PureDP(epsilon=1) PureDP(epsilon=1)", "position 19"),
        ("PureDP(epsilon=1-1)", "'-' stands at position 17"),
        ("PureDP(epsilon=__import__('os').system('true'))", "'__import__' stands at position 16"),
        ("PureDP(epsilon=(lambda: 1)())", "'lambda'"),
        ("PureDP(epsilon=1_0)", "position 16"),
        ("PureDP(epsilon=0x10)", "position 16"),
        ("PureDP(epsilon=1$)", "'\\$' stands|'1' stands"),
        ("PureDP(epsilon='1)", "position 16"),
        ("GDP(mu=1/0)", "'/' stands at position 9; allowed: a divisor other than 0"),
        ("GDP(mu=log(0))", "at position 8; allowed: log of a number in its range, not of 0.0"),
        ("GDP(mu=sqrt(-1))", "sqrt of a number in its range, not of -1.0"),
        ("pureDp(epsilon=1)", "no guarantee is called 'pureDp'; allowed: PureDP"),
        ("PureDB(epsilon=1)", "allowed: PureDP"),
        ("Foo(x=1)", "allowed: ApproxDP, Expectation, GDP, LevelCurve, Ordering, Peak, PureDP"),
        ("PureDP()", "missing parameter 'epsilon'; allowed: PureDP\\(epsilon=...\\)"),
        ("ApproxDP(epsilon=1)", "missing parameter 'delta'; allowed: ApproxDP\\(epsilon=..., delta=...\\)"),
        ("PureDP(epsilon=1, delta=0)", "unknown parameter 'delta'; allowed: PureDP\\(epsilon=...\\)"),
        ("PureDP(epsilon=1, epsilon=2)", "'epsilon' twice"),
        ("SensitivityBound(size=1)", "SensitivityBound\\(bound=..., norm='l2'\\)"),
        ("PureDP(epsilon=-1)", "epsilon = -1.0; allowed: a finite number >= 0"),
        ("PureDP(epsilon=nan)", "epsilon = nan"),
        ("PureDP(epsilon=inf)", "epsilon = inf"),
        ("PureDP(epsilon=1e999)", "epsilon = inf"),
        ("PureDP(epsilon='1')", "epsilon = '1'"),
        ("PureDP(epsilon=(1, 2))", "epsilon = \\(1.0, 2.0\\)"),
        ("ApproxDP(epsilon=1, delta=2)", r"ApproxDP: delta = 2\.0; allowed: a number in \[0, 1\)"),
        ("RDP(order=1, epsilon=1)", "order = 1.0; allowed: a number > 1"),
        ("RDP(order=2)", "RDP given order; allowed: RDP\\(order=2, epsilon=0.5\\)"),
        ("ZCDP(rho=-1)", "rho = -1"),
        ("GDP(mu=-1)", "mu = -1"),
        ("GDP(mu=" + "log(" * 4000 + "2" + ")" * 4000 + ")", "too deep|at most"),
        ("GDP(mu=1" + " " * LONGEST + ")", "at most"),
    ],
)
def test_refuses_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        parse_guarantee(text, KNOWN)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_refuses_what_is_no_text() -> None:
    with pytest.raises(InputError, match="type int"):
        parse_guarantee(5)  # type: ignore[arg-type]


def test_reads_definitions_it_has_never_seen() -> None:
    def twice(*, epsilon: float, label: str = "x") -> PureDP:
        if label != "x":
            raise TypeError("only\nx")
        return PureDP(epsilon=2 * epsilon)

    assert parse_guarantee("Twice(epsilon=1)", {"Twice": twice}) == PureDP(epsilon=2)
    with pytest.raises(InputError, match="Twice: only x; allowed: Twice"):
        parse_guarantee("Twice(epsilon=1, label='y')", {"Twice": twice})
    with pytest.raises(InputError, match="made a dict"):
        parse_guarantee("Dict(a=1)", {"Dict": dict})


@given(st.text(alphabet="PureDP(epsilon=1,)[]'\"*/-+. \n\t0einflogna\\#", max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        assert parse_guarantee(text, KNOWN).measures()


positive = st.floats(0, 1e308, allow_nan=False, allow_infinity=False)


@given(epsilon=positive, delta=st.floats(0, 1, exclude_max=True))
def test_round_trip(epsilon: float, delta: float) -> None:
    for guarantee in (PureDP(epsilon=epsilon), ApproxDP(epsilon=epsilon, delta=delta), GDP(mu=epsilon)):
        assert parse_guarantee(guarantee.text(), KNOWN) == guarantee


@given(orders=st.lists(st.floats(1, 1e6, exclude_min=True), min_size=1, max_size=5, unique=True), epsilon=positive)
def test_round_trip_of_curves(orders: list[float], epsilon: float) -> None:
    guarantee = RDP(orders=tuple(sorted(orders)), epsilons=(epsilon,) * len(orders))
    assert parse_guarantee(guarantee.text(), KNOWN) == guarantee


class Words(TextReader):
    """Calls whose values are numbers, strings and functions."""

    subject = "a word"
    example = "word(a=1)"

    def product(self) -> float:
        if self.kind == "name":
            return self.function()
        if self.kind != "number":
            raise self.error("a number")
        return float(self.advance())


def read(text: str) -> object:
    reader = Words(text)
    found = reader.call("a word")
    reader.finish("nothing more")
    return found


def test_arguments_and_tuples() -> None:
    assert read(" f( a = 1, b=(1,), c=[], d=(2), e='x' ,) ") == (
        "f",
        {"a": 1.0, "b": (1.0,), "c": (), "d": 2.0, "e": "x"},
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"the text ends at position 1; allowed: a word; write a word like 'word\(a=1\)'"),
        ("f(a=1)f", "'f' stands at position 7; allowed: nothing more"),
        ("f(a=1, a=2)", "argument 'a' twice"),
        ("f(a=1 b=2)", "allowed: ',' or '\\)'"),
        ("f(a=(1 2))", "allowed: ',' or '\\)'"),
        ("f(a=log(0))", "log of a number in its range, not of 0.0"),
        ("f(a=" + "log(" * (DEEPEST + 1) + "2", "a word nested too deeply"),
        ("f" * (LONGEST + 1), "a word of 20001 characters"),
    ],
)
def test_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(text)
