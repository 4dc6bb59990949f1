"""Where the data of a comparison come from: files or generators, with the taxonomy over their items."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from covey.compare.config import OWN, DataSpec
from covey.compare.generators import generate
from covey.counting import counted
from covey.data import Baskets
from covey.errors import CoveyWarning, Infeasible, InputError, UnnamedPersons
from covey.io import read_taxonomy
from covey.io.source import Source
from covey.parameters import integer, number


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


def draw_sensitive(baskets: Baskets, *, random: int, seed: int = 0, share: float = 0.05, least: int = 1) -> Baskets:
    """Mark `random` items, drawn uniformly among those that can be protected, as the sensitive ones.

    Parameters
    ----------
    baskets : Baskets
        Marks it has are dropped.
    random : int
        How many items.
    seed : int
        For the drawing.
    share : float
        An item in more than this share of the transactions is not drawn: 0.05 keeps degree(p) feasible for
        p up to 20.
    least : int
        Nor is an item in fewer transactions than this.

    Examples
    --------
    >>> baskets = Baskets.of([["a", "b"], ["a", "c"], ["a", "d"]])
    >>> draw_sensitive(baskets, random=1, seed=0, share=0.5).sensitive_items()[0] in "bcd"
    True
    """
    if not hasattr(baskets, "supports"):
        raise InputError(
            f"sensitive items are drawn by how many have them; this is {baskets.kind}, not baskets",
            remedy="Name the sensitive issues or columns.",
        )
    integer("sensitive", "random", random, minimum=1)
    integer("sensitive", "seed", seed, minimum=0)
    integer("sensitive", "least", least, minimum=1)
    number("sensitive", "share", share, minimum=0, maximum=1)
    people = baskets.by_person()
    supports = people.supports()
    able = np.flatnonzero((supports >= least) & (supports <= share * people.n))
    if len(able) < random or random >= baskets.d:
        raise Infeasible(
            f"{counted(random, 'sensitive item')} cannot be drawn: {len(able):,} of {baskets.d:,} items are in "
            f"at least {least:,} and at most {share:.3g} of the {baskets.unit}. Draw fewer, or raise share.",
            witness=counted(len(able), "item"),
            best=min(len(able), baskets.d - 1),
        )
    drawn = np.random.default_rng(seed).choice(able, random, replace=False)
    mask = np.zeros(baskets.d, np.bool_)
    mask[drawn] = True
    return replace(baskets, sensitive=mask)
