"""Ratings as they were read, and what they mean: numbers on a scale, one for each respondent and issue.

Ratings are interned like labels: a file holds few different ones, so each is understood once, and a bad one is
reported with the line it first stands on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from covey.arrays import Floats, Ints, Mask
from covey.data import Ratings, Scale
from covey.data.scale import CONTINUOUS, MOST_NATURAL, round_number
from covey.errors import InputError, ParameterError
from covey.io.arrow import Rows
from covey.io.ratings.layout import as_number

#: So many whole numbers that rise from line to line are no ratings, and so many that only differ are none either.
RISING, DISTINCT = 8, 50


@dataclass(slots=True, kw_only=True)
class Triples:
    """Ratings as read, before they are checked: a row, an issue and the number of a text each."""

    #: Positions in `users`, `labels` and `texts`.
    row: NDArray[Any]
    column: NDArray[Any]
    text: NDArray[Any]
    #: The row that each stands in.
    lines: Ints
    users: list[str]
    labels: list[str]
    #: The different ratings as they are written.
    texts: list[str]
    #: What they were read from, for messages.
    rows: Rows
    #: Whether no column says who the respondents are; every line is one, and every column an issue.
    nameless: bool = False

    def wrong(self, bad: Ints, problem: str, remedy: str) -> InputError:
        """Return the error for the first of some ratings, whose text replaces ``{}``."""
        first = bad[np.argmin(self.lines[bad])]
        return self.rows.wrong(int(self.lines[first]), None, problem.format(self.texts[self.text[first]]), remedy)


def assemble(triples: Triples, scale: Scale | None, null: str | Sequence[str] | None) -> Ratings:
    """Understand the ratings, refuse contradictions, and build the matrix."""
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
    rated = known[triples.text]
    row, column, lines = triples.row[rated], triples.column[rated], triples.lines[rated]
    code = codes[triples.text[rated]]
    keys = row.astype(np.int64) * max(len(triples.labels), 1) + column
    order = np.argsort(keys, kind="stable")
    again = np.flatnonzero(keys[order][1:] == keys[order][:-1]) + 1
    if len(again):
        differing = again[code[order[again]] != code[order[again - 1]]]
        if len(differing):
            second = differing[np.argmin(lines[order[differing]])]
            here, there = order[second], order[second - 1]
            first, other = (scale.decode(code[[place]])[0] for place in (there, here))
            raise triples.rows.wrong(
                int(lines[here]),
                None,
                f"{triples.users[row[here]]!r} rates {triples.labels[column[here]]!r} {other:g}, but {first:g} in "
                f"{triples.rows.place(int(lines[there]))}",
                "Keep one of the two ratings.",
            )
        order = np.delete(order, again)
    return Ratings.build(
        row[order], column[order], code[order], users=triples.users, labels=triples.labels, scale=scale
    )


def _numbers(triples: Triples, null: str | Sequence[str] | None) -> tuple[Floats, Mask]:
    """The different ratings as numbers, and which of them are ratings at all rather than a null."""
    nulls = {null} if null is None or isinstance(null, str) else {*null}
    values, known = np.zeros(len(triples.texts)), np.ones(len(triples.texts), np.bool_)
    for number, text in enumerate(triples.texts):
        known[number] = text not in nulls
        values[number] = as_number(text) if known[number] else 0
    bad = np.flatnonzero(~np.isfinite(values[triples.text]))
    if len(bad):
        remedy = "Leave the cell empty where there is no rating, or name what means no rating with --null."
        if triples.nameless:
            column = triples.labels[triples.column[bad[0]]]
            remedy += f" If the column {column!r} says who the respondents are, give --user {column!r}."
        raise triples.wrong(bad, "'{}' is not a rating", remedy)
    return values, known


def _require_no_names(triples: Triples, values: Floats) -> None:
    """Refuse numbers that tell respondents apart where ratings should be: as an issue they would be published.

    They are whole, everybody has another, and they rise from line to line, or there are more of them than would all
    differ by chance.
    """
    rows, width = len(triples.users), len(triples.labels)
    if rows < RISING:
        return
    filled = np.bincount(triples.column, minlength=width) == rows
    for column in np.flatnonzero(filled):
        given = values[triples.text[triples.column == column]]
        rising = bool((np.diff(given) > 0).all())
        if (given == np.rint(given)).all() and (rising or (rows >= DISTINCT and len(np.unique(given)) == rows)):
            label = triples.labels[column]
            raise InputError(
                f"the column {label!r} has another number on every line, as if it said who the respondents are",
                file=triples.rows.file,
                remedy=f"Give --user {label!r}, or leave the column out.",
            )


def _inferred(values: Floats, triples: Triples) -> Scale:
    """The scale 1 .. r of whole numbers; anything else has to be declared, for a stray 99 would stretch it."""
    if not len(values):
        raise InputError("there is no rating", file=triples.rows.file, remedy="Check the columns and the null.")
    if bool((values == np.rint(values)).all()) and values.min() >= 1 and values.max() <= 100:
        return Scale(1.0, float(values.max()))
    raise ParameterError(
        f"The ratings run from {values.min():g} to {values.max():g} and are not whole numbers from 1 to at most "
        f"100, so their scale must be declared. {_proposal(values)}"
    )


def _proposal(values: Floats) -> str:
    """What the scale may be: steps if they are few enough to be meant, else any number between two round ends."""
    low, high = float(values.min()), float(values.max())
    for step in (1, 0.5, 0.25, 0.2, 0.1):
        steps = (values - low) / step
        if (high - low) / step < MOST_NATURAL and bool((abs(steps - np.rint(steps)) < 1e-6).all()):
            return f"Give --scale {low:g}:{high:g}:{step:g}, or with the ends that ratings can have."
    unit = round_number((high - low) / 10)
    ends = f"{np.floor(low / unit) * unit:g}:{np.ceil(high / unit) * unit:g}"
    return (
        f"They have {len(np.unique(values)):,} different values: give --scale {ends}:{CONTINUOUS} if any number "
        "between is a rating, or low:high:step; --null names what means no rating."
    )
