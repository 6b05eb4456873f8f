"""What changes the digest of deciding definitions, and what does not, on a small tree of modules."""

from __future__ import annotations

import textwrap

import pytest

from auditors.privacy.event.auditor import EventAuditor
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.core.section import Section
from dpverify.runner.row_sources import Key, Sources, digest, reached_definitions
from dpverify.runner.row_sources.definition import SECTIONS

TREE = {
    "auditors": "",
    "auditors.one": '''
        """Prose."""
        from dpverify.core.auditing import Task
        from dpverify.stats import tails
        from dpverify.stats.tails import LEVEL as ALPHA, doubled

        class One:
            """An auditor."""
            limit: float = 0.5

            def audit(self, task: Task) -> float:
                """Prose."""
                from auditors.part import look
                return look(task) * ALPHA + tails.EDGE

        def unused():
            return doubled(2)
    ''',
    "auditors.part": """
        import numpy as np

        def look(task, *, scale=2.0):
            return again(np.float64(scale), task) if scale < 3 else scale

        def again(scale, task):
            return look(task, scale=scale + 1)
    """,
    "auditors.other": "LEVEL = 1",
    "dpverify.stats": "",
    "dpverify.stats.tails": """
        LEVEL = 1
        EDGE = 7

        def doubled(x):
            return 2 * x
    """,
}

LINE = "\n" + 16 * " "

ROOT = Key("auditors.one", "One")


def of(tree=TREE, root=ROOT, **changes):
    """The digest; keywords replace text in a module (dots as underscores): ``auditors_one=(old, new)``."""
    texts = {name: textwrap.dedent(text) for name, text in tree.items()}
    for name, (old, new) in changes.items():
        module = next(each for each in texts if each.replace(".", "_") == name)
        assert old in texts[module]
        texts[module] = texts[module].replace(old, new)
    return digest([root], sources=Sources(texts=texts, packages=("auditors", "dpverify.stats")))


def moved(names, tree=TREE):
    """The tree with words replaced everywhere, names of modules among them."""
    texts = {}
    for name, text in tree.items():
        for old, new in names.items():
            name, text = name.replace(old, new), text.replace(old, new)
        texts[name] = text
    return texts


def test_definitions_are_followed_through_imports_and_no_further_than_they_are_named():
    texts = {name: textwrap.dedent(text) for name, text in TREE.items()}
    found = reached_definitions([ROOT], sources=Sources(texts=texts, packages=("auditors", "dpverify.stats")))
    names = {(key.module, key.name) for key in found}
    assert names == {
        ("auditors.one", "One"),
        ("auditors.part", "look"),
        ("auditors.part", "again"),
        ("dpverify.stats.tails", "LEVEL"),
        ("dpverify.stats.tails", "EDGE"),
    }


@pytest.mark.parametrize(
    "change",
    [
        {"auditors_one": ("= 0.5", "= 0.6")},
        {"auditors_one": ("* ALPHA", "+ ALPHA")},
        {"auditors_one": ("def audit", "def checked")},
        {"auditors_part": ("scale=2.0", "scale=2.5")},
        {"auditors_part": ("scale < 3", "scale <= 3")},
        {"auditors_part": ("np.float64", "np.float32")},
        {"auditors_part": ("import numpy as np", "import scipy as np")},
        {"auditors_part": ("def again", "@np.vectorize\ndef again")},
        {"dpverify_stats_tails": ("LEVEL = 1", "LEVEL = 1\nLEVEL += 1")},
        {"dpverify_stats_tails": ("EDGE = 7", "EDGE = 8")},
        {"dpverify_stats_tails": ("EDGE = 7", "EDGE = 7\nfor each in (1,):\n    globals().update(EDGE=each)")},
    ],
)
def test_what_a_definition_says_changes_it(change):
    assert of(**change) != of()


@pytest.mark.parametrize(
    "change",
    [
        {"auditors_one": ('"""Prose."""', '"""Other prose."""')},
        {"auditors_one": ("task: Task", "task: object")},
        {"auditors_one": ("-> float", "-> int")},
        {"auditors_one": ("return doubled(2)", "return doubled(3)")},
        {"auditors_one": ("limit: float = 0.5", "limit: int = 0.5  # a comment")},
        {"auditors_other": ("LEVEL = 1", "LEVEL = 2")},
        {"dpverify_stats_tails": ("return 2 * x", "return 3 * x")},
    ],
)
def test_what_nothing_follows_from_does_not(change):
    assert of(**change) == of()


FIELDS = TREE | {
    "auditors.one": """
        from typing import Annotated, Literal
        from dpverify.stats.tails import Between, Share as Part, Unruly
        Kind = Literal["l1", "l2"]

        class One:
            q: Annotated[float, Between(0, 1)] = 0.5
            rate: Part | None = None
            kind: Kind = "l1"
            free: Unruly = None
    """,
    "dpverify.stats.tails": """
        from typing import Annotated
        SHARE = Between(0, 1, open="low")
        Share = Annotated[float, SHARE]
        Unruly = dict[str, int]
    """,
}


@pytest.mark.parametrize(
    "change",
    [
        {"auditors_one": ("Between(0, 1)", "Between(0, 2)")},
        {"auditors_one": ("Part | None", "Part")},
        {"auditors_one": ("Part | None", "float")},
        {"auditors_one": ('"l2"', '"l3"')},
        {"dpverify_stats_tails": ('"low"', '"high"')},
        {"dpverify_stats_tails": ("[float, SHARE]", "[int, SHARE]")},
    ],
)
def test_annotations_that_say_what_a_field_may_hold_count(change):
    assert of(FIELDS, **change) != of(FIELDS)


def test_annotations_that_tell_a_type_do_not_count_whatever_stands_beside_them():
    assert of(FIELDS, dpverify_stats_tails=("dict[str, int]", "dict[str, float]")) == of(FIELDS)
    assert of(FIELDS, auditors_one=("free: Unruly", "free: object")) == of(FIELDS)


@pytest.mark.parametrize(
    ("names", "root"),
    [
        ({"auditors.part": "auditors.place.of_its_own"}, ROOT),
        ({"auditors.one": "auditors.last.one"}, Key("auditors.last.one", "One")),
        ({"class One": "class Zwei"}, Key("auditors.one", "Zwei")),
        ({"look": "aaa", "again": "zzz"}, ROOT),
        ({"LEVEL": "Z_LEVEL", "EDGE": "A_EDGE"}, ROOT),
    ],
)
def test_moves_and_renames_do_not(names, root):
    assert of(moved(names), root) == of()


def test_a_move_within_a_file_does_not_and_a_swap_of_roles_does():
    part = textwrap.dedent(TREE["auditors.part"])
    head, look, again = part.partition("def look")[0], *part.partition("def look")[2].split("def again")
    turned = f"{head}def again{again}\ndef look{look}"
    assert of({**TREE, "auditors.part": turned}) == of()
    tails = TREE["dpverify.stats.tails"]
    swapped = tails.replace("LEVEL", "x").replace("EDGE", "LEVEL").replace("x = 1", "EDGE = 1")
    assert of({**TREE, "dpverify.stats.tails": swapped}) != of()


def test_a_module_that_is_passed_on_as_a_thing_is_taken_whole():
    passed = {"auditors_one": ("tails.EDGE", "look(tails)")}
    assert of(**passed) != of(**passed, dpverify_stats_tails=("return 2 * x", "return 3 * x"))


def test_statements_that_run_on_import_count_for_all_of_their_module():
    late = {"auditors_part": ("def again", "look.hooks = []\n\ndef again")}
    assert of(**late) != of()
    assert of(**late) != of(auditors_part=("def again", "look.hooks = [1]\n\ndef again"))


def test_a_block_that_binds_and_does_more_counts_and_so_does_the_order_of_what_runs():
    def with_(text):
        tails = f"LEVEL = 1\nEDGE = [7]\n{text}\ndef doubled(x):\n    return 2 * x\n"
        return of({**TREE, "dpverify.stats.tails": tails})

    assert with_("if True:\n    EDGE.append(3)\n    Z = 1") != with_("if True:\n    EDGE.append(4)\n    Z = 1")
    assert with_("EDGE.append(2)\nEDGE = [3]") != with_("EDGE = [3]\nEDGE.append(2)")
    assert with_("for each in (0,):\n    EDGE[each] = 3") != with_("for each in (0,):\n    EDGE[each] = 4")
    caught = "\nexcept KeyError:\n    Z = 1"
    assert with_(f"try:\n    del EDGE[0]{caught}") != with_(f"try:\n    Z = 1{caught}")
    assert with_("if not TYPE_CHECKING:\n    LEVEL = 2") != with_("if not TYPE_CHECKING:\n    LEVEL = 3")


def test_implementations_that_join_a_function_count_wherever_they_stand():
    tree = {
        **TREE,
        "dpverify.stats.tails": "@singledispatch\ndef doubled(x):\n    return 2 * x\n\nLEVEL = 1\n",
        "auditors.one": TREE["auditors.one"].replace("tails.EDGE", "tails.doubled(1)"),
    }
    joined = "from dpverify.stats.tails import doubled\n@doubled.register\ndef _(x: {}):\n    return {} * x\n"
    found = [of({**tree, "auditors.other": joined.format(*words)}) for words in (("int", 2), ("int", 3), ("float", 2))]
    assert len({*found, of(tree)}) == 4


def test_what_looks_up_the_registry_takes_all_that_is_registered_there():
    looked = f"from dpverify.core.plugins import registry{LINE}return registry().things.get(task)"
    tree = {
        **TREE,
        "auditors.one": TREE["auditors.one"].replace("return look(task)", looked),
        "auditors.other": "def made():\n    return 1\n\ndef register(registry):\n    registry.things.add('a', made)\n",
    }
    assert of(tree) != of(tree, auditors_other=("return 1", "return 2"))
    elsewhere = moved({"auditors.other": "dpverify.stats.elsewhere"}, tree)
    assert of(tree) == of(elsewhere)


def test_a_registry_that_is_passed_on_is_taken_whole():
    passed = f"from dpverify.core.plugins import registry{LINE}return look(registry())"
    tree = {
        **TREE,
        "auditors.one": TREE["auditors.one"].replace("return look(task)", passed),
        "auditors.other": "def made():\n    return 1\n\ndef register(registry):\n    registry.steps.add('a', made)\n",
    }
    assert of(tree) != of(tree, auditors_other=("return 1", "return 2"))


def test_what_imports_by_name_takes_what_its_package_offers_to_be_found():
    found = f"from importlib import import_module{LINE}return import_module(task).build(1)"
    tree = {
        **TREE,
        "auditors.one": TREE["auditors.one"].replace("return look(task)", found),
        "auditors.found": "LIMIT = 3\n\ndef build(text):\n    return LIMIT\n",
    }
    assert of(tree) != of(tree, auditors_found=("LIMIT = 3", "LIMIT = 4"))
    assert of(tree) == of({**tree, "auditors.other": "LEVEL = 2"})


def test_settings_and_words_matter_and_are_told_apart():
    auditors = [EventAuditor(), EventAuditor(fewest_confirming=1)]
    found = {digest([each], *words) for each in auditors for words in ((), ("ab",), ("a", "b"), ("b", "a"))}
    assert len(found) == 8


def test_the_auditors_own_definitions_are_reached_wherever_they_are_installed():
    modules = {key.module for key in reached_definitions([EventAuditor()])}
    assert {"auditors.privacy.event.select", "auditors.privacy.event_bounds", "dpverify.stats.intervals"} <= modules
    core = {name for name in modules if name.startswith("dpverify.core")}
    assert core <= {"dpverify.core.rules"}  # what fields may hold; nothing else of it decides a number
    assert not any(name.startswith(("dpverify.runner", "dpverify.reporting")) for name in modules)


def test_every_subject_of_the_ledger_is_reached():
    """A subject whose factory is written where no source is followed would never be stale."""
    known = registry()
    for _, claim in known.claims.items():
        for single in claim.single():
            assert reached_definitions([known.subject(single.subject)]), single.id
            assert reached_definitions([single.guarantee]), single.id


def test_every_section_of_the_registry_that_numbers_may_follow_from_is_followed():
    """A new section is one of these, or it holds words, claims, or how suites, reports and rechecks are made."""
    words = {"papers", "rows", "claims", "entries", "experiments", "suites", "remarks", "objections", "figures"}
    words |= {"writers", "charts", "powers", "schemes", "libraries", "library_accountants", "bugs"}
    words |= {"relations"}  # of users; ours are followed as neighbours
    sections = {name for name, item in vars(Registry()).items() if isinstance(item, Section)}
    assert set(SECTIONS) == sections - words
