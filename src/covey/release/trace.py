"""Traces: which original row each published row was. They stay with the original, never in or beside a release.

In memory a trace is remembered beside the release it is about, not in it, so that no copy of a release carries one.
"""

from __future__ import annotations

import hashlib
import os
import zipfile
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from covey.arrays import Ids, Ints, Words
from covey.errors import InputError, ParameterError
from covey.release.base import Release
from covey.staging import replacing

FORMAT = "covey-trace/1"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Trace:
    """Where the rows of an original went."""

    #: The original row of each published row, or the person where one row is published for each; of chunks, the
    #: cluster of each original record.
    rows: Ints
    #: The person of each original row, where persons are named.
    person: Ids | None = None
    #: A digest of each person's name, by which they are found in other data.
    names: Words | None = None


_known: WeakKeyDictionary[Release, Trace] = WeakKeyDictionary()


def remember(release: Release, trace: Trace | None) -> None:
    """Keep a trace in memory for as long as the release is there."""
    if trace is not None:
        _known[release] = trace


def trace_of(release: Release) -> Trace | None:
    """Return the trace of a release, if it is known here."""
    return _known.get(release)


def require_trace(release: Release) -> Trace:
    """Return the trace of a release; raise when it is not known."""
    trace = trace_of(release)
    if trace is None:
        raise ParameterError(
            "This needs the trace of the release, which says who was published where. Give the dataset (NAME.covey) "
            "that the release was made from, or the file that `covey anonymize --trace FILE` wrote: --trace FILE."
        )
    return trace


def named(release: Release, original: Any) -> Trace | None:
    """Return the trace with the persons of the original and the digests of their names; None without a trace."""
    trace = trace_of(release)
    if trace is None:
        return None
    data = getattr(original, "baskets", original)
    names = getattr(data, "names", None)
    return Trace(rows=trace.rows, person=getattr(data, "person", None), names=names)


def digest_of(release: Release) -> str:
    """Return a digest of the tables of a release, whatever library or format they are written with."""
    total = hashlib.sha256()
    for table, batches in sorted(release.tables().items()):
        columns: defaultdict[str, Any] = defaultdict(hashlib.sha256)
        for batch in batches:
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                values: Any = column
                if pa.types.is_list(values.type):
                    columns[f"{name} lengths"].update(pc.list_value_length(values).to_numpy())
                    values = values.flatten()
                columns[f"{name} present"].update(values.is_valid().to_numpy(zero_copy_only=False))
                columns[name].update(_content(values.drop_null()))
        for name, found in sorted(columns.items()):
            total.update(f"{table}\0{name}\0{found.hexdigest()}\n".encode())
    return total.hexdigest()


def _content(values: Any) -> bytes:
    """The values as bytes, 16 for each text."""
    if pa.types.is_string(values.type):
        values = values.dictionary_encode()
    if not pa.types.is_dictionary(values.type):
        return bytes(values.to_numpy().tobytes())
    texts = b"".join(map(_text_digest, values.dictionary.to_pylist()))
    return bytes(np.frombuffer(texts, np.uint64).reshape(-1, 2)[values.indices.to_numpy()].tobytes())


@lru_cache(maxsize=1 << 16)
def _text_digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


def place_of(directory: Path, release: Release) -> Path:
    """Where a dataset keeps the trace of a release."""
    return directory / "traces" / f"{digest_of(release)[:40]}.npz"


def write_trace(path: Path, trace: Trace, release: Release, *, force: bool = False) -> None:
    """Write a trace to a file that only its owner can read."""
    found = {"rows": trace.rows, "person": trace.person, "names": trace.names}
    arrays: dict[str, Any] = {name: array for name, array in found.items() if array is not None}
    with replacing(path, force=force) as new:
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as sink:
            np.savez_compressed(sink, format=np.array(FORMAT), release=np.array(digest_of(release)), **arrays)
        new.chmod(0o600)


def read_trace(path: Path, release: Release) -> Trace | None:
    """Read the trace in a file; None where it is of another release.

    Raises
    ------
    InputError
        The file cannot be read, or is no trace.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            if str(found["format"]) != FORMAT:
                raise InputError(f"is not a trace of the format {FORMAT}", file=str(path))
            if str(found["release"]) != digest_of(release):
                return None
            return Trace(rows=found["rows"], person=found.get("person"), names=found.get("names"))
    except FileNotFoundError:
        raise InputError("does not exist", file=str(path)) from None
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(f"is not a trace ({error})", file=str(path)) from None


def find_trace(release: Release, original: Any, files: tuple[Path, ...] = ()) -> None:
    """Remember the trace of a release from the given files, or from the dataset that the original was loaded from.

    Raises
    ------
    InputError
        Files were given, and none is the trace of this release.
    """
    if trace_of(release) is not None:
        return
    for path in files:
        remember(release, read_trace(path, release))
    directory = getattr(original, "directory", None)
    if trace_of(release) is None and directory is not None and any((directory / "traces").iterdir()):
        place = place_of(directory, release)
        if place.exists():
            remember(release, read_trace(place, release))
    if files and trace_of(release) is None:
        raise InputError("is the trace of another release", file=str(files[0]))
