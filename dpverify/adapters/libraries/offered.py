"""What a library's file offers: the claims that the installed version makes, each ready to be audited, and twins.

A claim's guarantee is the library's own word (its privacy map, or the epsilon that it was called with), and so is the
size of the change between the two data sets of a pair. A twin is the same claim on a mechanism that was broken on
purpose; an audit that does not refute it could not have seen that fault in the library.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from dpverify.core.errors import InputError
from dpverify.core.relation_names import ADD_REMOVE, REPLACE
from dpverify.core.subjects import Guarantee, Pair
from dpverify.definitions.pure_dp import PureDP

Mechanism = Callable[..., Any]
"""``f(data, size, rng)``, ``f(data, rng)``, ``f(data, size)`` or ``f(data)``, as `CallableMechanism` takes them."""

Profile = Literal["quick", "full"]

Accountant = Callable[[float, float, int, float], float]
"""``accountant(rate, noise multiplier, steps, delta)``: the epsilon that a library gives, records added or removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """One claim of a library.

    Attributes
    ----------
    id : str
        In one word, of what it was built with; the same in every process and every run of one version.
    constructor : str
        The public function or class that makes it; the count of coverage goes by these.
    guarantee : Guarantee
        What the library claims.
    source : str
        Where the library says so, in one line.
    relation : str
        What the two data sets of a pair differ in, in the library's words.
    pairs : sequence of Pair
        Neighbours at the claim's distance; the worst is searched among them.
    build : callable
        ``build()`` makes the mechanism. It is called in the process that audits.
    single : callable or None
        Makes the same mechanism with one call of the library for each output, where `build` makes many in one call. A
        refutation is confirmed with it.
    parameters : mapping
        Plain values with which it was built, for the record.
    profile : "quick" or "full"
        The full grid is left out of quick runs.
    twin : str
        What was broken on purpose; empty for the library's own.
    reading : str
        The same for claims that are readings of one claim of the library, where it does not say which it means; empty
        for a claim with one reading. Such a claim is refuted where all its readings are.
    notes : tuple of str
        What a reader of the row should know.
    """

    id: str
    constructor: str
    guarantee: Guarantee
    source: str
    relation: str
    pairs: Sequence[Pair]
    build: Callable[[], Mechanism]
    single: Callable[[], Mechanism] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    profile: Profile = "quick"
    twin: str = ""
    reading: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id or any(character.isspace() for character in self.id):
            raise InputError(f"the id {self.id!r} of a library's claim", allowed="a word without blanks")
        if not self.pairs:
            raise InputError(f"{self.id} has no pair", allowed="at least one pair of neighbours")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotExamined:
    """A constructor (or a part of its grid) that cannot be examined, and why, in one line."""

    constructor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """All that one installed version offers.

    Attributes
    ----------
    claims : tuple of Offered
        Twins included.
    not_examined : tuple of NotExamined
        Constructors without any claim here.
    constructors : tuple of str
        Every public constructor that was found by looking, examined or not.
    aside : tuple of NotExamined
        Public names that look like constructors and make no private release, with the reason.
    """

    claims: tuple[Offered, ...]
    not_examined: tuple[NotExamined, ...]
    constructors: tuple[str, ...]
    aside: tuple[NotExamined, ...] = ()


class Library(ABC):
    """A library as a subject.

    Attributes
    ----------
    name : str
        Of its file here.
    package, module : str
        As package indexes know it, and as it is imported.
    extra : str
        dpverify's extra that installs it; empty where there is none.
    recorded : str
        How its noise can be recorded, in one line: which generators are seen, or why none is.
    reports : mapping
        Public reports by a pattern of ids. They are cited beside a refuted row, and decide nothing.
    """

    name: ClassVar[str]
    package: ClassVar[str]
    module: ClassVar[str]
    extra: ClassVar[str] = ""
    recorded: ClassVar[str]
    reports: ClassVar[Mapping[str, str]] = {}

    def version(self) -> str:
        """Of the installed package; InputError, which names the extra, where it is not installed."""
        return installed_version(self.package, extra=self.extra, module=self.module)

    def accountants(self) -> Mapping[str, Accountant]:
        """The library's accountants of the Poisson-subsampled Gaussian mechanism, by name; empty where it has none."""
        return {}

    @abstractmethod
    def offers(self, profile: Profile) -> Offers:
        """What the installed version offers, found by looking; the same in every process. Quick: its claims alone."""


def installed_version(package: str, *, extra: str, module: str) -> str:
    """The version of an installed package.

    InputError where it is not installed; the message names dpverify's extra.
    """
    from importlib import metadata
    from importlib.util import find_spec

    try:
        if find_spec(module) is None:
            raise metadata.PackageNotFoundError
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise InputError(
            f"{package} is not installed",
            allowed="an installed library",
            remedy=how_to_install(package, extra),
        ) from None


def how_to_install(package: str, extra: str) -> str:
    """The command that installs a library with all that it needs."""
    return f"pip install 'dpverify[{extra}]'" if extra else f"pip install {package}"


Rows = Sequence[Any]

Builds = Callable[[Any], Callable[[], Mechanism]]
"""Makes, of one release, a function that makes the mechanism."""


def by_default(once: Callable[[Any, Any], Any]) -> Callable[[], Callable[..., Any]]:
    """A mechanism ``f(data)`` of ``once(data, random_state)`` with the library's own randomness, one call an output."""

    def build() -> Callable[..., Any]:
        def release(data: Any) -> Any:
            return once(data, None)

        return release

    return build


def in_short(problem: BaseException) -> str:
    """What a table says of a constructor that raised."""
    return " ".join(f"{type(problem).__name__}: {problem}".split())[:160]


def pairs_of(bases: Sequence[Rows], extremes: Rows, relation: str) -> list[Pair]:
    """Neighbours of each base: with one of the extreme records more, or in the place of the first record."""
    found = []
    for place, base in enumerate(bases):
        for each in extremes:
            other = [*base, each] if relation == ADD_REMOVE else [each, *base[1:]]
            if other != list(base):
                found.append(Pair(d0=list(base), d1=other, label=f"base {place}, {relation} of {each}"))
    return found


def both_readings(
    name: str,
    once: Any,
    bases: Sequence[Rows],
    extremes: Rows,
    *,
    epsilon: float,
    words: Mapping[str, Any],
    builds: Builds = by_default,
    single: Builds | None = None,
    twin: Callable[[], Any] | None = None,
    quick: bool = True,
    fault: str = "twice the epsilon that is claimed",
    faulty: str = REPLACE,
) -> list[Offered]:
    """The claim under both relations, and a twin under one of them."""
    found = []
    for relation in (REPLACE, ADD_REMOVE):
        told = "".join(f":{key}={value}" for key, value in words.items() if not isinstance(value, list | tuple | dict))
        reading = f"{name}{told}".replace(" ", "")
        claim = Offered(
            id=f"{reading}:{relation}",
            constructor=name,
            guarantee=PureDP(epsilon=epsilon),
            source=f"epsilon = {epsilon:g}; the library names no relation",
            relation=relation,
            pairs=pairs_of(bases, extremes, relation),
            build=builds(once),
            single=None if single is None else single(once),
            parameters={key: str(value) for key, value in words.items()},
            profile="quick" if quick else "full",
            reading=reading,
        )
        found.append(claim)
        if twin is not None and relation == faulty:
            wrong = twin()
            found.append(
                replace(
                    claim,
                    id=f"{claim.id}:twin-epsilon",
                    build=builds(wrong),
                    single=None if single is None else single(wrong),
                    twin=fault,
                    reading="",
                )
            )
    return found
