"""Options that several commands share, declared once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

DATA = Annotated[
    str, typer.Argument(metavar="DATA", help="The data: FIMI, CSV or Parquet, also .gz and .zst.")
]
RELEASE = Annotated[
    Path, typer.Argument(metavar="OUT", help="A release: the directory `covey anonymize` wrote.")
]
JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
SENSITIVE = Annotated[
    str | None,
    typer.Option("--sensitive", "-s", help="Sensitive items: a file with one per line, or a comma list."),
]
FORMAT = Annotated[
    str | None,
    typer.Option("--format", help="fimi, csv-long, csv-wide or parquet; recognised when left out."),
]
TRANSACTION = Annotated[str | None, typer.Option("--transaction", help="Column with the transaction.")]
ITEM = Annotated[str | None, typer.Option("--item", help="Column with the item.")]
SEPARATOR = Annotated[
    str | None, typer.Option("--separator", help="What separates items in a line, if not blanks.")
]
ENCODING = Annotated[str, typer.Option("--encoding", help="Encoding of text files.")]
USER = Annotated[str | None, typer.Option("--user", help="Column with the respondent (ratings).")]
RATING = Annotated[str | None, typer.Option("--rating", help="Column with the rating (ratings).")]
SCALE = Annotated[
    str | None, typer.Option("--scale", help="Scale of the ratings: low:high or low:high:step, such as 1:5.")
]
NULL = Annotated[
    str | None, typer.Option("--null", help="What stands for no rating besides nothing, such as 99.")
]
SEED = Annotated[
    int | None,
    typer.Option(
        "--seed", min=0, help="Make the result reproducible. Keep the seed secret: it undoes the shuffle."
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where and how to read the data; calling it reads.

    Attributes
    ----------
    data : str
        The path as the user gave it.
    sensitive, format, transaction, item, separator, encoding
        As in `covey.read`.
    kind : str
        Kind of data to read; the commands set it from the method or the guarantee.
    user, rating, scale, null
        As in `covey.read_ratings`; for ratings only.
    progress
        Told how far reading has come.
    """

    data: str
    sensitive: str | None = None
    format: str | None = None
    transaction: str | None = None
    item: str | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    progress: Any = None
    kind: str = "baskets"
    user: str | None = None
    rating: str | None = None
    scale: str | None = None
    null: str | None = None

    def for_kind(self, kind: str, *, scale: str | None = None) -> Source:
        """The same source, to be read as another kind of data; `scale` counts if none was given."""
        return replace(self, kind=kind, scale=self.scale or scale)

    def __call__(self) -> Any:
        """Read the data."""
        from covey.contracts import silent

        if self.kind != "baskets":
            from covey.io.kinds import reader

            return reader(self.kind)(
                self.data, sensitive=self.sensitive, progress=self.progress or silent, **self._how_to_read()
            )
        from covey.io import read

        return read(
            self.data, sensitive=self.sensitive, progress=self.progress or silent, **self._how_to_read()
        )

    def recognise(self) -> Any:
        """What the file was understood to be."""
        from covey.io import recognise

        return recognise(self.data, **self._how_to_read())

    def _how_to_read(self) -> dict[str, Any]:
        names: tuple[str, ...] = ("format", "transaction", "item", "separator", "encoding")
        if self.kind == "ratings":
            names = ("format", "user", "item", "rating", "scale", "null", "separator", "encoding")
        return {name: getattr(self, name) for name in names}


def split_labels(given: list[str] | None, known: tuple[str, ...]) -> list[str]:
    """Labels from repeated options and comma lists; a known label with a comma in it is kept whole."""
    labels: list[str] = []
    for text in given or []:
        labels += [text] if text in known else [part.strip() for part in text.split(",") if part.strip()]
    return labels


def parse_settings(given: list[str] | None) -> dict[str, Any]:
    """Method options from repeated ``--set key=value``."""
    from covey.errors import ParameterError
    from covey.parameters import scalar

    settings: dict[str, Any] = {}
    for text in given or []:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ParameterError(f"--set takes key=value, such as --set alpha=5. Got {text!r} instead.")
        settings[key.strip()] = scalar(value)
    return settings
