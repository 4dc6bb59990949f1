"""Read survey ratings: long and wide CSV, the two MovieLens formats, Parquet and data frames.

Ratings are numbered like labels: a file holds few different ones, so each is parsed once, and a bad one is reported
with the line it first stands on.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from covey.arrays import Floats, Ints, Mask
from covey.data import Ratings, Scale
from covey.data.scale import CONTINUOUS, MOST_NATURAL, round_number
from covey.errors import IgnoredRatings, InputError, ParameterError
from covey.io.columns import find, listed, usual
from covey.io.delimited import DOUBLE_COLON
from covey.io.loading import TABLES
from covey.io.preparing import complete, prepared
from covey.io.rows import Coded, Rows, encoded, is_text, numbered, value_type
from covey.io.sensitive import Spec, named_among
from covey.parameters import choice
from covey.progress import Progress, silent

FORMATS = ("csv-long", "csv-wide", "movielens", *TABLES)
USER_NAMES = (
    "user", "user_id", "respondent", "respondent_id", "participant", "person", "rater", "record", "customer",
    "customer_id", "id"
)  # fmt: skip
ISSUE_NAMES = (
    "item", "item_id", "issue", "issue_id", "question", "movie", "movie_id", "film", "joke", "book", "product",
    "product_id"
)  # fmt: skip
RATING_NAMES = ("rating", "ratings", "score", "stars", "answer", "value", "vote")
#: So many whole numbers that rise from line to line are no ratings, and so many that only differ are none either.
RISING, DISTINCT = 8, 50

Names = Mapping[str, str | None]


def read_ratings(
    source: Any,
    *,
    sensitive: Spec | None = None,
    sensitive_missing: str | None = None,
    scale: Scale | str | None = None,
    format: str | None = None,
    user: str | None = None,
    item: str | None = None,
    rating: str | None = None,
    null: str | Sequence[str] | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress = silent,
    **rows: Any,
) -> Ratings:
    """Read survey ratings from a file or from memory.

    `source` is a file, plain or compressed, a pandas, polars or Arrow table, or ratings. `scale` is ``low:high``,
    ``low:high:step`` or ``low:high:continuous``; left out, whole numbers from 1 up to the largest that occurs. The
    format ``movielens`` is ``u.data`` or ``ratings.dat``, without a header. `null` is what stands for "no rating"
    besides nothing, such as 99. All other options are those of `covey.read`.

    Examples
    --------
    >>> import pyarrow as pa
    >>> table = pa.table({"user": ["ann", "bob"], "item": ["food", "food"], "rating": [5, 3]})
    >>> read_ratings(table, scale="1:6").record(1)
    {'food': 3.0}
    """
    if isinstance(source, Ratings):
        ratings = source
    else:
        names = {"user": user, "item": item, "rating": rating}
        wanted = None if scale is None else Scale.parse(scale)
        file: dict[str, Any] = {"format": format, "separator": separator, "encoding": encoding}
        found, places = opened(source, names, rows, progress=progress, **file)
        if places is None:
            triples = _wide(found, wide_user(found.names, names, found.file), progress)
        else:
            triples = _long(found, [found.names[place] for place in places], rows.get("missing"), progress)
        ratings = _assembled(triples, wanted, null)
    if sensitive is None:
        return ratings
    return ratings.with_sensitive(named_among(sensitive, ratings.issues, "issue", sensitive_missing))


def opened(
    source: Any, names: Names, options: Mapping[str, Any], *, format: str | None, **file: Any
) -> tuple[Rows, tuple[int, int, int] | None]:
    """Return the rows of a source, and the positions of user, item and rating; None for a column per issue."""
    if format is not None:
        choice("read_ratings", "format", format, FORMATS)

    def without_header(first: Sequence[str], delimiter: str) -> Sequence[str] | None:
        numbers = not any(math.isnan(as_number(cell)) for cell in first)
        rated = delimiter == DOUBLE_COLON or (numbers and len(first) in (3, 4))
        if len(first) < 3 or not (format == "movielens" or (format is None and rated)):
            return None
        return ("user", "item", "rating", *(f"column {place}" for place in range(4, len(first) + 1)))

    rows = prepared(source, options, format=format, names=without_header, what="ratings", **file)
    places = None if format == "csv-wide" else long_places(rows.names, names, rows.file)
    numbers = bool(rows.first) and not any(math.isnan(as_number(name)) for name in rows.names)
    if places is None and (format == "csv-long" or numbers):
        raise InputError(
            "cannot tell which columns are the user, the item and the rating",
            file=rows.file,
            line=1,
            remedy="Name them with --user NAME --item NAME --rating NAME, or give --format csv-wide if every "
            f"column is an issue. {listed(rows.names)}.",
        )
    return rows, places


def long_places(columns: Sequence[str], names: Names, file: str | None) -> tuple[int, int, int] | None:
    """Return the positions of user, item and rating in a long table, or None when they are unclear."""
    found = []
    for role, known in (("user", USER_NAMES), ("item", ISSUE_NAMES), ("rating", RATING_NAMES)):
        wanted = names.get(role)
        found.append(find(columns, wanted, file) if wanted is not None else usual(columns, known))
    if len(columns) == 3 and found.count(None) == 1:
        rest = {0, 1, 2} - {*found}
        found = [min(rest) if place is None and len(rest) == 1 else place for place in found]
    user, item, rating = found
    if user is None or item is None or rating is None:
        return None
    if len({user, item, rating}) < 3:
        remedy = f"Name them with --user, --item and --rating. {listed(columns)}."
        raise InputError("user, item and rating must be three different columns", file=file, remedy=remedy)
    return user, item, rating


def rated(columns: Sequence[str]) -> str | None:
    """Return the column with ratings where columns for user, item and rating have usual names, else None."""
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


def wide_user(columns: Sequence[str], names: Names, file: str | None) -> int:
    """Return the position of the user in a wide table, -1 for none; the other columns must be different issues."""
    wanted = names.get("user")
    if wanted is not None:
        place = find(columns, wanted, file)
    else:
        place = 0 if columns and (columns[0] == "" or usual(columns[:1], USER_NAMES) == 0) else -1
    issues = [column for at, column in enumerate(columns) if at != place]
    if len({*issues, ""}) <= len(issues):
        twice = next((name for at, name in enumerate(issues) if name and name in issues[:at]), None)
        problem = "a column has no name" if twice is None else f"two columns are called {twice!r}"
        raise InputError(problem, file=file, line=1, remedy="The first line must name every issue once.")
    if not issues:
        raise InputError("holds no column with ratings", file=file, remedy="Check the delimiter and the header.")
    return place


def as_number(text: str) -> float:
    """Return the number that a cell holds, NaN for none; Python alone would also read ``1_000`` and ``٣``."""
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan


@dataclass(slots=True, kw_only=True)
class _Triples:
    """Ratings as read, before they are checked: the row, issue and text of each, by their numbers."""

    row: Ints
    column: Ints
    text: Ints
    #: The row of the source that each stands in.
    line: Ints
    users: list[str]
    labels: list[str]
    #: The different ratings as they are written.
    texts: list[str]
    #: What they were read from, for messages.
    rows: Rows
    #: Whether no column names the respondents; every line is one, and every column an issue.
    nameless: bool = False

    def wrong(self, bad: Ints, problem: str, remedy: str) -> InputError:
        """Return the error for the first of some ratings, whose text replaces ``{}``."""
        first = bad[np.argmin(self.line[bad])]
        return self.rows.wrong(int(self.line[first]), None, problem.format(self.texts[self.text[first]]), remedy)


def _long(rows: Rows, names: Sequence[str], missing: str | None, progress: Progress) -> _Triples:
    user, item, rating = names
    columns = rows.columns(names, progress)
    if not len(columns[0]):
        raise rows.none()
    coded = {name: rows.labels(name, column) for name, column in zip(names[:2], columns, strict=False)}
    coded[rating] = _texts(rows, rating, columns[2])
    rows, coded = complete(rows, coded, names if missing else (), missing, (item,))
    users, items, texts = (coded[name] for name in names)
    given = texts.codes >= 0
    # A user with neither item nor rating answered nothing, which is an answer.
    rows.require_filled([(user, users.codes < 0), (item, (items.codes < 0) & given)])
    held = np.flatnonzero(given)
    return _Triples(
        row=users.codes[held].astype(np.int64),
        column=items.codes[held].astype(np.int64),
        text=texts.codes[held].astype(np.int64),
        line=held,
        users=users.labels,
        labels=items.labels,
        texts=texts.labels,
        rows=rows,
    )


def _wide(rows: Rows, user: int, progress: Progress) -> _Triples:
    """Return the ratings of a table with a row per user and a column per issue."""
    complete(rows, {}, (), None)
    issues = [column for place, column in enumerate(rows.names) if place != user]
    columns = rows.columns([*issues, *([user] if user >= 0 else [])], progress)
    done = len(columns[0])
    if not done:
        raise rows.none()
    users = [str(number + 1) for number in range(done)]
    if user >= 0:
        coded = rows.labels(rows.names[user], columns.pop())
        remedy = "Give every respondent one line; if a line is one rating, name its columns with --item, --rating."
        rows.require_once(coded, rows.names[user], "user", remedy)
        users = coded.labels
    parts = [_texts(rows, issue, values).array() for issue, values in zip(issues, columns, strict=True)]
    texts = numbered(*encoded(pa.chunked_array(parts)))
    held = np.flatnonzero(texts.codes >= 0)
    column, row = np.divmod(held, done)
    return _Triples(
        row=row,
        column=column,
        text=texts.codes[held].astype(np.int64),
        line=row,
        users=users,
        labels=issues,
        texts=texts.labels,
        rows=rows,
        nameless=user < 0,
    )


def _texts(rows: Rows, name: str, column: pa.ChunkedArray) -> Coded:
    """Number the ratings of a column: text as it is, and numbers written as short as they are known."""
    if is_text(value_type(column)):
        return rows.labels(name, column)
    try:
        codes, values = encoded(column)
        numbers = values.cast(pa.float64()).to_pylist()
    except pa.ArrowException:
        problem = f"the column holds values of type {column.type}, not ratings"
        remedy = "Turn it into numbers, or name the columns with user=, item= and rating=."
        raise InputError(problem, file=rows.file, column=name, remedy=remedy) from None
    texts = [None if number is None else f"{number:.12g}" for number in numbers]
    return numbered(codes, pa.array(texts, pa.large_string()))


def _assembled(triples: _Triples, scale: Scale | None, null: str | Sequence[str] | None) -> Ratings:
    """Parse the ratings, refuse contradictions, and build the matrix."""
    values, known = _numbers(triples, null)
    if triples.nameless:
        _require_no_names(triples, values)
    scale = scale or _inferred(values[known], triples)
    codes, bad = scale.encode(np.where(known, values, scale.low))
    if len(bad):
        raise triples.wrong(
            np.flatnonzero(np.isin(triples.text, bad)),
            f"the rating {{}} is not on the scale {scale.text}",
            "Correct it, or declare the scale with --scale low:high:step; --null names what means no rating.",
        )
    given = known[triples.text]
    row, column, line = triples.row[given], triples.column[given], triples.line[given]
    code = codes[triples.text[given]]
    keys = row * max(len(triples.labels), 1) + column
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1]) + 1
    differing = again[code[order[again]] != code[order[again - 1]]]
    if len(differing):
        second = differing[np.argmin(line[order[differing]])]
        here, there = order[second], order[second - 1]
        first, other = (scale.decode(code[[place]])[0] for place in (there, here))
        problem = f"{triples.users[row[here]]!r} rates {triples.labels[column[here]]!r} {other:g}, but {first:g} in "
        problem += triples.rows.place(int(line[there]))
        raise triples.rows.wrong(int(line[here]), None, problem, "Keep one of the two ratings.")
    order = np.delete(order, again)
    return Ratings.build(
        row[order], column[order], code[order], users=triples.users, labels=triples.labels, scale=scale
    )


def _numbers(triples: _Triples, null: str | Sequence[str] | None) -> tuple[Floats, Mask]:
    """Return the different ratings as numbers, and which of them are ratings at all rather than a null."""
    nulls = {null} if null is None or isinstance(null, str) else {*null}
    known = np.array([text not in nulls for text in triples.texts], np.bool_)
    values = np.array([0 if text in nulls else as_number(text) for text in triples.texts], np.float64)
    bad = np.flatnonzero(~np.isfinite(values[triples.text]))
    if len(bad):
        remedy = "Leave the cell empty where there is no rating, or name what means no rating with --null."
        if triples.nameless:
            column = triples.labels[triples.column[bad[0]]]
            remedy += f" If the column {column!r} says who the respondents are, give --user {column!r}."
        raise triples.wrong(bad, "'{}' is not a rating", remedy)
    return values, known


def _require_no_names(triples: _Triples, values: Floats) -> None:
    """Refuse numbers that tell respondents apart where ratings should be: as an issue they would be published.

    They are whole, everybody has another, and they rise from line to line, or there are more of them than would all
    differ by chance.
    """
    rows, width = len(triples.users), len(triples.labels)
    filled = np.flatnonzero(np.bincount(triples.column, minlength=width) == rows)
    for column in filled if rows >= RISING else ():
        given = values[triples.text[triples.column == column]]
        rising = bool((np.diff(given) > 0).all())
        if (given == np.rint(given)).all() and (rising or (rows >= DISTINCT and len(np.unique(given)) == rows)):
            label = triples.labels[column]
            raise InputError(
                f"the column {label!r} has another number on every line, as if it identified the respondents",
                file=triples.rows.file,
                remedy=f"Give --user {label!r}, or leave the column out.",
            )


def _inferred(values: Floats, triples: _Triples) -> Scale:
    """Return the scale 1 .. r of whole numbers; anything else has to be declared, for a stray 99 would stretch it."""
    if not len(values):
        raise InputError("there is no rating", file=triples.rows.file, remedy="Check the columns and the null.")
    low, high = float(values.min()), float(values.max())
    if bool((values == np.rint(values)).all()) and low >= 1 and high <= 100:
        return Scale(1.0, high)
    steps = (step for step in (1, 0.5, 0.25, 0.2, 0.1) if (high - low) / step < MOST_NATURAL)
    fitting = [step for step in steps if bool((abs((values - low) / step % 1 - 0.5) > 0.5 - 1e-6).all())]
    unit = round_number((high - low) / 10)
    ends = f"{np.floor(low / unit) * unit:g}:{np.ceil(high / unit) * unit:g}"
    proposed = f"{low:g}:{high:g}:{fitting[0]:g}" if fitting else f"{ends}:{CONTINUOUS}"
    raise ParameterError(
        f"The ratings run from {low:g} to {high:g}, with {len(np.unique(values)):,} different values, and are not "
        f"whole numbers from 1 to at most 100, so their scale must be declared. Give --scale {proposed}, or with the "
        "ends and steps that ratings can have; --null names what means no rating."
    )
