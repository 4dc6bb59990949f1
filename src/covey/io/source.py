"""What is to be read, and how: the same for the command line, the page, comparisons and Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from covey.data.kinds import USUAL_KIND, DataKind, data_kind, data_kinds
from covey.data.saved import load as load_dataset
from covey.data.saved import read_description, warned
from covey.errors import ParameterError
from covey.io.baskets import read
from covey.io.ratings import read_ratings
from covey.io.recognition import recognise
from covey.io.records import read_records
from covey.io.sensitive import Choice
from covey.io.table import columns_of, read_table
from covey.parameters import did_you_mean
from covey.progress import Progress, silent
from covey.release.base import Release
from covey.staging import is_dataset

#: Kind of data → ``(source, sensitive=, progress=, **options) -> data``.
READERS: dict[str, Callable[..., Any]] = {
    "baskets": read,
    "ratings": read_ratings,
    "table": read_table,
    "records": read_records,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where data is and how to read it; nothing is read before `read` is called.

    Examples
    --------
    >>> source = Source.of([["wine", "test"], ["wine"]], sensitive="test")
    >>> source.as_kind("baskets").read()
    Baskets(2 transactions, 2 items, 3 entries, 1 sensitive)
    """

    #: A saved dataset, a file, a frame, data that was read already, or a function without arguments that returns one of
    #: these.
    data: Any
    #: What it holds; None as long as nobody has stated so.
    kind: str | None = None
    #: What is sensitive in it; None keeps the marks that data in memory has.
    sensitive: Any = None
    #: How to read it, under the names that `covey.read` and its like have.
    options: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Any, *, kind: str | None = None, sensitive: Any = None, **options: Any) -> Source:
        """Return a source from anything, also from a source, which must then say nothing twice.

        Options that are None count as not given; those that no kind of data has are refused.
        """
        given = {name: value for name, value in options.items() if value is not None}
        if isinstance(data, Release):
            raise ParameterError(
                f"This is a release of the kind {data.kind}, and data is needed here. Give the data that it was made "
                "from."
            )
        if isinstance(data, Source):
            if given or kind is not None:
                raise ParameterError("The source already says how to read it.")
            return data if sensitive is None else replace(data, sensitive=sensitive)
        known = dict.fromkeys(name for one in data_kinds() for name in one.option_names())
        for name in given:
            if name not in known:
                raise ParameterError(
                    f"There is no reading option '{name}'.{did_you_mean(name, known)} Known: {', '.join(known)}."
                )
        return cls(data=data, kind=kind, sensitive=sensitive, options=given)

    @property
    def path(self) -> str | os.PathLike[str] | None:
        """The file or saved dataset that is named; None for what is in memory."""
        return self.data if isinstance(self.data, str | os.PathLike) else None

    @property
    def known_kind(self) -> str | None:
        """The kind of data as far as it is known: stated, in memory, or implied by an option."""
        if self.kind is not None:
            return data_kind(self.kind).name
        if self.path is not None and self.directory is not None:
            return str(read_description(self.directory)["kind"])
        if isinstance(own := getattr(self.data, "kind", None), str):
            return own
        telling = [one.name for one in data_kinds() if any(o.telling and o.name in self.options for o in one.options)]
        fitting = [name for name in telling if set(self.options) <= {*data_kind(name).option_names()}] or telling
        return fitting[0] if len(fitting) == 1 else None

    def as_kind(self, kind: str = USUAL_KIND) -> Source:
        """Return the same source, to be read as `kind` unless it is known to be another; its options must fit."""
        decided = data_kind(self.known_kind or kind)
        for name in self.options:
            if name not in decided.option_names():
                owners = [one.name for one in data_kinds() if name in one.option_names()]
                raise ParameterError(
                    f"The reading option '{name}' is for {' and '.join(owners)}; this is to be read as {decided.name}."
                )
        return replace(self, kind=decided.name)

    def with_hints(self, hints: Mapping[str, Any]) -> Source:
        """Return the same source with what a release states about its original where nothing was given.

        A column keeps the role that it was given; the release determines the roles of the others.
        """
        if self.in_memory:
            return self
        own = {**self.options, **({} if self.sensitive is None else {"sensitive": self.sensitive})}
        rest = {name: told for name, told in hints.items() if name not in own}
        if self.decided.by_roles:
            taken = {name for role in {*hints} & {*own} - {"categorical"} for name in columns_of(own[role])}
            of_values = [name for name in rest.pop("categorical", ()) if (name in taken) == ("quasi" in own)]
            rest = {role: [name for name in told if name not in taken] for role, told in rest.items()}
            rest |= {"categorical": of_values} if of_values else {}
        sensitive = rest.pop("sensitive", self.sensitive)
        return replace(self, sensitive=sensitive, options={**self.options, **rest})

    def along(self, taxonomy: Any) -> Source:
        """Return the same source, in which ``under:`` refers to nodes of this taxonomy."""
        if taxonomy is None or self.sensitive is None or self.decided.by_roles:
            return self
        return replace(self, sensitive=Choice.of(self.sensitive, taxonomy))

    def files(self) -> list[Any]:
        """Return whatever may name a file that it is read from, as it was given."""
        marked = list(self.sensitive.parts) if isinstance(self.sensitive, Choice) else self.sensitive
        return [self.path, marked, dict(self.options)]

    def names_nodes(self) -> bool:
        """Return whether what is sensitive is given by nodes of a taxonomy."""
        return isinstance(self.sensitive, Choice) and self.sensitive.names_nodes()

    @property
    def directory(self) -> Path | None:
        """The saved dataset that this is or was loaded from, which `covey.data.saved.traces` has a folder for."""
        if self.path is not None:
            return Path(self.path) if is_dataset(Path(self.path)) else None
        return getattr(self.data, "directory", None)

    @property
    def in_memory(self) -> bool:
        """Whether covey has read the data already: into memory, or into a saved dataset."""
        return isinstance(getattr(self.data, "kind", None), str) or self.directory is not None

    @property
    def decided(self) -> DataKind:
        """The kind of data that will be read."""
        return data_kind(self.known_kind or USUAL_KIND)

    def read(self, *, progress: Progress = silent) -> Any:
        """Read the data."""
        if self.path is not None and self.directory is not None:
            found = load_dataset(self.directory)
            for earlier in warned(self.directory):
                earlier.repeated = True
                warnings.warn(earlier, stacklevel=2)
        else:
            found = self.data() if callable(self.data) else self.data
        own = getattr(found, "kind", None)
        if not isinstance(own, str):
            return READERS[self.decided.name](found, sensitive=self.sensitive, progress=progress, **self.options)
        if self.options:
            raise ParameterError(
                f"The reading option '{next(iter(self.options))}' says how to read a file; this is {own} that covey "
                "has read already."
            )
        if self.kind is not None and own != self.kind:
            raise ParameterError(f"This is data of the kind {own}, not {self.kind}.")
        if self.sensitive is None:
            return found
        marked = READERS[own](found, sensitive=self.sensitive, progress=progress)
        return replace(marked, directory=found.directory)

    def recognise(self) -> Any:
        """Return what a file was understood to be, or None where there is nothing to report."""
        if self.decided.name != "baskets" or self.in_memory or self.path is None:
            return None
        return recognise(self.path, **self.options)
