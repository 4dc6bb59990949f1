"""Where the data of a comparison come from: files or generators, with the taxonomy over their items."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from covey.compare.config import OWN, DataSpec
from covey.compare.generators import generate
from covey.errors import CoveyWarning, InputError, UnnamedPersons
from covey.io import read_taxonomy
from covey.io.source import Source


@lru_cache(maxsize=64)
def _file_digest(path: str, size: int, changed: int) -> str:
    with Path(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def content(spec: DataSpec) -> str:
    """The generator's call, or a digest of the file, and the same of the taxonomy.

    Results never outlive the data they came from.
    """
    data = str(spec.generate) if spec.path is None else _digest(spec.path, f"the data set '{spec.name}'")
    if spec.taxonomy is None:
        return data
    if spec.taxonomy == OWN:
        return f"{data} with its own taxonomy"
    arguments = dict(spec.taxonomy)
    digest = _digest(arguments.pop("path"), f"the taxonomy of '{spec.name}'")
    return f"{data} with {digest} {sorted(arguments.items())}"


def _digest(path: str, what: str) -> str:
    try:
        state = Path(path).stat()
        if Path(path).is_dir():
            raise InputError("it is a directory, not a file", file=path)
        return _file_digest(path, state.st_size, state.st_mtime_ns)
    except OSError as error:
        raise InputError(
            f"{what} cannot be read: {error.strerror}",
            file=path,
            remedy="Paths are relative to the comparison file.",
        ) from None


def source_of(spec: DataSpec, data: Any) -> Source:
    """How the data of a comparison are read, from their file or from what a generator made."""
    return Source.of(data, kind=spec.kind, sensitive=spec.sensitive, **spec.read)


def load(spec: DataSpec) -> tuple[Any, Any]:
    """Read or generate a data set, mark the sensitive items that the file names, and read its taxonomy.

    Returns
    -------
    data, taxonomy
        The taxonomy is None when the file gives none.
    """
    taxonomy = None
    if isinstance(spec.taxonomy, Mapping):
        arguments = dict(spec.taxonomy)
        taxonomy = read_taxonomy(arguments.pop("path"), **arguments)
    if spec.generate is None:
        return _read(spec, spec.path), taxonomy
    data, own = generate(spec.generate, taxonomy)
    if data.kind != spec.kind:
        raise InputError(
            f"the data set '{spec.name}' is said to be {spec.kind}, and {spec.generate!r} makes {data.kind}",
            remedy=f'Set kind = "{data.kind}" there.',
        )
    return _read(spec, data), own() if spec.taxonomy == OWN else taxonomy


def _read(spec: DataSpec, data: Any) -> Any:
    """The data; who is warned that persons are not named is told how a comparison names them."""
    told: list[warnings.WarningMessage] = []
    try:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", CoveyWarning)
            return source_of(spec, data).read()
    finally:
        for one in told:
            said = one.message
            if isinstance(said, UnnamedPersons):
                remedy = (
                    f"Protect persons with read = {{ person = {json.dumps(said.column, ensure_ascii=False)} }} in "
                    f"[data.{spec.name}], or say that every row is a different person with read = "
                    "{ row_is_person = true }."
                )
                said = UnnamedPersons(said.column, said.persons, said.rows, said.most, said.what, remedy)
            warnings.warn_explicit(said, one.category, one.filename, one.lineno)
