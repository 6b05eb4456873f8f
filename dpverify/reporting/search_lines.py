"""An exact search's row in words: the margin at the claim's own parameters, the worst, the smallest, and each size.

Reads the statistics that a search for the worst pair leaves in a record (``by_measure``, ``own_parameters``,
``by_size``, ``smallest``); rows without them have no lines. What a search finds is the largest ratio *found*: a lower
bound on the largest there is, and "estimated" where no ball arithmetic stands behind it. Ratios are of what leaks to
what is claimed; above one the claim fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpverify.reporting.labelled import HANG, labelled, pairs, worded
from dpverify.reporting.words import claimed_at, number


def search_lines(item: Mapping[str, Any]) -> list[str]:
    """Lines for a record whose leading evidence is such a search; none for any other."""
    statistics = item["evidence"][0]["statistics"] if item["evidence"] else {}
    if not {"by_measure", "best_ratio"} <= statistics.keys():
        return []
    return [
        *labelled("own", _own(item, statistics.get("own_parameters"))),
        *labelled("worst", _worst(item, statistics["best_ratio"])),
        *labelled("smallest", _smallest(item, statistics)),
        *labelled("claimed", _claimed(item)),
        *_by_size(item, statistics.get("by_size") or ()),
    ]


def _searched(item: Mapping[str, Any]) -> Sequence[str]:
    return list(item["space"].get("parameters") or {})


def _own(item: Mapping[str, Any], own: Mapping[str, Any] | None) -> str:
    if not own:
        return ""
    place = {name: item["parameters"][name] for name in _searched(item) if name in item["parameters"]}
    where = ", ".join([own["measure"], f"size {own['size']}", *([pairs(place)] if place else [])])
    return f"ratio {number(own['ratio'])} at the claim's own parameters ({where}): {_outcome(own)}"


def _worst(item: Mapping[str, Any], found: Any) -> str:
    """The ratio that the verdict rests on; beside it the largest that the search saw, where that one has no proof."""
    parameters = (item["witness"] or {}).get("parameters") or {}
    beside = "" if number(found) == number(item["tightness"]) else f" (the search saw {number(found)}, estimated)"
    size, place = _size(item, parameters), _place(item, parameters)
    where = ", ".join([item["measure"], *([f"size {size}"] if size is not None else []), *([place] if place else [])])
    return f"ratio {number(item['tightness'])} ({where}), {_sure(item)}{beside}"


def _smallest(item: Mapping[str, Any], statistics: Mapping[str, Any]) -> str:
    seen = statistics.get("smallest")
    if not seen:
        return ""
    least, below = statistics.get("smallest_size"), statistics.get("largest_ratio_below")
    rest = f"; no size below {least} was seen to fail (largest ratio {number(below)})" if below is not None else ""
    place = _place(item, seen["parameters"])
    return (
        f"size {seen['size']}: {seen['measure']} is {number(seen['value'], 5)} against {number(seen['claimed'], 5)}"
        f"{' at ' + place if place else ''}, {_sure(seen)}{rest}"
    )


def _claimed(item: Mapping[str, Any]) -> str:
    at = claimed_at(item)
    if not at:
        return ""
    name = item["space"]["proportional"]
    return (
        f"{number(item['claimed'], 5)} is what the claim says{at}, the witness's; it is proportional to {name}, and "
        f"the guarantee is written at the claim's own {name} = {worded(item['parameters'].get(name))}"
    )


def _by_size(item: Mapping[str, Any], seen: Sequence[Mapping[str, Any]]) -> list[str]:
    if not seen:
        return []
    rows = [
        [str(each["size"]), number(each["ratio"]), each["measure"], _place(item, each["parameters"]), _outcome(each)]
        for each in seen
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    columns = (
        "  ".join(cell.ljust(width) if place > 1 else cell.rjust(width) for place, (cell, width) in cells).rstrip()
        for cells in (list(enumerate(zip(row, widths, strict=True))) for row in rows)
    )
    return [*labelled("by size", "largest ratio found at each, estimated:"), *(HANG + line for line in columns)]


def _place(item: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """The searched parameters; what a subject is built with to take data of a size says no more than the size."""
    return pairs({name: value for name, value in parameters.items() if name in _searched(item)})


def _size(item: Mapping[str, Any], parameters: Mapping[str, Any]) -> Any:
    built = [value for name, value in parameters.items() if name not in _searched(item) and isinstance(value, int)]
    return built[0] if built else item["space"].get("size")


def _outcome(seen: Mapping[str, Any]) -> str:
    return "exceeded" if seen["exceeded"] else "not exceeded"


def _sure(seen: Mapping[str, Any]) -> str:
    return "proved" if seen["proved"] else "estimated"
