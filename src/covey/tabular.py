"""What results have in common: rows under headings, as a frame and in a notebook, and figures as plain data."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from html import escape
from typing import Any, ClassVar

from covey.errors import MissingDependency, ParameterError

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

    @property
    def frame_heads(self) -> Sequence[str]:
        """The columns of the frame, where they are other than those for people."""
        return self.heads

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

        columns = list(zip(*self.frame_rows(), strict=True)) or [()] * len(self.frame_heads)
        return as_frame([pa.table([*map(pa.array, columns)], names=list(self.frame_heads))], library=library)

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


def as_frame(*tables: Iterable[Any], library: str) -> Any:
    """Tables in Arrow pieces beside each other as a frame of the given library, labels as plain strings, items last."""
    import pyarrow as pa  # not for those who only look at figures

    columns = sorted(
        (column for table in tables for column in _columns(table)), key=lambda c: pa.types.is_list(c[1].type)
    )
    table = pa.table([column for _, column in columns], names=[name for name, _ in columns])
    if library == "arrow":
        return table
    try:
        if library == "pandas":
            return table.to_pandas()
        if library == "polars":
            import polars

            return polars.from_arrow(table)
    except ImportError:
        raise MissingDependency(f"{library} is not installed: pip install 'covey[frames]'.") from None
    raise ParameterError(f"Frames come from 'pandas', 'polars' or 'arrow'. Got {library!r} instead.")


def _columns(pieces: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """The columns of a table in pieces, by name."""
    import pyarrow as pa

    found = pa.concat_tables(pa.table(piece) if isinstance(piece, pa.RecordBatch) else piece for piece in pieces)
    for name, column in zip(found.column_names, found.columns, strict=True):
        yield name, column.cast(pa.list_(pa.string())) if pa.types.is_list(column.type) else column
