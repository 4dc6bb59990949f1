"""What results have in common: rows under headings, as a frame and in a notebook, and figures as plain data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import fields
from html import escape
from typing import Any, ClassVar

from covey.lazy import load

#: What was measured, by name, as the plain data that JSON holds.
Figures = Mapping[str, Any]


class Tabular:
    """Something that can be shown as a table."""

    __slots__ = ()
    heads: ClassVar[Sequence[str]]

    @property
    @abstractmethod
    def title(self) -> str:
        """What it is about, in a few words."""

    @abstractmethod
    def rows(self) -> list[tuple[Any, ...]]:
        """The rows of the table: plain values, one for each of `heads`."""

    def frame_rows(self) -> list[tuple[Any, ...]]:
        """The rows of the frame, where they are other than those for people."""
        return self.rows()

    def cell(self, value: Any) -> str:
        """A value of the table for people."""
        return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)

    def to_frame(self, *, library: Any = "pandas") -> Any:
        """The table as a frame.

        Parameters
        ----------
        library : {"pandas", "polars", "arrow"}
            What to return.
        """
        import pyarrow as pa  # not for those who only look at it

        columns = list(zip(*self.frame_rows(), strict=True)) or [()] * len(self.heads)
        table = pa.table(dict(zip(self.heads, map(list, columns), strict=True)))
        return load("covey.release.item_columns:as_frame")([table], library=library)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in self.heads)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(self.cell(value))}</td>' for value in row)}</tr>" for row in self.rows()
        )
        return f"<table><caption>{escape(self.title)}</caption><tr>{head}</tr>{body}</table>"


class Plain:
    """A dataclass of figures, which are given as plain data under their own names."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain data for JSON."""
        return {one.name: getattr(self, one.name) for one in fields(self)}  # type: ignore[arg-type]
