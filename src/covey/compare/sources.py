"""Where the data of a comparison come from: files or generators, with the taxonomy over their items."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from covey.compare.config import OWN, DataSpec
from covey.errors import CoveyError, InputError
from covey.parameters import did_you_mean, parse_call


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
    return f"{data} with {taxonomy_content(spec)}"


def taxonomy_content(spec: DataSpec) -> str:
    """A digest of the taxonomy's file, and how it is read."""
    arguments = dict(spec.taxonomy)
    digest = _digest(arguments.pop("path"), f"the taxonomy of '{spec.name}'")
    return f"{digest} {sorted(arguments.items())}"


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


def load(spec: DataSpec) -> tuple[Any, Any]:
    """Read or generate a data set, mark the sensitive items that the file names, and read its taxonomy.

    Returns
    -------
    data, taxonomy
        The taxonomy is None when the file gives none.
    """
    from covey.io.kinds import reader

    taxonomy = _read_taxonomy(spec)
    if spec.generate is not None:
        data, own = _generate(spec, taxonomy)
        if data.kind != spec.kind:
            raise InputError(
                f"the data set '{spec.name}' is said to be {spec.kind}, and {spec.generate!r} makes {data.kind}",
                remedy=f'Set kind = "{data.kind}" there.',
            )
        if spec.sensitive is not None:
            data = data.with_sensitive(_labels(spec.sensitive))
        return data, own() if spec.taxonomy == OWN else taxonomy
    arguments = dict(spec.read)
    if spec.sensitive is not None:
        arguments["sensitive"] = spec.sensitive
    return reader(spec.kind)(spec.path, **arguments), taxonomy


def _read_taxonomy(spec: DataSpec) -> Any:
    from covey.io import read_taxonomy

    if not isinstance(spec.taxonomy, Mapping):
        return None
    arguments = dict(spec.taxonomy)
    return read_taxonomy(arguments.pop("path"), **arguments)


def _labels(sensitive: Any) -> list[str]:
    if isinstance(sensitive, str):
        return [part.strip() for part in sensitive.split(",") if part.strip()]
    return list(sensitive)


def _generate(spec: DataSpec, taxonomy: Any) -> tuple[Any, Callable[[], Any]]:
    """The data of a generator call, and how to get the taxonomy that comes with them."""
    from covey import synth
    from covey.data import Taxonomy
    from covey.io.baskets.journey import complete_journey, journey_taxonomy
    from covey.synth.queries import queries

    text = str(spec.generate)
    name, positional, named = parse_call(text)
    makers: dict[str, Any] = {
        "journey": complete_journey,
        "queries": queries,
        "quest": synth.quest,
        "shop": synth.shop,
        "survey": synth.survey,
    }
    if name not in makers or positional:
        raise InputError(
            f"there is no generator {text!r}",
            remedy="Write quest(transactions=1000, seed=1), shop(…), survey(…), queries(…) or journey()."
            + did_you_mean(name, makers),
        )
    known = [key for key in inspect.signature(makers[name]).parameters if key not in ("progress", "taxonomy")]
    for key in named:
        if key not in known:
            raise InputError(
                f"the generator {name} has no parameter '{key}'",
                remedy=f"It takes {', '.join(known) or 'none'}.",
            )
    if name == "queries":
        if taxonomy is None:
            raise InputError(
                f"the generator queries draws from a taxonomy, and '{spec.name}' has none",
                remedy="Add taxonomy = FILE to the data set.",
            )
        named = {"taxonomy": taxonomy, **named}
    try:
        made = makers[name](**named)
    except CoveyError as error:
        raise InputError(f"the generator {text!r} refuses: {error}") from None
    if isinstance(made, synth.Shop):
        return made.baskets, lambda: Taxonomy.from_pairs(made.taxonomy)
    return made, journey_taxonomy
