"""Reading the data a command is about: the options for it, declared once and added to each command that reads."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer


def _text(flag: str, help: str) -> Any:
    return Annotated[str | None, typer.Option(flag, help=help, rich_help_panel="Reading the data")]


def _texts(flag: str, help: str) -> Any:
    return Annotated[list[str] | None, typer.Option(flag, help=help, rich_help_panel="Reading the data")]


OPTIONS = {
    "kind": _text("--kind", "baskets, ratings or table: what DATA holds; follows the method when left out."),
    "format": _text("--format", "fimi, csv-long, csv-wide or parquet; recognised when left out."),
    "separator": _text("--separator", "What separates items in a line, if not blanks."),
    "encoding": _text("--encoding", "Encoding of text files, if not UTF-8."),
    "transaction": _text("--transaction", "Column with the transaction."),
    "item": _text("--item", "Column with the item, or the issue of ratings."),
    "user": _text("--user", "Ratings: column with the respondent."),
    "rating": _text("--rating", "Ratings: column with the rating."),
    "scale": _text("--scale", "Ratings: low:high or low:high:step, such as 1:5."),
    "null": _text("--null", "Ratings: what stands for no rating besides nothing, such as 99."),
    "quasi": _text("--quasi", "Table: the quasi-identifiers, as a comma list; other columns are dropped."),
    "identifier": _text("--identifier", "Table: columns to drop, as a comma list."),
    "other": _text("--other", "Table: columns to publish unchanged, as a comma list."),
    "categorical": _text("--categorical", "Table: columns whose numbers are names, as a comma list."),
    "hierarchy": _texts("--hierarchy", "Table: column=FILE, or a directory of hierarchies; may be repeated."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where and how to read the data; calling it reads.

    Attributes
    ----------
    data : str
        The path as the user gave it.
    sensitive, format, transaction, item, separator, encoding
        As in `covey.read`.
    kind : str or None
        What the data is; None until a command says so with `for_kind`.
    quasi, identifier, other, categorical, hierarchy
        As in `covey.read_table`; for tables only.
    user, rating, scale, null
        As in `covey.read_ratings`; for ratings only.
    progress
        Told how far reading has come.
    """

    data: str
    sensitive: str | list[str] | None = None
    format: str | None = None
    transaction: str | None = None
    item: str | None = None
    separator: str | None = None
    encoding: str | None = None
    kind: str | None = None
    quasi: str | list[str] | None = None
    identifier: str | None = None
    other: str | list[str] | None = None
    categorical: str | None = None
    hierarchy: list[str] | None = None
    user: str | None = None
    rating: str | None = None
    scale: str | None = None
    null: str | None = None
    progress: Any = None

    def __post_init__(self) -> None:
        from covey.io.kinds import READERS
        from covey.parameters import choice

        if self.kind is not None:
            choice("the command line", "--kind", self.kind, tuple(READERS))

    def for_kind(
        self, kind: str, *, scale: str | None = None, roles: dict[str, list[str]] | None = None
    ) -> Source:
        """The same source, to be read as `kind`, on `scale` and with `roles` where the user named none."""
        tabular = any((self.quasi, self.identifier, self.other, self.categorical, self.hierarchy))
        kind = self.kind or ("table" if tabular else kind)
        source = replace(self, kind=kind, scale=self.scale or scale)
        if roles is None or any((self.quasi, self.identifier, self.other, self.sensitive)):
            return source
        return replace(source, quasi=roles["quasi"], sensitive=roles["sensitive"], other=roles["other"])

    def __call__(self) -> Any:
        """Read the data."""
        from covey.io.kinds import reader
        from covey.progress import silent

        progress = self.progress or silent
        read = reader(self.kind or "baskets")
        return read(self.data, sensitive=self.sensitive, progress=progress, **self._how_to_read())

    def recognise(self) -> Any:
        """What the file was understood to be."""
        from covey.io import recognise

        return recognise(self.data, **self._how_to_read())

    def _how_to_read(self) -> dict[str, Any]:
        return {
            "hierarchies" if name == "hierarchy" else name: getattr(self, name)
            for name in READING[self.kind or "baskets"]
            if getattr(self, name) is not None
        }


#: The options that each kind of data is read with.
READING = {
    "baskets": ("format", "transaction", "item", "separator", "encoding"),
    "ratings": ("format", "user", "item", "rating", "scale", "null", "separator", "encoding"),
    "table": ("format", "quasi", "identifier", "other", "categorical", "hierarchy", "separator", "encoding"),
}


def reading_of_sets(reading: dict[str, Any]) -> dict[str, Any]:
    """The options with which the engine spark reads, which knows sets alone."""
    from covey.errors import ParameterError

    given = {name: value for name, value in reading.items() if value is not None}
    if given.pop("kind", "baskets") != "baskets" or set(given) - set(READING["baskets"]):
        raise ParameterError("The engine spark reads baskets. Read ratings and tables with the engine local.")
    return given


def reads(*kinds: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add to a command the options with which data of these kinds is read; it gets them as the dict `reading`.

    ``Source(data=…, **reading)`` is then all that the command needs to write.
    """
    wanted = {name for kind in kinds for name in READING[kind]} | ({"kind"} if len(kinds) > 1 else set())
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=option,
        )
        for name, option in OPTIONS.items()
        if name in wanted
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        kept = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in own.parameters.values()
            if parameter.name != "reading"
        ]

        @functools.wraps(command)
        def wrapper(**given: Any) -> None:
            reading = {parameter.name: given.pop(parameter.name) for parameter in added}
            command(**given, reading=reading)

        signature = own.replace(parameters=[*kept, *added])
        wrapper.__signature__ = signature  # type: ignore[attr-defined]
        wrapper.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
        del wrapper.__wrapped__
        return wrapper

    return decorate
