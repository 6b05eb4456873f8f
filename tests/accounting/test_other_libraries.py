"""Events, histories and measurements of other libraries: their own objects, stand-ins, and what strangers write."""

from __future__ import annotations

import json
import math
from collections import namedtuple
from types import SimpleNamespace

import pytest

import dpverify as dpv
from dpverify.accounting.composition_spec import composed, composition_of
from dpverify.accounting.event_text import parse_event
from dpverify.accounting.other_libraries import MOST, read_other, steps_of
from dpverify.accounting.side_by_side import written
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry


def taken(given):
    return written(composition_of(given, registry()))


def event(text):
    return taken(parse_event(text))


GAUSSIAN = "GaussianDpEvent(noise_multiplier=2.0)"
TAKEN = [
    (GAUSSIAN, "gaussian(sigma=2, sensitivity=1)*1"),
    ("dp_accounting.GaussianDpEvent(noise_multiplier=np.float64(2.0))", "gaussian(sigma=2, sensitivity=1)*1"),
    ("LaplaceDpEvent(noise_multiplier=0.5)", "laplace(scale=0.5, sensitivity=1)*1"),
    (
        f"SelfComposedDpEvent(event=SelfComposedDpEvent(event={GAUSSIAN}, count=3), count=5)",
        "gaussian(sigma=2, sensitivity=1)*15",
    ),
    (
        f"ComposedDpEvent(events=[{GAUSSIAN}, NoOpDpEvent(), {GAUSSIAN}])",
        "gaussian(sigma=2, sensitivity=1)*2 + no-op()*1",
    ),
    ("ComposedDpEvent(events=[])", "no-op()*1"),
    (f"PoissonSampledDpEvent(sampling_probability=0.01, event={GAUSSIAN})", "poisson-gaussian(q=0.01, sigma=2)*1"),
    (
        "PoissonSampledDpEvent(sampling_probability=0.2, event=LaplaceDpEvent(noise_multiplier=0.5))",
        "poisson-laplace(q=0.2, scale=0.5",
    ),
    ("PoissonSampledDpEvent(sampling_probability=0.2, event=NoOpDpEvent())", "no-op()*1"),
    (
        f"SampledWithoutReplacementDpEvent(source_dataset_size=100, sample_size=10, event={GAUSSIAN})",
        "fixed-size-gaussian(q=0.1, sigma=2, sensitivity=2)*1",
    ),
    (
        "SingleEpochTreeAggregationDpEvent(noise_multiplier=1.13, step_counts=[100, 1600])",
        "tree(sigma=1.13, steps=1600,",
    ),
    ("SingleEpochTreeAggregationDpEvent(noise_multiplier=1.13, step_counts=0)", "no-op()*1"),
    ("SingleEpochTreeAggregationDpEvent(noise_multiplier=1.13, step_counts=[])", "no-op()*1"),
    (
        f"PoissonSampledDpEvent(sampling_probability=0.1, event=SelfComposedDpEvent(event={GAUSSIAN}, count=0))",
        "no-op()*1",
    ),
    (
        "MixtureOfGaussiansDpEvent(standard_deviation=1.0, sensitivities=[0.0, 1.0], sampling_probs=[0.8, 0.2])",
        "mixture-gaussian(weights=(0.8, 0.2), shifts=(0, 1), sigma=1)*1",
    ),
    ("DiscreteGaussianDpEvent(sigma=2.0, sensitivity=1.0, dimension=1)", "discrete-gaussian(sigma=2, sensitivity=1)*1"),
    (
        "_GaussianDpEventNamedTupleWrapper(module_name='dp_accounting.dp_event', class_name='GaussianDpEvent', "
        "noise_multiplier=2.0)",
        "gaussian(sigma=2, sensitivity=1)*1",
    ),
]


@pytest.mark.parametrize(("text", "found"), TAKEN)
def test_events_as_steps(text, found):
    assert event(text).startswith(found)


def test_events_that_become_steps_with_their_own_names():
    """These names are steps' here or will be: what is checked is what they are asked for."""
    inner = parse_event(GAUSSIAN)
    for text, name, numbers in [
        ("ZCDpEvent(rho=0.5)", "zcdp", {"rho": 0.5, "xi": 0.0}),
        ("ExponentialMechanismDpEvent(epsilon=1.0)", "exponential-mechanism", {"epsilon": 1.0}),
        ("PermuteAndFlipDpEvent(epsilon=1.0)", "permute-and-flip", {"epsilon": 1.0}),
        ("DiscreteGaussianDpEvent(sigma=2.0)", "zcdp", {"rho": pytest.approx(0.125)}),
    ]:
        (step,) = steps_of(parse_event(text))
        assert (step.name, step.arguments, step.count) == (name, numbers, 1)
    (step,) = steps_of(parse_event(f"RepeatAndSelectDpEvent(event={GAUSSIAN}, mean=10.0, shape=inf)"))
    assert step.name == "repeat-and-select" and step.arguments["shape"] == "poisson"
    assert step.arguments["step"].arguments == {"sigma": inner.arguments["noise_multiplier"]}
    numbers = "dataset_size=4, sampling_probability=0.5, truncated_batch_size=2, noise_multiplier=1.0"
    text = f"TruncatedSubsampledGaussianDpEvent({numbers})"
    (step,) = steps_of(parse_event(text))
    assert step.arguments == {"records": 4, "q": 0.5, "most": 2, "step": step.arguments["step"]}


def test_two_gaussian_releases_on_one_sample_are_one_of_less_noise():
    inner = f"ComposedDpEvent(events=[{GAUSSIAN}, SelfComposedDpEvent(event={GAUSSIAN}, count=3)])"
    (step,) = steps_of(parse_event(f"PoissonSampledDpEvent(sampling_probability=0.1, event={inner})"))
    assert step.name == "poisson-gaussian"
    assert 1 - 1e-14 < step.arguments["sigma"] < 1


def test_randomised_response_and_discrete_laplace_err_upwards():
    (step,) = steps_of(parse_event("RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=4)"))
    assert math.log(5) < step.arguments["epsilon"] < math.log(5) * (1 + 1e-14)
    (step,) = steps_of(parse_event("DiscreteLaplaceDpEvent(noise_parameter=0.3, sensitivity=1)"))
    assert 1 / step.arguments["scale"] >= 0.3


def test_objects_of_the_library_cost_what_it_says():
    library = pytest.importorskip("dp_accounting")
    from dp_accounting.rdp import RdpAccountant

    sampled = library.PoissonSampledDpEvent(0.01, library.GaussianDpEvent(1.1))
    tree = library.SingleEpochTreeAggregationDpEvent(2.0, [100, 1600])
    for made in (
        library.ComposedDpEvent([library.SelfComposedDpEvent(sampled, 100), library.LaplaceDpEvent(2.0)]),
        library.SelfComposedDpEvent(tree, 2),
    ):
        assert taken(made) == taken(made.to_named_tuple()) == event(repr(made)) == event(repr(made.to_named_tuple()))
        relation = library.NeighboringRelation.REPLACE_SPECIAL if "Tree" in repr(made) else None
        accountant = RdpAccountant(**({"neighboring_relation": relation} if relation else {})).compose(made)
        ours = {row.accountant: row.bracket.upper for row in dpv.account(made).rows}
        assert ours["rdp"] <= accountant.get_epsilon(1e-5) <= ours["rdp"] * 1.05


def test_histories(tmp_path):
    rows = [[1.1, 0.01, 100], [1.0, 0.02, 50]]
    expected = "poisson-gaussian(q=0.01, sigma=1.1)*100 + poisson-gaussian(q=0.02, sigma=1)*50"
    for form in (rows, [tuple(row) for row in rows], {"history": rows, "mechanism": "rdp"}):
        assert taken(form) == expected
        path = tmp_path / "history.json"
        path.write_text(
            json.dumps({"epoch": 3, "privacy_accountant_state_dict": {"history": rows, "mechanism": "prv"}})
        )
        assert written(composed(read_other(path), registry())) == expected


class Measurement(SimpleNamespace):
    """What is asked of OpenDP's."""

    def map(self, d_in):
        if not isinstance(d_in, float):
            raise TypeError("inferred type is i32, expected f64")
        return self.claimed(d_in)


def test_measurements_cost_their_claim():
    for measure, claimed, found in [
        ("MaxDivergence", lambda d: d / 2, "pure(epsilon=0.5)*1"),
        ("Approximate(MaxDivergence)", lambda d: (d, 1e-6), "approx(epsilon=1, delta=1e-06)*1"),
    ]:
        assert taken({"opendp": Measurement(output_measure=measure, claimed=claimed), "d_in": 1.0}) == found
    (step,) = steps_of({"opendp": Measurement(output_measure="ZeroConcentratedDivergence", claimed=abs), "d_in": 0.125})
    assert (step.name, step.arguments) == ("zcdp", {"rho": 0.125})


Wrapper = namedtuple("Wrapper", ["module_name", "class_name", "noise_multiplier"])


class NewDpEvent:
    pass


DEEP = "SelfComposedDpEvent(event=" * 40 + GAUSSIAN + ", count=1)" * 40


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("NonPrivateDpEvent()", "NonPrivateDpEvent, which costs no finite amount"),
        ("UnsupportedDpEvent()", "UnsupportedDpEvent, for which there is no step"),
        (f"ComposedDpEvent(events=[{GAUSSIAN}, Foo(a=1)])", r"events\[1\]: Foo, for which"),
        (f"SampledWithReplacementDpEvent(source_dataset_size=9, sample_size=3, event={GAUSSIAN})", "no step here"),
        ("GaussianDpEvent(noise_multiplier=2.0, clip=3)", "unexpected keyword argument 'clip'"),
        ("GaussianDpEvent()", "missing a required argument: 'noise_multiplier'"),
        ("GaussianDpEvent(noise_multiplier=0.0)", "gaussian: sigma = 0"),
        ("GaussianDpEvent(noise_multiplier=-1)", "gaussian: sigma = -1"),
        ("GaussianDpEvent(noise_multiplier=__import__('os'))", "position"),
        ("GaussianDpEvent(noise_multiplier=1) + 1", "position"),
        (f"SelfComposedDpEvent(event={GAUSSIAN}, count=1.5)", "count = 1.5"),
        (f"SelfComposedDpEvent(event={GAUSSIAN}, count=-1)", "count = -1"),
        (
            f"ComposedDpEvent(events=[{GAUSSIAN}, SampledWithoutReplacementDpEvent(source_dataset_size=100, "
            f"sample_size=10, event={GAUSSIAN})])",
            "one neighbouring relation",
        ),
        ("SelfComposedDpEvent(event=3, count=1)", "SelfComposedDpEvent.event: a float"),
        ("ComposedDpEvent(events=3)", "events of type float"),
        (f"PoissonSampledDpEvent(sampling_probability=1.5, event={GAUSSIAN})", "q = 1.5"),
        ("RandomizedResponseDpEvent(noise_parameter=0, num_buckets=4)", "noise_parameter = 0"),
        (f"SampledWithoutReplacementDpEvent(source_dataset_size=0, sample_size=0, event={GAUSSIAN})", "SampledWithout"),
        (f"RepeatAndSelectDpEvent(event=SelfComposedDpEvent(event={GAUSSIAN}, count=2), mean=3, shape=1)", "several"),
        (DEEP, "nested too deeply"),
        ("[" * 2000, "nested"),
        ('{"history": []}', "none of the compositions"),
        ('{"history": [[1.0, 0.1]]}', r"history\[0\] of 2 values"),
        ('{"history": [[1.0, 0.1, 1.5]]}', "steps = 1.5"),
        ('{"history": [[1.0, "a", 1]]}', "q = 'a'"),
        ('{"history": [[[], 0.1, 1]]}', "sigma = "),
        ('{"history": 3, "mechanism": "rdp"}', "a int that is none"),
        ('{"__function__": "make_laplace", "__kwargs__": {}}', "how it is made and not what it costs"),
        ("3", "position"),
        ("", "the text ends"),
        ("PK\x03\x04abc", "file of torch or a pickle"),
    ],
)
def test_what_cannot_be_taken_is_one_line_with_its_place(given, told, tmp_path):
    path = tmp_path / "given.txt"
    path.write_text(given)
    with pytest.raises(InputError, match=told) as problem:
        composed(read_other(path), registry(), f"{path}: ")
    assert "\n" not in str(problem.value) and str(path) in str(problem.value)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (NewDpEvent(), "NewDpEvent, for which"),
        (Wrapper("m", "OtherDpEvent", 1.0), "OtherDpEvent, for which"),
        ({"opendp": Measurement(output_measure="MaxDivergence"), "d_in": 1}, "no claim at d_in = 1: inferred type"),
        ({"opendp": 3, "d_in": 1}, "no claim"),
        ({"opendp": 3}, "without d_in"),
        ({"opendp": Measurement(output_measure="RenyiDivergence", claimed=abs), "d_in": 1.0}, "under RenyiDivergence"),
        ([[1, 0.1, 1]] * (MOST + 1), "more than"),
    ],
)
def test_objects_that_cannot_be_taken(given, told):
    with pytest.raises(InputError, match=told):
        composition_of(given, registry())


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "large.json"
    path.write_text("[" + " " * 1_000_001)
    with pytest.raises(InputError, match="at most 1000000"):
        read_other(path)


def test_shared_events_do_not_grow_without_end():
    """Ten levels of ten times the same: 10^10 events, written as few."""
    kind = type("ComposedDpEvent", (), {"__attrs_attrs__": (SimpleNamespace(name="events"),)})
    inner = parse_event(GAUSSIAN)
    for _ in range(10):
        outer = kind()
        outer.events = [inner] * 10
        inner = outer
    with pytest.raises(InputError, match="too many events"):
        steps_of(inner)
