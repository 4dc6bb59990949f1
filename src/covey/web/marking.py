"""What is sensitive in a dataset: searching its items, and marking them one by one, by a pattern or by a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.io import read_taxonomy
from covey.io.sensitive import fitting, is_pattern, listed, nearest, searched
from covey.parameters import did_you_mean
from covey.web.data import Choices, Dataset, Datasets
from covey.web.problems import Conflict

#: Items that a search shows, and unknown names for which near ones are looked for: a longer list is another file's.
FOUND, NEAR = 18, 20


def search(data: Dataset, text: str) -> dict[str, Any]:
    """Return how many items fit a text or pattern, and the most frequent: name, support, whether it is sensitive."""
    supports = data.supports
    found = _fitting(data, text) if text else list(supports)
    marked = set(data.sensitive)
    shown = [{"item": one, "support": supports[one], "sensitive": one in marked} for one in found[:FOUND]]
    return {"total": len(found), "shown": shown}


def _fitting(data: Dataset, text: str, how: Callable[..., Sequence[str]] = searched) -> list[str]:
    """Return the items that fit, the most frequent first."""
    tree = None if data.choices.taxonomy is None else read_taxonomy(data.choices.taxonomy)
    fits = set(how(text, list(data.supports), tree))
    return [one for one in data.supports if one in fits]


def mark(datasets: Datasets, data: Dataset, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
    """Mark items as sensitive besides those that are, and take marks away."""
    supports = data.supports
    unknown = next((one for one in add if one not in supports), None)
    if unknown is not None:
        raise InputError(f"there is no {unknown!r}", remedy=did_you_mean(unknown, list(supports)).strip() or "Search.")

    def changed(choices: Choices) -> Choices:
        marked = [one for one in dict.fromkeys([*choices.sensitive, *add]) if one not in set(remove)]
        kind = data_kind(data.kind)
        if kind.sensitive_needs_protection and len(marked) >= len(supports):
            remedy = "Name only those whose link to a person would harm them."
            raise InputError(f"all {kind.marked}s are sensitive, so none is left to publish", remedy=remedy)
        return replace(choices, sensitive=marked)

    datasets.change(data.id, changed)


def mark_fitting(datasets: Datasets, data: Dataset, text: str) -> None:
    """Mark everything that fits a text or pattern."""
    mark(datasets, data, add=_fitting(data, text))


def mark_list(datasets: Datasets, data: Dataset, text: str, *, skip_unknown: bool) -> dict[str, Any]:
    """Mark the items of a list, one a line; while the data lacks some, only with `skip_unknown`.

    Returns how many are known, whether these were marked, and the unknown, each with near ones.
    """
    if data_kind(data.kind).by_roles:
        raise Conflict("The columns of a table are marked by their roles.")
    items = list(data.supports)
    known: dict[str, None] = {}
    unknown: list[str] = []
    for label in listed(text.removeprefix("\ufeff"), items):
        pattern = is_pattern(label) and label not in data.supports
        here = _fitting(data, label, fitting) if pattern else [label] if label in data.supports else []
        known |= dict.fromkeys(here)
        unknown += [] if here else [label]
    if not known and not unknown:
        raise InputError("the list names nothing", remedy="Write one name per line.")
    marked = bool(known) and (skip_unknown or not unknown)
    if marked:
        mark(datasets, data, add=list(known))
    near = [nearest(one, items) if is_pattern(one) else did_you_mean(one, items).strip() for one in unknown[:NEAR]]
    near += [""] * (len(unknown) - len(near))
    return {"known": len(known), "marked": marked, "unknown": list(zip(unknown, near, strict=True))}
