"""What is sensitive: labels and patterns in a text, a collection, or a file with one a line."""

from __future__ import annotations

import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from covey.data import Baskets
from covey.data.labels import plain
from covey.errors import ONE_SPELLING, AbsentSensitive, InputError, ParameterError
from covey.io.files import locate, whole_text
from covey.io.patterns import REGULAR, UNDER, fitting, is_pattern, nearest
from covey.parameters import choice, did_you_mean

#: What becomes of sensitive items that the data lacks.
ABSENT = ("error", "warn")

_FILE_SUFFIXES = (".txt", ".csv", ".tsv", ".lst", ".list")
#: Absent names for which near ones are looked for, which takes a while in a long list of labels.
_MOST_NEAR = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """What someone has named as sensitive, in one or several ways, and the taxonomy that ``under:`` speaks of.

    Examples
    --------
    >>> named_among(Choice(("viagra", "glob:*test")), ["pregnancy test", "viagra", "wine"], "item")
    ['viagra', 'pregnancy test']
    """

    parts: tuple[Any, ...]
    taxonomy: Any = None

    @classmethod
    def of(cls, spec: Any, taxonomy: Any = None) -> Choice:
        """A choice from anything that says what is sensitive."""
        if isinstance(spec, Choice):
            return cls(spec.parts, spec.taxonomy if taxonomy is None else taxonomy)
        return cls((spec,), taxonomy)

    def names_nodes(self) -> bool:
        """Whether a pattern in it speaks of a node of a taxonomy."""
        return any(entry.text.startswith(UNDER) for entry in _entries(self, ()))


def written(spec: Any) -> str:
    """What was named as sensitive, as it may stand in a message.

    Examples
    --------
    >>> written("secret.txt"), written(["wine", "beer"]), written(Choice(("wine", "glob:*test")))
    ('secret.txt', "'wine', 'beer'", 'wine, glob:*test')
    """
    if isinstance(spec, Choice):
        return ", ".join(written(part) for part in spec.parts)
    return str(spec) if isinstance(spec, str | os.PathLike) else ", ".join(map(repr, list(spec)[:5]))


Spec = str | os.PathLike[str] | Collection[str] | Choice


class AbsentNames(InputError):
    """Names that the data lacks; `names` are all of them."""

    def __init__(self, problem: str, *, names: Sequence[str], **place: Any) -> None:
        self.names = list(names)
        super().__init__(problem, **place)


@dataclass(frozen=True, slots=True)
class Entry:
    """A label or a pattern, and where it stands; `path` is the name of a file that it may have been meant for."""

    text: str
    file: str | None = None
    line: int | None = None
    path: str | None = None


def read_sensitive(spec: Spec) -> list[str]:
    """The labels and patterns that are named as sensitive.

    Parameters
    ----------
    spec : path, str or collection of str
        A file with one label or pattern a line in UTF-8, plain or compressed, where empty lines and lines that start
        with ``#`` do not count; or labels and patterns separated by commas, where ``@name`` is a file; or any
        collection of them. Text that is the name of an existing file is a file. Text that begins with ``re:`` is one
        regular expression, commas and all.

    Returns
    -------
    list of str
        Each once, in the order given.

    Examples
    --------
    >>> read_sensitive("pregnancy test, glob:*viagra*")
    ['pregnancy test', 'glob:*viagra*']
    """
    found = list(_entries(spec, ()))
    for entry in found:
        if entry.path is not None:
            locate(entry.path)
    return list(dict.fromkeys(entry.text for entry in found))


def texts_of(spec: Spec, labels: Collection[str]) -> list[str]:
    """The labels and patterns that are named as sensitive, where commas in one of `labels` do not separate.

    Examples
    --------
    >>> texts_of("wine, red,glob:*test", ["wine, red"])
    ['wine', 'red', 'glob:*test']
    """
    return list(dict.fromkeys(entry.text for entry in _entries(spec, set(labels))))


def mark(baskets: Baskets, spec: Spec, missing: str | None = None) -> Baskets:
    """The same baskets with exactly the items named by `spec` sensitive.

    Unknown names are an error, or with `missing` "warn" a warning, with file and line if they come from a file, and
    the nearest labels.
    """
    return baskets.with_sensitive(named_among(spec, baskets.items, "item", missing, baskets.aliases))


def named_among(
    spec: Spec,
    labels: Sequence[str],
    what: str,
    missing: str | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """The labels named by `spec`, which all must be among `labels` and leave no twin of theirs to be published.

    A text that is a label of the data is that label, whatever else it could mean. `aliases` are other texts that
    stand for labels, such as codes that were given names; patterns may fit them too.
    """
    choice("read", "sensitive_missing", missing or ABSENT[0], ABSENT)
    wanted = Choice.of(spec)
    own, other = set(labels), aliases or {}
    texts = [*labels, *(text for text in other if text not in own)]
    known = set(texts)
    found: dict[str, None] = {}
    absent: list[Entry] = []
    for entry in (entry for part in wanted.parts for entry in _entries(part, known)):
        here = [entry.text] if entry.text in known else _fitting(entry, texts, wanted.taxonomy)
        for one in here:
            found |= dict.fromkeys(([one] if one in own else []) + list(other.get(one, ())))
        absent += [] if here else [entry]
    if absent:
        told = _absent(absent, texts, what, wanted)
        if missing != "warn":
            raise told
        said = str(told).removesuffix(told.remedy).rstrip()
        warnings.warn(AbsentSensitive(said, marked=len(found)), stacklevel=2)
    refuse_twins(labels, set(found), what)
    return list(found)


def _fitting(entry: Entry, labels: Sequence[str], taxonomy: Any) -> list[str]:
    if not is_pattern(entry.text):
        return []
    try:
        return fitting(entry.text, labels, taxonomy)
    except InputError as error:
        raise InputError(error.problem, file=entry.file, line=entry.line, remedy=error.remedy) from None


def _absent(absent: Sequence[Entry], labels: Sequence[str], what: str, wanted: Choice) -> InputError:
    """The error for everything that is named and not there, with what is nearest to it."""
    for entry in absent:
        if entry.path is not None:
            locate(entry.path)
    texts = [entry.text for entry in absent[:_MOST_NEAR]]
    near = [nearest(text, labels) if is_pattern(text) else did_you_mean(text, labels).strip() for text in texts]
    near += [""] * (len(absent) - len(near))
    first, files = absent[0], {entry.file for entry in absent}
    comma = any(isinstance(part, str) and "," in part for part in wanted.parts) and None in files
    hint = f"{what.capitalize()}s with a comma in them go into a file, one per line." if comma else ""
    if len(absent) == 1:
        kind = f"the pattern {first.text!r} fits no {what} of the data"
        problem = kind if is_pattern(first.text) else f"the sensitive {what} {first.text!r} does not occur in the data"
        remedy = f"{near[0] or 'Check the spelling.'} To continue without it: --sensitive-missing warn. {hint}".strip()
        return AbsentNames(problem, file=first.file, line=first.line, remedy=remedy, names=[first.text])
    listed = [_with_place(entry, said) for entry, said in zip(absent, near, strict=True)]
    return AbsentNames(
        f"{len(absent):,} sensitive {what}s do not occur in the data: {', '.join(listed)}",
        file=first.file if len(files) == 1 else None,
        remedy=f"Correct the list, or continue without them with --sensitive-missing warn. {hint}".strip(),
        longest=100_000,
        names=[entry.text for entry in absent],
    )


def _with_place(entry: Entry, near: str) -> str:
    """A name with where it stands and what it is near to."""
    about = [f"line {entry.line}"] if entry.line is not None else []
    about += [near[0].lower() + near[1:]] if near else []
    return f"{entry.text!r} ({'; '.join(about)})" if about else repr(entry.text)


def refuse_twins(labels: Collection[str], named: set[str], what: str) -> None:
    """Refuse to publish labels that differ from a sensitive one only in case, blanks or composed letters."""
    known = {plain(label): label for label in named}
    twins = [label for label in labels if label not in named and plain(label) in known] if named else []
    if twins:
        first = f"the {what} {twins[0]!r} differs from the sensitive {what} {known[plain(twins[0])]!r} only in case"
        more = f" ({len(twins):,} such {what}s: {', '.join(map(repr, twins))})" if len(twins) > 1 else ""
        raise InputError(
            f"{first}, spaces or the way letters are composed, and would be published{more}",
            remedy=ONE_SPELLING if what == "item" else "Name it as sensitive too, or rename it.",
            longest=100_000,
        )


def _entries(spec: Any, known: Collection[str]) -> Iterator[Entry]:
    """Tell a file from a text and a collection, and split it into labels and patterns.

    Blanks around a label do not count and lines that start with # are remarks, unless the data has such an item.
    """
    if isinstance(spec, Choice):
        for part in spec.parts:
            yield from _entries(part, known)
    elif isinstance(spec, os.PathLike):
        yield from _from_file(spec, known)
    elif isinstance(spec, str):
        yield from _from_text(spec, known)
    elif isinstance(spec, Iterable) and not isinstance(spec, bytes | bytearray):
        yield from (Entry(label) for label in dict.fromkeys(map(str, spec)))
    else:
        raise ParameterError(
            f"Sensitive items are named by a file, a text or a collection of labels. Got {spec!r} instead."
        )


def _from_text(spec: str, known: Collection[str]) -> Iterator[Entry]:
    if spec not in known and _is_file(spec):
        yield from _from_file(spec, known)
        return
    parts = [spec] if spec in known or spec.lstrip().startswith(REGULAR) else spec.split(",")
    labels = list(dict.fromkeys(p if p in known else p.strip() for p in parts if p.strip()))
    if not labels:
        raise InputError(
            "the list of sensitive items is empty",
            remedy="Give labels separated by commas, or the name of a file with one label per line.",
        )
    looks_like_path = len(labels) == 1 and ("/" in spec or spec.lower().endswith(_FILE_SUFFIXES))
    for label in labels:
        if label.startswith("@") and label not in known:
            yield from _from_file(label[1:], known)
        else:
            yield Entry(label, path=spec if looks_like_path and not is_pattern(label) else None)


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _from_file(source: str | os.PathLike[str], known: Collection[str]) -> list[Entry]:
    name = os.fspath(source)
    found = listed(whole_text(source), known)
    if not found:
        raise InputError("names no sensitive item", file=name, remedy="Write one label per line.")
    return [Entry(label, name, line) for label, line in found.items()]


def listed(text: str, known: Collection[str]) -> dict[str, int]:
    """The labels and patterns of a text with one a line, and the line of each."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        raw = line.rstrip("\r")
        label = raw if raw in known else raw.strip()
        if label and (label in known or not label.startswith("#")):
            found.setdefault(label, number)
    return found
