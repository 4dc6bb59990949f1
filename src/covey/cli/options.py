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
TAXONOMY = Annotated[
    str | None,
    typer.Option(
        "--taxonomy",
        "-t",
        metavar="FILE",
        help="How items may be generalized: child,parent lines, item,level2,level1 columns, "
        "leaf;parent;* lines or JSON.",
    ),
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


KIND = Annotated[
    str | None,
    typer.Option(
        "--kind", help="baskets, ratings or table: what DATA holds; follows the method when left out."
    ),
]
QUASI = Annotated[
    str | None,
    typer.Option("--quasi", help="Table: the quasi-identifiers, as a comma list; other columns are dropped."),
]
IDENTIFIER = Annotated[
    str | None, typer.Option("--identifier", help="Table: columns to drop, as a comma list.")
]
OTHER = Annotated[
    str | None, typer.Option("--other", help="Table: columns to publish unchanged, as a comma list.")
]
CATEGORICAL = Annotated[
    str | None, typer.Option("--categorical", help="Table: columns whose numbers are names, as a comma list.")
]
HIERARCHY = Annotated[
    list[str] | None,
    typer.Option("--hierarchy", help="Table: column=FILE, or a directory of hierarchies; may be repeated."),
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
    encoding: str = "utf-8"
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
        source = replace(self, kind=self.kind or kind, scale=self.scale or scale)
        if roles is None or any((self.quasi, self.identifier, self.other, self.sensitive)):
            return source
        return replace(source, quasi=roles["quasi"], sensitive=roles["sensitive"], other=roles["other"])

    def __call__(self) -> Any:
        """Read the data."""
        from covey.contracts import silent
        from covey.io.kinds import reader

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
        if key.strip() == "seed":
            raise ParameterError("Give the seed with --seed, not with --set.")
        settings[key.strip()] = scalar(value)
    return settings
