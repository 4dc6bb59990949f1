"""The list of sensitive items: a file with one label a line, a comma-separated text, or a collection."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from covey.data import Baskets
from covey.data.amounts import as_one, classes, item_of
from covey.data.labels import plain
from covey.errors import InputError, ParameterError
from covey.io.files import locate, whole_text
from covey.parameters import did_you_mean

Spec = str | os.PathLike[str] | Collection[str]

_FILE_SUFFIXES = (".txt", ".csv", ".tsv", ".lst", ".list")


@dataclass(frozen=True, slots=True)
class Named:
    """Labels that were named as sensitive, and where: a file and the line of each, or nothing."""

    labels: list[str]
    lines: list[int] | None = None
    file: str | None = None
    missing: str | None = None


def read_sensitive(spec: Spec) -> list[str]:
    """The labels that are named as sensitive.

    Parameters
    ----------
    spec : path, str or collection of str
        A file with one label a line in UTF-8, plain or compressed, where empty lines and lines that start with
        ``#`` do not count; or labels separated by commas; or any collection of labels. Text that is the name of
        an existing file is a file.

    Returns
    -------
    list of str
        Each label once, in the order given.

    Examples
    --------
    >>> read_sensitive("pregnancy test, viagra")
    ['pregnancy test', 'viagra']
    """
    named = parse(spec)
    if named.missing is not None:
        locate(named.missing)
    return named.labels


def mark(baskets: Baskets, spec: Spec) -> Baskets:
    """The same baskets with exactly the items named by `spec` sensitive.

    Unknown names are an error that tells file and line, if they come from a file, and the nearest labels. An item that
    is told apart by quantity is sensitive in any, and becomes one item: were its classes counted one by one, more
    people could hold it than each of them shows.
    """
    known = classes(baskets.items)
    named = named_among(spec, [*baskets.items, *(item for item in known if item not in baskets.items)], "item")
    whole = {item_of(label) for label in named if item_of(label) in known}
    for item in sorted(whole - set(named)):
        left = [label for label in known[item] if label not in named]
        if left:
            raise InputError(
                f"{left[0]!r} is another quantity of an item that is named as sensitive, and would be published",
                remedy=f"Name {item!r}, which means every quantity of it.",
            )
    marked = list(dict.fromkeys(item if (item := item_of(label)) in whole else label for label in named))
    return (as_one(baskets, whole) if whole else baskets).with_sensitive(marked)


def named_among(spec: Spec, labels: Collection[str], what: str) -> list[str]:
    """The labels named by `spec`, which all must be among `labels` and leave no twin of theirs to be published."""
    known = set(labels)
    named = parse(spec, known)
    for place, label in enumerate(named.labels):
        if label in known:
            continue
        if named.missing is not None:
            locate(named.missing)
        near = did_you_mean(label, labels).strip() or "Check the spelling."
        if isinstance(spec, str) and named.file is None and "," in spec:
            near += f" {what.capitalize()}s with a comma in them go into a file, one a line."
        raise InputError(
            f"the sensitive {what} {label!r} does not occur in the data",
            file=named.file,
            line=named.lines[place] if named.lines else None,
            remedy=near,
        )
    _refuse_twins(labels, set(named.labels), what)
    return named.labels


def _refuse_twins(labels: Collection[str], named: set[str], what: str) -> None:
    """Refuse to publish a label that differs from a sensitive one only in case, blanks or composed letters."""
    known = {plain(label): label for label in named}
    for label in labels:
        if label not in named and plain(label) in known:
            raise InputError(
                f"the {what} {label!r} differs from the sensitive {what} {known[plain(label)]!r} only in case, "
                "blanks or the way letters are composed, and would be published",
                remedy="Name it as sensitive too, or mend the data.",
            )


def parse(spec: object, known: Collection[str] = ()) -> Named:
    """Tell a file from a text and a collection, and split it into labels.

    Blanks around a label do not count and lines that start with # are remarks, unless the data has such an item.
    """
    if isinstance(spec, os.PathLike):
        return _from_file(spec, known)
    if isinstance(spec, str):
        if _is_file(spec):
            return _from_file(spec, known)
        parts = [spec] if spec in known else spec.split(",")
        labels = list(dict.fromkeys(p if p in known else p.strip() for p in parts if p.strip()))
        if not labels:
            raise InputError(
                "the list of sensitive items names none",
                remedy="Give labels separated by commas, or the name of a file with one label a line.",
            )
        looks_like_path = len(labels) == 1 and ("/" in spec or spec.lower().endswith(_FILE_SUFFIXES))
        return Named(labels, missing=spec if looks_like_path else None)
    if not isinstance(spec, Iterable) or isinstance(spec, bytes | bytearray):
        raise ParameterError(
            f"Sensitive items are named by a file, a text or a collection of labels. Got {spec!r} instead."
        )
    return Named(list(dict.fromkeys(str(label) for label in spec)))


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _from_file(source: str | os.PathLike[str], known: Collection[str]) -> Named:
    name = os.fspath(source)
    found: dict[str, int] = {}
    for number, line in enumerate(whole_text(source).split("\n"), 1):
        text = line.rstrip("\r")
        label = text if text in known else text.strip()
        if label and (label in known or not label.startswith("#")):
            found.setdefault(label, number)
    if not found:
        raise InputError("names no sensitive item", file=name, remedy="Write one label a line.")
    return Named(list(found), list(found.values()), name)
