"""Prepare data: read it once with all choices made, report what was read, and save it as a dataset."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.counting import counted
from covey.data.kinds import USUAL_KIND, data_kind, data_kinds
from covey.data.labels import alike
from covey.data.saved import Origin, load, read_description, save
from covey.errors import CoveyWarning, LeftOut, ParameterError
from covey.io.files import file_of, locate
from covey.io.loading import address
from covey.io.preview import likeliest_kind, read_head
from covey.io.sensitive import texts_of
from covey.io.source import Source
from covey.io.trees import read_taxonomy
from covey.measure.inspection import labels as labels_of
from covey.measure.inspection import profile
from covey.progress import Progress, silent

#: Shares of items that an earlier dataset did not have, above which there is a warning.
MANY_NEW = 0.3
#: How many sensitive items, and groups of spellings, are in the lines of text.
_SHOWN = 40
#: Reading options that name columns.
_COLUMNS = ("transaction", "item", "person", "name", "user", "rating", "quasi", "identifier", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A dataset that was prepared, and what its owner should check."""

    path: str
    kind: str
    #: What the file was recognised as, in a sentence.
    recognised: str
    #: Its size, by what is counted.
    sizes: Mapping[str, int]
    #: Columns of the file that were used, by what for, and those that were not.
    used: Mapping[str, Any]
    left_out: Sequence[str]
    #: Rows and persons that were left out and why, in sentences.
    dropped: Sequence[str]
    #: What is marked as sensitive, with its support.
    sensitive: Mapping[str, int]
    #: Labels that differ only in case, spaces or invisible characters, together.
    alike: Sequence[Sequence[str]]
    #: What else there is to check, such as a column that seems to identify persons.
    warned: Sequence[str]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain data for JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return what was read in lines of text; `warned` is not in them."""
        kind = data_kind(self.kind)
        sizes = ", ".join(f"{number:,} {kind.sizes[name]}" for name, number in self.sizes.items())
        named = {name: value if isinstance(value, str) else ", ".join(value) for name, value in self.used.items()}
        used = "; ".join(f"{name} {value}" for name, value in named.items() if value)
        alike = "; ".join(", ".join(map(repr, labels)) for labels in self.alike[:_SHOWN])
        return [
            f"{self.path}: {self.kind}, {sizes}",
            *([self.recognised] if self.recognised else []),
            *([f"Columns: {used}."] if used else []),
            *([f"Columns left out: {', '.join(self.left_out)}."] if self.left_out else []),
            *self.dropped,
            f"Sensitive: {counted(len(self.sensitive), kind.marked)}{':' if self.sensitive else '.'}",
            *(f"{support:>9,}  {label}" for label, support in list(self.sensitive.items())[:_SHOWN]),
            *([f"{'…':>9}  and {len(self.sensitive) - _SHOWN:,} more"] if len(self.sensitive) > _SHOWN else []),
            *([f"These look alike and count as different: {alike}."] if alike else []),
        ]


def prepare(
    source: Source,
    out: str | os.PathLike[str],
    *,
    taxonomy: str | os.PathLike[str] | None = None,
    like: str | os.PathLike[str] | None = None,
    rows: pa.Table | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> Prepared:
    """Read a source, save it as the dataset `out`, and return what was read.

    With `like`, a dataset, the choices that were made for it count where `source` states nothing else. `rows` are those
    of the file where they have been read already.
    """
    given = _like(source, like) if like is not None else source
    options = dict(given.options)
    taxonomy = options.pop("taxonomy", taxonomy)
    given = replace(given, options=options)
    wanted = given.as_kind(given.known_kind or _guessed(given) or USUAL_KIND)
    if taxonomy is not None:
        wanted = wanted.along(read_taxonomy(taxonomy))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoveyWarning)
        recognised = None if wanted.options.get("query") else wanted.recognise()
        data = _with_rows(wanted, rows).read(progress=progress)
    for other in caught:
        if not isinstance(other.message, CoveyWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
    told = [one.message for one in caught if isinstance(one.message, CoveyWarning)]
    labels, counts = labels_of(data)
    choices, left_out = _choices(wanted, data, recognised, labels)
    if rows is not None:  # a raw export, whose columns are named in the options
        left_out = [name for name in rows.column_names if name not in {choices.get(role) for role in _COLUMNS}]
    if taxonomy is not None:
        choices["taxonomy"] = str(Path(taxonomy).absolute())
    kind = wanted.decided
    warned = list(dict.fromkeys(str(one) for one in told if not isinstance(one, LeftOut)))
    warned += _new_labels(like, labels, kind.marked) if like is not None else []
    path = save(data, out, origin=Origin(files=_files(wanted), choices=choices, warned=tuple(told)), force=force)
    marked = set(data.sensitive_items()) if hasattr(data, "sensitive_items") else set(choices.get("sensitive", ()))
    figures = profile(data)
    return Prepared(
        path=str(path),
        kind=kind.name,
        recognised="" if recognised is None else recognised.describe(),
        sizes={name: figures[name] for name in kind.sizes if figures.get(name) is not None},
        used={name: value for name, value in choices.items() if name in _COLUMNS},
        left_out=left_out,
        dropped=list(dict.fromkeys(str(one) for one in told if isinstance(one, LeftOut))),
        sensitive={label: int(count) for label, count in zip(labels, counts, strict=True) if label in marked},
        alike=_look_alikes(labels),
        warned=warned,
    )


def _with_rows(source: Source, rows: pa.Table | None) -> Source:
    """Return the source with its rows in memory if they are, and then without what is stated of the file."""
    if rows is None:
        return source
    about = ("format", "sheet", "separator", "encoding")
    return replace(source, data=rows, options={n: value for n, value in source.options.items() if n not in about})


def _guessed(source: Source) -> str | None:
    """Return the kind that a file looks most like of those that have the options; None for what is no file."""
    able = [kind.name for kind in data_kinds() if set(source.options) <= {*kind.option_names()}]
    path = file_of(source.data)
    if path is None or not able:
        return None
    likely = likeliest_kind(read_head(path, source.options))
    return likely if likely in able else able[0]


def _choices(source: Source, data: Any, recognised: Any, labels: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the choices to repeat for the next file, with columns that were recognised, and the columns left out."""
    options: dict[str, Any] = {name: value for name, value in source.options.items() if name not in ("baskets", "also")}
    if "hierarchies" in options:
        options["hierarchies"] = _absolute(options["hierarchies"])
    marked: list[str] = [] if source.sensitive is None else texts_of(source.sensitive, labels)
    left_out: list[str] = []
    if recognised is not None and recognised.columns:
        roles = {name: getattr(recognised, name) for name in ("transaction", "item", "person")}
        options |= {name: column for name, column in roles.items() if column is not None and recognised.header}
        if recognised.layout != "wide":
            left_out = [name for name in recognised.columns if name not in {*roles.values(), options.get("name")}]
    table = getattr(data, "attributes", data)
    if hasattr(table, "left_out"):
        left_out = list(table.left_out)
        of_role: dict[str, list[str]] = {"quasi": [], "other": [], "sensitive": []}
        for column in table.columns:
            of_role[column.role].append(column.name)
        sensitive = of_role.pop("sensitive")
        options |= of_role
        marked = sensitive if source.decided.by_roles else marked
    return {"kind": source.decided.name, **({"sensitive": marked} if marked else {}), **options}, left_out


def _absolute(hierarchies: Any) -> Any:
    if isinstance(hierarchies, str):
        name, equals, path = hierarchies.rpartition("=")
        return f"{name}{equals}{Path(path).absolute()}"
    return [_absolute(one) for one in hierarchies]


def _files(source: Source) -> tuple[dict[str, Any], ...]:
    """Return name, size and digest of every file that was read."""
    found = []
    for one in (source.data, source.options.get("baskets"), *source.options.get("also", ())):
        if (name := file_of(one)) is not None:
            path = locate(address(name)[0])
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            found.append({"name": path.name, "bytes": path.stat().st_size, "sha256": digest})
    return tuple(found)


def _look_alikes(labels: Sequence[str]) -> list[list[str]]:
    """Return labels that a person would take for the same, together."""
    first = alike(labels)
    shared = np.flatnonzero(np.bincount(first, minlength=len(labels)) > 1).tolist()
    return [[labels[place] for place in np.flatnonzero(first == one).tolist()] for one in shared]


def _like(source: Source, like: str | os.PathLike[str]) -> Source:
    """Return the source with the choices that were made for an earlier dataset where it states nothing else."""
    saved = dict(read_description(like)["choices"])
    kind, sensitive, taxonomy = (saved.pop(name, None) for name in ("kind", "sensitive", "taxonomy"))
    if kind == "records" and "baskets" not in source.options and "item" not in saved:
        raise ParameterError(f"{like} was made from two files. Give the second one, too: --baskets FILE.")
    options = Source.of(source.data, **{**saved, **source.options}).options
    sensitive = sensitive if source.sensitive is None else source.sensitive
    options = {**options, **({"taxonomy": taxonomy} if taxonomy is not None else {})}
    return replace(source, kind=source.kind or kind, sensitive=sensitive, options=options)


def _new_labels(like: str | os.PathLike[str], labels: Sequence[str], what: str) -> list[str]:
    """Return a warning where many labels are not in the earlier dataset."""
    known = set(labels_of(load(like))[0])
    new = [label for label in labels if label not in known]
    if not labels or len(new) < MANY_NEW * len(labels):
        return []
    return [
        f"{len(new):,} of {len(labels):,} {what}s are not in {like}, such as {', '.join(map(repr, new[:3]))}. Check "
        "that this is the same kind of file, and what of them is sensitive."
    ]
