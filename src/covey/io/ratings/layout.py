"""How a text file lays out ratings: long or wide, with which delimiter, and which column is what."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from covey.errors import IgnoredRatings, InputError
from covey.io.baskets.columns import find, listed, usual
from covey.io.delimited import DOUBLE_COLON, first_rows, sniff, unquoted
from covey.io.files import beginning
from covey.io.rows.loading import OTHERS

FORMATS = ("csv-long", "csv-wide", "movielens", "parquet", *OTHERS)

USER_NAMES = (
    "user", "user_id", "respondent", "respondent_id", "participant", "person", "rater", "record", "customer",
    "customer_id", "id",
)  # fmt: skip
ISSUE_NAMES = (
    "item", "item_id", "issue", "issue_id", "question", "movie", "movie_id", "film", "joke", "book", "product",
    "product_id",
)  # fmt: skip
RATING_NAMES = ("rating", "ratings", "score", "stars", "answer", "value", "vote")


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What a text file was understood to be."""

    #: ``csv-long``, ``csv-wide`` or ``movielens``.
    format: str
    #: One character, or ``::``.
    delimiter: str
    #: All columns of the file.
    columns: tuple[str, ...]
    #: Whether the first line names them.
    header: bool
    #: Positions of the columns; -1 for none.
    user: int
    item: int = -1
    rating: int = -1


def long_places(
    columns: Sequence[str], names: Mapping[str, str | None], file: str | None
) -> tuple[int, int, int] | None:
    """The positions of user, item and rating in a long table, or None when they are unclear.

    Examples
    --------
    >>> long_places(["userId", "movieId", "rating", "timestamp"], {}, None)
    (0, 1, 2)
    """
    found = []
    for role, known in (("user", USER_NAMES), ("item", ISSUE_NAMES), ("rating", RATING_NAMES)):
        wanted = names.get(role)
        found.append(find(columns, wanted, file) if wanted is not None else usual(columns, known))
    if len(columns) == 3 and sum(place is None for place in found) == 1:
        rest = {0, 1, 2} - {place for place in found if place is not None}
        found = [rest.pop() if place is None and len(rest) == 1 else place for place in found]
    user, item, rating = found
    if user is None or item is None or rating is None:
        return None
    if len({user, item, rating}) < 3:
        raise InputError(
            "user, item and rating must be three different columns",
            file=file,
            remedy=f"Name them with --user, --item and --rating. {listed(columns)}.",
        )
    return user, item, rating


def rated(columns: Sequence[str]) -> str | None:
    """The column with ratings, where columns for user, item and rating have usual names; None where they have not.

    Examples
    --------
    >>> rated(["userId", "movieId", "stars"]), rated(["order", "item", "price"])
    ('stars', None)
    """
    try:
        places = long_places(columns, {}, None) if usual(columns, RATING_NAMES) is not None else None
    except InputError:
        return None
    return None if places is None else columns[places[2]]


def warn_of_ratings(columns: Sequence[str], taken: Iterable[str | None]) -> None:
    """Warn of a column with ratings in what is read as baskets, unless it has a part there."""
    column = rated(columns)
    if column is not None and column not in taken:
        warnings.warn(IgnoredRatings(column), stacklevel=2)


def wide_user(columns: Sequence[str], names: Mapping[str, str | None], file: str | None) -> int:
    """The position of the user in a wide table, -1 for none; the other columns must be different issues."""
    wanted = names.get("user")
    if wanted is not None:
        place = find(columns, wanted, file)
    elif columns and (columns[0] == "" or usual(columns[:1], USER_NAMES) == 0):
        place = 0
    else:
        place = -1
    issues = [column for at, column in enumerate(columns) if at != place]
    twice = sorted({column for column in issues if issues.count(column) > 1}) if len(set(issues)) < len(issues) else []
    if twice or "" in issues:
        problem = f"two columns are called {twice[0]!r}" if twice and twice[0] else "a column has no name"
        raise InputError(problem, file=file, line=1, remedy="The first line must name every issue once.")
    if not issues:
        raise InputError("holds no column with ratings", file=file, remedy="Check the delimiter and the header.")
    return place


def recognise(
    path: Path,
    name: str,
    names: Mapping[str, str | None],
    format: str | None,
    separator: str | None,
    encoding: str,
) -> Layout:
    """Tell the layout of a text file from its first lines."""
    text = beginning(path, name, encoding)
    first = text.lstrip(b"\r\n").split(b"\n", 1)[0]
    doubled = unquoted(first).count(DOUBLE_COLON.encode()) >= 2
    delimiter = separator or (DOUBLE_COLON if doubled else sniff(text)) or ","
    rows, _ = first_rows(text, delimiter, name)
    columns = tuple(rows[0])
    numbers = not any(math.isnan(as_number(cell)) for cell in columns)
    if format == "movielens" or (
        format is None and (delimiter == DOUBLE_COLON or (numbers and len(columns) in (3, 4)))
    ):
        return _movielens(delimiter, len(columns), name)
    places = None if format == "csv-wide" else long_places(columns, names, name)
    if places is not None:
        user, item, rating = places
        return Layout(
            format="csv-long",
            delimiter=delimiter,
            columns=columns,
            header=True,
            user=user,
            item=item,
            rating=rating,
        )
    if format == "csv-long" or numbers:
        raise InputError(
            "cannot tell which columns are the user, the item and the rating",
            file=name,
            line=1,
            remedy="Say so with --user NAME --item NAME --rating NAME, or give --format csv-wide if every "
            f"column is an issue. {listed(columns)}.",
        )
    place = wide_user(columns, names, name)
    return Layout(format="csv-wide", delimiter=delimiter, columns=columns, header=True, user=place)


def _movielens(delimiter: str, columns: int, name: str) -> Layout:
    if columns < 3:
        raise InputError(
            "has fewer than the three columns user, item and rating",
            file=name,
            line=1,
            remedy="Check what separates them, and give it with --separator.",
        )
    rest = [f"column {i + 1}" for i in range(3, columns)]
    return Layout(
        format="movielens",
        delimiter=delimiter,
        columns=("user", "item", "rating", *rest),
        header=False,
        user=0,
        item=1,
        rating=2,
    )


def as_number(text: str) -> float:
    """The number that a cell holds, NaN for none; Python alone would also read ``1_000`` and ``٣``.

    Examples
    --------
    >>> as_number("4.5"), as_number("1_000")
    (4.5, nan)
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
