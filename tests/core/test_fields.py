from __future__ import annotations

import dataclasses
import math
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked, field_rule
from dpverify.core.rules import Between, Count, Each, NonNegative, Positive, Share

if TYPE_CHECKING:
    from collections.abc import Callable

    from somewhere import Far

Noise = Literal["laplace", "gaussian"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Base(Checked):
    sigma: Positive
    steps: Count = 1
    rate: Share | None = None
    noise: Noise = "laplace"
    shape: Literal[1, 2] | None = None
    far: Far | None = None
    function: Callable[[float], float] = math.sqrt
    anything: float = 0.0
    seen: ClassVar[list[str]] = []

    def validate(self) -> None:
        self.seen.append("base")
        if self.steps * self.sigma > 100:
            raise InputError(f"{self.steps} steps of {self.sigma}", allowed="at most 100 together")


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived(Base):
    q: Annotated[float, Between(0.25, 1)]
    steps: Annotated[int, Between(2, 9)] = 2
    weights: Annotated[tuple[float, ...], Each(Between(0, 1))] = ()

    def validate(self) -> None:
        self.seen.append("derived")
        if self.q > self.sigma:
            raise InputError(f"q = {self.q}", allowed="at most sigma")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain(Base):
    plain_numbers = True


BAD: list[tuple[dict[str, Any], str]] = [
    ({"sigma": 0}, r"^Base: sigma = 0; allowed: a finite number > 0$"),
    ({"sigma": math.inf}, r"sigma = inf"),
    ({"sigma": True}, r"sigma = True"),
    ({"steps": 0}, r"^Base: steps = 0; allowed: a whole number >= 1$"),
    ({"steps": 2.0}, r"steps = 2\.0"),
    ({"rate": 0}, r"^Base: rate = 0; allowed: a number in \(0, 1\]$"),
    ({"noise": "cauchy"}, r"^Base: noise = 'cauchy'; allowed: laplace, gaussian$"),
    ({"shape": 3}, r"^Base: shape = 3; allowed: 1, 2$"),
    ({"steps": 101}, r"101 steps of 1\.0; allowed: at most 100 together"),
]


@pytest.mark.parametrize(("given", "message"), BAD)
def test_each_field_is_checked_by_its_annotation(given: dict[str, Any], message: str) -> None:
    assert Base(sigma=1.0).rate is None
    with pytest.raises(InputError, match=message):
        Base(**({"sigma": 1.0} | given))


def test_other_annotations_allow_everything() -> None:
    assert Base(sigma=1, anything="text", far=3, function=None).anything == "text"  # type: ignore[arg-type]


def test_a_subclass_has_the_rules_of_its_bases_and_its_own() -> None:
    assert Derived(sigma=1, q=0.5, weights=[1, 0]).weights == (1.0, 0.0)  # type: ignore[arg-type]
    for given, message in (
        ({"q": 0.1}, r"^Derived: q = 0\.1; allowed: a number in \[0\.25, 1\]$"),
        ({"steps": 1}, r"^Derived: steps = 1; allowed: a whole number in \[2, 9\]$"),
        ({"sigma": -1}, "sigma = -1"),
        ({"sigma": 0.5, "q": 0.75}, "at most sigma"),
        ({"sigma": 60}, "at most 100 together"),
        ({"weights": (0, 2)}, r"weights\[1\] = 2"),
    ):
        with pytest.raises(InputError, match=message):
            Derived(**({"sigma": 1.0, "q": 0.5} | given))  # type: ignore[arg-type]


def test_every_class_validates_once_bases_first() -> None:
    Base.seen.clear()
    Derived(sigma=1.0, q=0.5)
    assert Base.seen == ["base", "derived"]


def test_numbers_are_kept_as_they_came_unless_the_class_wants_them_plain() -> None:
    assert type(Base(sigma=np.float32(2)).sigma) is np.float32
    assert type(Plain(sigma=np.float32(2)).sigma) is float
    assert type(Plain(sigma=1, steps=3.0).steps) is int  # type: ignore[arg-type]
    assert type(Plain(sigma=1, rate=1).rate) is float
    assert Plain(sigma=1).rate is None


def test_they_stay_dataclasses() -> None:
    one = Derived(sigma=1.0, q=0.5)
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  # its own
    assert hash(dataclasses.replace(one, steps=3)) != hash(one)
    with pytest.raises(InputError):
        dataclasses.replace(one, q=2)
    with pytest.raises(AttributeError):
        one.q = 0.5  # type: ignore[misc]
    assert not hasattr(one, "__dict__")


def test_a_rule_that_cannot_be_read_is_an_error_and_never_passed_over() -> None:
    assert field_rule("Far | None", __name__) is None
    for text in ("Annotated[Far, Between(0, 1)]", "Positive | Far", "Literal['a'] | Far"):
        with pytest.raises(TypeError, match="import its names at run time"):
            field_rule(text, __name__)
    with pytest.raises(TypeError, match="import its names at run time"):
        field_rule("NonNegative", "json")  # not imported there
    assert field_rule("NonNegative", __name__) is not None


def test_a_post_init_that_hides_the_checks_is_refused() -> None:
    with pytest.raises(TypeError, match="call it validate"):

        class Hiding(Checked):
            def __post_init__(self) -> None: ...


assert NonNegative  # is used by its name only
