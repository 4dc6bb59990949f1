"""What all releases have: how they were made, and what their manifest states."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from covey.errors import ParameterError
from covey.lazy import load
from covey.release.kinds import release_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """How a release was made, as far as its manifest may say.

    The options never include a seed. The notes are the options that cut a search short; what that may have cost is
    declared with the option.
    """

    guarantee: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False, kw_only=True)
class Release:
    """What leaves the building; each kind of release adds its tables."""

    kind: ClassVar[str]

    made: Statement

    @property
    def made_from(self) -> str:
        """The kind of data that it was made from."""
        return release_kind(self.kind).made_from[0]

    @property
    def guarantee(self) -> str:
        """What is promised, as text."""
        return self.made.guarantee

    @property
    def method(self) -> str:
        """Which method made it."""
        return self.made.method

    @property
    def options(self) -> Mapping[str, Any]:
        """The method's options."""
        return self.made.options

    @property
    def notes(self) -> tuple[str, ...]:
        """The options that cut a search short."""
        return self.made.notes

    def counts(self) -> dict[str, int]:
        """The figures that the manifest states; nothing about single rows."""
        raise NotImplementedError

    def named_columns(self) -> Mapping[str, Mapping[str, str]]:
        """The columns of tables whose schema does not name them, and what each means."""
        return {}

    def facts(self) -> dict[str, Any]:
        """What else the manifest must state for the tables to be understood."""
        return {}

    @classmethod
    def can_be_asked(cls) -> bool:
        """Whether `estimate` has answers."""
        return cls.estimate is not Release.estimate

    def estimate(
        self, sensitive: str | None = None, *, present: Collection[str] = (), absent: Collection[str] = ()
    ) -> Any:
        """How many have some items and not others; only groups and chunks leave that open, and answer."""
        raise ParameterError(
            f"Estimates come from groups and chunks, and this is a {self.kind} release: read its tables as they "
            "are, with any tool or with covey.read_release."
        )

    def frame_of(self, *tables: str, library: str) -> Any:
        """One or more of the published tables beside each other as a frame, as they stand in the files."""
        made = release_kind(self.kind).load_files().to_tables(self)
        return load("covey.release.item_columns:as_frame")(*(made[name] for name in tables), library=library)
