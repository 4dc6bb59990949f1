"""Is a release of ratings made from this original by leaving out ratings and records, and nothing else?

Where the release states that ratings are rounded, it is the rounded original that it must be made from.

It is if and only if the published records can be given to different respondents, each to one who gave all its
ratings and exactly its sensitive ones. Whether they can is a question of flow, as for sets: a record is a set of
cells (an issue with its rating) and one token for its sensitive ratings as a whole."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from covey.arrays import Ids, Ints
from covey.counting import counted, sizes
from covey.data import Ratings, Scale
from covey.data.csr import take_rows, transpose
from covey.data.equal_rows import equal_rows
from covey.data.set_classes import holders
from covey.kernels.verify.assigning import without_place
from covey.kernels.verify.rating_fidelity import first_short
from covey.release.ratings import RatingsRelease
from covey.verdict import Check

Sets = tuple[Ints, Ids]

#: Pairs of a different published and a different original record up to which the flow is computed.
PAIRS = 2_000_000

#: Cells of issue and rating up to which each has a place of its own; beyond, only those that occur have one.
DIRECT = 1 << 24


def compare(release: RatingsRelease, original: Ratings, taxonomy: Any = None) -> list[Check]:
    """Check that the release holds nothing that is not in the original, and names what is missing.

    With more than `PAIRS` pairs of records only a necessary condition is checked instead of the flow, and the
    check's name says so.
    """
    ours, original = release.ratings, rounded_original(release, original)
    total = ours.n + release.suppressed_records
    checks = [
        Check(
            name="every record is published or counted as suppressed",
            passed=total == original.n,
            detail=f"{ours.n:,} published, {release.suppressed_records:,} suppressed, {original.n:,} in the original",
        ),
        _counted_ratings(release, original),
        _same_issues(release, original),
    ]
    if not all(check.passed for check in checks):
        return checks
    marked = original.with_sensitive(ours.sensitive_issues())
    return [*checks, *_assignable(ours, marked)]


def _counted_ratings(release: RatingsRelease, original: Ratings) -> Check:
    """What is published and counted as suppressed leaves what as many records hold as were left out."""
    left = original.entries - release.ratings.entries - release.suppressed_ratings
    lengths = np.sort(original.lengths())
    gone = min(release.suppressed_records, original.n)
    possible = int(lengths[:gone].sum()) <= left <= int(lengths[original.n - gone :].sum())
    return Check(
        name="every rating is published or counted as suppressed",
        passed=possible,
        detail=f"{release.ratings.entries:,} published, {release.suppressed_ratings:,} suppressed, "
        + (f"{left:,} of respondents left out, " if left else "")
        + f"{original.entries:,} in the original",
    )


def _same_issues(release: RatingsRelease, original: Ratings) -> Check:
    ours = release.ratings
    unknown = sorted(set(ours.issues) - set(original.issues))
    marked = original.sensitive_issues()
    differing = sorted(set(marked) ^ set(ours.sensitive_issues())) if marked else []
    if unknown:
        problem = f"{unknown[0]!r} does not occur in the original"
    elif differing:
        where = "original" if differing[0] in marked else "release"
        problem = f"{differing[0]!r} is sensitive only in the {where}"
    elif ours.scale != original.scale:
        before = release.rounded_from or ours.scale
        problem = f"the scale is {before.text}, that of the original {original.scale.text}"
    else:
        problem = ""
    detail = problem or f"{ours.d:,} of {counted(original.d, 'issue')}"
    return Check(name="issues and scale are those of the original", passed=not problem, detail=detail)


def _assignable(ours: Ratings, original: Ratings) -> list[Check]:
    tokens, combinations = _tokens(ours.only(ours.sensitive), original.only(original.sensitive))
    secrets = _same_secrets(tokens, combinations)
    if not secrets.passed:
        return [secrets]
    (mine, theirs), width = _cells(ours, original)
    published, source = _joined(ours, mine, width + tokens[0]), _joined(original, theirs, width + tokens[1])
    both = (
        np.concatenate([published[0], published[0][-1] + source[0][1:]]),
        np.concatenate([published[1], source[1]]),
    )
    number, _, example = equal_rows(*both, width + combinations)
    given = np.bincount(number[: ours.n], minlength=len(example))
    had = np.bincount(number[ours.n :], minlength=len(example))
    # A record that is published whole may as well be given to someone with exactly these ratings: whoever else
    # was given to that person fits the one that it frees. What is left is small where little was left out.
    whole = np.minimum(given, had)
    left, able = np.flatnonzero(given > whole), np.flatnonzero(had > whole)
    wanted, offered = (given - whole)[left], (had - whole)[able]
    set_ptr, sets = take_rows(*both, example[left])
    row_ptr, rows = take_rows(*both, example[able])
    by_cell = transpose(row_ptr, rows, width + combinations)
    pair_ptr, pairs = holders(set_ptr, sets, row_ptr, rows, *by_cell, PAIRS)
    if len(pair_ptr) == len(set_ptr) and len(pairs) <= PAIRS:
        name = "nothing was invented: each record fits a different respondent, sensitive ratings included"
        missing = without_place(pair_ptr, pairs, wanted, offered) if len(wanted) else wanted
        worst = int(np.argmax(missing)) if missing.any() else -1
        lacking = int(missing.max(initial=0))
    else:
        name = (
            "nothing was invented: for each record, enough respondents have these ratings, sensitive "
            "ratings included (one record at a time)"
        )
        worst, held = first_short(set_ptr, sets, row_ptr, rows, *by_cell, wanted, offered)
        lacking = int(wanted[worst]) - held if worst >= 0 else 0
    if worst < 0:
        detail = sizes(different_records=int((given > 0).sum()), ratings=ours.entries)
    else:
        row = int(np.flatnonzero(number[: ours.n] == left[worst])[0])
        detail = (
            f"record {ours.users[row]} is published {counted(int(given[left[worst]]), 'time')}, and for {lacking:,} of "
            "them no respondent with these ratings is left"
        )
    return [secrets, Check(name=name, passed=worst < 0, detail=detail)]


def _same_secrets(tokens: tuple[Ints, Ints], combinations: int) -> Check:
    """No combination of sensitive ratings is published more often than it occurs."""
    ours, theirs = (np.bincount(token, minlength=combinations) for token in tokens)
    more = int((ours > theirs).sum())
    return Check(
        name="no combination of sensitive ratings is published more often than it occurs",
        passed=not more,
        detail=f"{more:,} more" if more else counted(int((ours > 0).sum()), "different combination"),
    )


def _cells(ours: Ratings, original: Ratings) -> tuple[tuple[Ints, Ints], int]:
    """Every rating of both as a number for its issue and value, and a bound above all of these."""
    position = {name: i for i, name in enumerate(original.issues)}
    rename = np.array([position[name] for name in ours.issues], np.int64)
    levels = original.scale.levels
    mine = rename[ours.indices] * levels + ours.codes - 1
    theirs = original.indices.astype(np.int64) * levels + original.codes - 1
    if original.d * levels <= DIRECT:
        return (mine, theirs), original.d * levels
    seen, number = np.unique(np.concatenate([mine, theirs]), return_inverse=True)
    return (number[: len(mine)], number[len(mine) :]), len(seen)


def _tokens(ours: Ratings, original: Ratings) -> tuple[tuple[Ints, Ints], int]:
    """A number for the sensitive ratings of each record, equal only for equal ratings; and how many there are."""
    # Both list the same sensitive issues, so the cells of one mean the same in the other.
    (mine, theirs), width = _cells(ours, original)
    indptr = np.concatenate([ours.indptr, ours.indptr[-1] + original.indptr[1:]])
    cells = np.concatenate([mine, theirs]).astype(np.int32)
    number, _, example = equal_rows(indptr, cells, width)
    return (number[: ours.n], number[ours.n :]), len(example)


def _joined(data: Ratings, cells: Ints, token: Ints) -> Sets:
    """Every record as the cells of its non-sensitive ratings and its token, which is above all cells."""
    public = ~data.sensitive[data.indices]
    indptr = data.keep(public).indptr + np.arange(data.n + 1)
    ends = indptr[1:] - 1
    inside = np.ones(indptr[-1], np.bool_)
    inside[ends] = False
    numbers = np.empty(indptr[-1], np.int32)
    numbers[inside], numbers[ends] = cells[public], token
    return indptr, numbers


def _levels(scale: Scale) -> list[Fraction]:
    """The ratings of a scale, to the nine decimals with which they are published."""
    low, step = Fraction(f"{scale.low:.12g}"), Fraction(f"{scale.step:.12g}")
    return [round(low + level * step, 9) for level in range(scale.levels)]


def rounded_levels(before: Scale, published: Scale) -> Ints:
    """The code that each rating of `before` is published as: the nearest one, the higher of two as near."""
    coarse = _levels(published)
    first, step = coarse[0], Fraction(f"{published.step:.12g}")
    places = [(level - first) / step + Fraction(1, 2) for level in _levels(before)]
    return np.array([1 + min(max(place.__floor__(), 0), len(coarse) - 1) for place in places], np.int64)


def check_grid(release: RatingsRelease) -> list[Check]:
    """From the files alone: no rating is published that rounding does not lead to; nothing where none was rounded."""
    before, data = release.rounded_from, release.ratings
    if before is None:
        return []
    possible = np.zeros(data.scale.levels + 1, np.bool_)
    possible[rounded_levels(before, data.scale)] = True
    odd = data.codes[~possible[data.codes]]
    grid = f"{data.scale.text}, to which ratings on {before.text} are rounded"
    return [
        Check(
            name=f"every rating is on the scale {grid}",
            passed=not len(odd),
            detail=f"{data.scale.decode(odd[:1])[0]:g} is not" if len(odd) else f"{data.entries:,} ratings",
        )
    ]


def rounded_original(release: RatingsRelease, original: Ratings) -> Ratings:
    """The original as it has to be published: on the scale of the release, if the release is of rounded ratings."""
    if release.rounded_from is None or original.scale != release.rounded_from:
        return original
    codes = rounded_levels(original.scale, release.ratings.scale)
    return original.replaced(codes=codes.astype(np.int16)[original.codes - 1], scale=release.ratings.scale)
