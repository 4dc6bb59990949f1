"""What is sensitive: labels and patterns in a text, a collection, or a file with one a line.

Patterns stand for many labels: ``glob:*TEST*``, ``re:^(beer|wine)``, ``under:Family planning``. Regular expressions are
those of RE2 in Arrow, whose time grows with the length of the text alone, so that nobody can stop a server with one.
"""

from __future__ import annotations

import difflib
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from covey.data import Baskets
from covey.data.labels import twins
from covey.errors import AbsentSensitive, InputError, ParameterError, one_spelling
from covey.io.files import locate, whole_text
from covey.parameters import choice, did_you_mean

#: What every pattern begins with.
GLOB, REGULAR, UNDER = PREFIXES = ("glob:", "re:", "under:")
#: What becomes of sensitive items that the data lacks.
ABSENT = ("error", "warn")
_FILE_SUFFIXES = (".txt", ".csv", ".tsv", ".lst", ".list")
#: Absent names for which near ones are looked for, which takes a while in a long list of labels.
_MOST_NEAR = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """What someone has named as sensitive, in one or several ways, and the taxonomy that ``under:`` refers to."""

    parts: tuple[Any, ...]
    taxonomy: Any = None

    @classmethod
    def of(cls, spec: Any, taxonomy: Any = None) -> Choice:
        """Return a choice from anything that states what is sensitive."""
        if isinstance(spec, Choice):
            return cls(spec.parts, spec.taxonomy if taxonomy is None else taxonomy)
        return cls((spec,), taxonomy)

    def names_nodes(self) -> bool:
        """Return whether a pattern in it refers to a node of a taxonomy."""
        return any(entry.text.startswith(UNDER) for entry in _entries(self, ()))


def written(spec: Any) -> str:
    """Return what was named as sensitive, as it may stand in a message."""
    if isinstance(spec, Choice):
        return ", ".join(map(written, spec.parts))
    return str(spec) if isinstance(spec, str | os.PathLike) else ", ".join(map(repr, list(spec)[:5]))


Spec = str | os.PathLike[str] | Collection[str] | Choice


@dataclass(frozen=True, slots=True)
class _Entry:
    """A label or a pattern, and where it stands; `path` is the name of a file that it may have been meant for."""

    text: str
    file: str | None = None
    line: int | None = None
    path: str | None = None


def read_sensitive(spec: Spec) -> list[str]:
    """Return the labels and patterns that are named as sensitive.

    `spec` is a file with one label or pattern a line in UTF-8, plain or compressed, where empty lines and lines that
    start with ``#`` do not count; or labels and patterns separated by commas, where ``@name`` is a file; or any
    collection of them. Text that is the name of an existing file is a file. Text that begins with ``re:`` is one
    regular expression, commas and all.

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
    """Return the labels and patterns that are named as sensitive, where commas in one of `labels` do not separate."""
    return list(dict.fromkeys(entry.text for entry in _entries(spec, set(labels))))


def mark(
    baskets: Baskets,
    spec: Spec,
    missing: str | None = None,
    column: str | None = None,
    elsewhere: Callable[[Sequence[str]], str] | None = None,
) -> Baskets:
    """Return the same baskets with exactly the items named by `spec` sensitive, as by `named_among`."""
    found = named_among(spec, baskets.items, "item", missing, baskets.aliases, column, elsewhere)
    return baskets.with_sensitive(found)


def named_among(
    spec: Spec,
    labels: Sequence[str],
    what: str,
    missing: str | None = None,
    aliases: Mapping[str, Sequence[str]] | None = None,
    column: str | None = None,
    elsewhere: Callable[[Sequence[str]], str] | None = None,
) -> list[str]:
    """Return the labels named by `spec`, which leave no twin of theirs to be published.

    Unknown names are an error, or with `missing` "warn" a warning, with file and line if they come from a file, and
    the nearest labels. A text that is a label of the data is that label, whatever else it could mean. `aliases` are
    other texts that stand for labels, such as codes that were given names; patterns may fit them too. `column` is the
    one that the labels were read from, and `elsewhere` returns where else names are found, for messages.
    """
    choice("read", "sensitive_missing", missing or ABSENT[0], ABSENT)
    wanted, own, other = Choice.of(spec), set(labels), aliases or {}
    texts = [*labels, *(text for text in other if text not in own)]
    known = set(texts)
    found: dict[str, None] = {}
    absent: list[_Entry] = []
    for entry in _entries(wanted, known):
        here = [entry.text] if entry.text in known else _fitting(entry, texts, wanted.taxonomy)
        for one in here:
            found |= dict.fromkeys(([one] if one in own else []) + list(other.get(one, ())))
        absent += [] if here else [entry]
    if absent:
        error = _absent(absent, texts, what, wanted, None if missing == "warn" else elsewhere)
        if missing != "warn":
            raise error
        for label, named in twins(texts, [entry.text for entry in absent]):
            if label not in found:
                problem = f"the data has the {what} {label!r}, which differs from the sensitive {named!r}"
                raise InputError(f"{problem} only in case or spaces", remedy="Write it in the list as the data has it.")
        warnings.warn(AbsentSensitive(str(error).removesuffix(error.remedy).rstrip(), marked=len(found)), stacklevel=2)
    refuse_twins(labels, set(found), what, column)
    return list(found)


def _fitting(entry: _Entry, labels: Sequence[str], taxonomy: Any) -> list[str]:
    try:
        return fitting(entry.text, labels, taxonomy) if is_pattern(entry.text) else []
    except InputError as error:
        raise InputError(error.problem, file=entry.file, line=entry.line, remedy=error.remedy) from None


def _absent(
    absent: Sequence[_Entry],
    labels: Sequence[str],
    what: str,
    wanted: Choice,
    elsewhere: Callable[[Sequence[str]], str] | None,
) -> InputError:
    """Return the error for everything that is named and not there, with what is nearest to it."""
    listed, near = [], ""
    for place, entry in enumerate(absent):
        if entry.path is not None:
            locate(entry.path)
        near = nearest(entry.text, labels) if place < _MOST_NEAR else ""
        about = [] if entry.line is None else [f"line {entry.line}"]
        about += [near[0].lower() + near[1:]] if near else []
        listed.append(f"{entry.text!r} ({'; '.join(about)})" if about else repr(entry.text))
    files = {entry.file for entry in absent}
    comma = any(isinstance(part, str) and "," in part for part in wanted.parts) and None in files
    hint = f" {what.capitalize()}s with a comma in them go into a file, one per line." if comma else ""
    where = "" if elsewhere is None else elsewhere([entry.text for entry in absent])
    remedy = f"{where} Correct the list, or continue without them with --sensitive-missing warn.{hint}".lstrip()
    first = absent[0]
    if len(absent) == 1:
        problem, remedy = f"the sensitive {what} {first.text!r} does not occur in the data", f"{near} {remedy}".lstrip()
        return InputError(problem, file=first.file, line=first.line, remedy=remedy)
    problem = f"{len(absent):,} sensitive {what}s do not occur in the data: {', '.join(listed)}"
    file = first.file if len(files) == 1 else None
    return InputError(problem, file=file, remedy=remedy, longest=100_000)


def refuse_twins(labels: Collection[str], named: set[str], what: str, column: str | None = None) -> None:
    """Refuse to publish labels that differ from a sensitive one only in case, blanks or composed letters."""
    found = twins((label for label in labels if label not in named), named) if named else []
    if found:
        label, sensitive = found[0]
        problem = (
            f"the {what} {label!r} differs from the sensitive {what} {sensitive!r} only in case, spaces or the way"
        )
        more = f" ({len(found):,} such {what}s: {', '.join(repr(label) for label, _ in found)})" if found[1:] else ""
        raise InputError(
            f"{problem}, spaces or the way letters are composed, and would be published{more}",
            remedy=one_spelling(column) if what == "item" else "Name it as sensitive too, or rename it.",
            longest=100_000,
        )


def _entries(spec: Any, known: Collection[str]) -> Iterator[_Entry]:
    """Distinguish a file from a text and a collection, and split it into labels and patterns.

    Blanks around a label do not count and lines that start with # are remarks, unless the data has such an item.
    """
    if isinstance(spec, Choice):
        for part in spec.parts:
            yield from _entries(part, known)
    elif isinstance(spec, os.PathLike) or (isinstance(spec, str) and spec not in known and _is_file(spec)):
        yield from _from_file(os.fspath(spec), known)
    elif isinstance(spec, str):
        parts = [spec] if spec in known or spec.lstrip().startswith(REGULAR) else spec.split(",")
        labels = list(dict.fromkeys(p if p in known else p.strip() for p in parts if p.strip()))
        if not labels:
            remedy = "Give labels separated by commas, or the name of a file with one label per line."
            raise InputError("the list of sensitive items is empty", remedy=remedy)
        like_path = len(labels) == 1 and ("/" in spec or spec.lower().endswith(_FILE_SUFFIXES))
        for label in labels:
            if label.startswith("@") and label not in known:
                yield from _from_file(label[1:], known)
            else:
                yield _Entry(label, path=spec if like_path and not is_pattern(label) else None)
    elif isinstance(spec, Iterable) and not isinstance(spec, bytes | bytearray):
        yield from (_Entry(label) for label in dict.fromkeys(map(str, spec)))
    else:
        raise ParameterError(
            f"Sensitive items are named by a file, a text or a collection of labels. Got {spec!r} instead."
        )


def _from_file(name: str, known: Collection[str]) -> Iterator[_Entry]:
    found = listed(whole_text(name), known)
    if not found:
        raise InputError("names no sensitive item", file=name, remedy="Write one label per line.")
    yield from (_Entry(label, name, line) for label, line in found.items())


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def listed(text: str, known: Collection[str]) -> dict[str, int]:
    """Return the labels and patterns of a text with one a line, and the line of each."""
    found: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        raw = line.rstrip("\r")
        label = raw if raw in known else raw.strip()
        if label and (label in known or not label.startswith("#")):
            found.setdefault(label, number)
    return found


def is_pattern(text: str) -> bool:
    """Return whether a text stands for all labels that fit it, rather than for one."""
    return text.startswith(PREFIXES)


def fitting(pattern: str, labels: Sequence[str], taxonomy: Any = None) -> list[str]:
    """Return the labels that fit a pattern, in their order.

    ``glob:`` with ``*``, ``?`` and ``[abc]`` is for the whole label, whatever its case; ``re:`` with an expression that
    occurs anywhere in it; ``under:`` with a node of the taxonomy.

    Examples
    --------
    >>> fitting("glob:*test*", ["Pregnancy TEST", "wine"]), fitting("re:^[w-z]", ["Pregnancy TEST", "wine"])
    (['Pregnancy TEST'], ['wine'])
    """
    if pattern.startswith(UNDER):
        node = pattern.removeprefix(UNDER).strip()
        if taxonomy is None:
            problem = f"'{UNDER}{node}' names a node of a taxonomy, and there is none"
            raise InputError(problem, remedy="Give one with --taxonomy.")
        top = taxonomy.node(node)
        below = set(taxonomy.labels[top : int(taxonomy.last[top]) + 1])
        return [label for label in labels if label in below]
    text = pattern.partition(":")[2]
    if not text.strip():
        raise InputError(f"there is nothing after {pattern!r}", remedy="Write a pattern, such as glob:*test*.")
    expression = _of_glob(text) if pattern.startswith(GLOB) else text
    try:
        fits = pc.match_substring_regex(pa.array(labels, pa.large_string()), expression)
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        reason = str(error).removeprefix("Invalid regular expression: ").splitlines()[0]
        raise InputError(
            f"{pattern!r} is not a valid regular expression ({reason})",
            remedy="Correct it, or use glob: with * for anything and ? for one character.",
        ) from None
    return [label for label, fit in zip(labels, fits.to_pylist(), strict=True) if fit]


def searched(text: str, labels: Sequence[str], taxonomy: Any = None) -> list[str]:
    """Return the labels that fit a pattern or, where `text` is none, hold it whatever its case; all for nothing."""
    if not text:
        return list(labels)
    return fitting(text if is_pattern(text) else f"{REGULAR}(?i){re.escape(text)}", labels, taxonomy)


def nearest(text: str, labels: Collection[str]) -> str:
    """Return a sentence with the labels nearest to a text or pattern; empty for nodes, which have no items."""
    if text.startswith(UNDER):
        return ""
    if not is_pattern(text) and (near := did_you_mean(text, labels).strip()):
        return near
    words = re.sub(r"[^\w\s]+", " ", text.partition(":")[2] if is_pattern(text) else text).split()
    for word in sorted(words, key=len, reverse=True):
        inside = [label for label in labels if word.casefold() in label.casefold()][:3]
        if inside:
            return f"Did you mean {' or '.join(map(repr, inside))}?"
    by_word = {part.casefold(): label for label in labels for part in (label, *label.split())}
    for word in words:
        for close in difflib.get_close_matches(word.casefold(), by_word, n=1):
            return f"Did you mean {by_word[close]!r}?"
    return ""


def _of_glob(text: str) -> str:
    r"""Return the expression that means the same as a glob.

    Examples
    --------
    >>> _of_glob("a*[!b]?.")
    '(?is)^a.*[^b].\\.$'
    """
    made = {"*": ".*", "?": "."}
    expression = ""
    for part in re.split(r"(\*|\?|\[[^\]]+\])", text):
        if part[:1] == "[" and part[1:]:
            inside = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
            expression += f"[^{inside[1:]}]" if inside[0] == "!" and inside[1:] else f"[{inside}]"
        else:
            expression += made.get(part) or re.escape(part)
    return f"(?is)^{expression}$"
