"""Check that released ratings are made of their original: nothing invented, and what is missing is counted.

Without a trace: numbers, and combinations of sensitive ratings. With one, every record is compared with that of its own
respondent.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from covey.arrays import Ints
from covey.counting import counted
from covey.data import Ratings
from covey.data.equal_rows import equal_rows
from covey.data.scale import Scale
from covey.release.ratings import RatingsRelease
from covey.release.trace import trace_of
from covey.verdict import Check
from covey.verify.original_parts import not_checked, one_to_one

#: Cells of issue and rating up to which each has a place of its own; beyond, only those that occur have one.
DIRECT = 1 << 24

INVENTED = "nothing was invented: each record has ratings of its own respondent, and all sensitive ones"


def compare(release: RatingsRelease, original: Ratings, taxonomy: Any = None) -> list[Check]:
    """Check that the release holds nothing that is not in the original, and counts what is missing."""
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
    secrets = _tokens(ours.only(ours.sensitive), marked.only(marked.sensitive))
    checks.append(_same_secrets(*secrets))
    return [*checks, *_by_trace(release, marked, secrets[0])] if checks[-1].passed else checks


def _by_trace(release: RatingsRelease, original: Ratings, secrets: tuple[Ints, Ints]) -> list[Check]:
    """Compare every record with that of its respondent; or state what was not compared."""
    trace, ours = trace_of(release), release.ratings
    if trace is None:
        return [not_checked(INVENTED)]
    rows = trace.rows
    checks = [one_to_one(rows, ours.n, original.n, all_of_them=False)]
    if not checks[0].passed:
        return checks
    (mine, theirs), width = _cells(ours, original)
    owner = np.repeat(np.arange(original.n), original.lengths())
    known = owner * width + theirs
    told = np.repeat(rows, ours.lengths()) * width + mine
    invented = np.flatnonzero(~np.isin(told, known, assume_unique=True))
    left = int(original.lengths()[rows].sum()) - ours.entries
    problem = ""
    if len(invented):
        record = int(np.searchsorted(ours.indptr, invented[0], side="right")) - 1
        problem = f"record {ours.users[record]} has a rating that its respondent did not give"
    elif not np.array_equal(secrets[0], secrets[1][rows]):
        problem = "a record has other sensitive ratings than its respondent"
    elif left != release.suppressed_ratings:
        problem = f"{left:,} ratings of published records are missing, {release.suppressed_ratings:,} are stated"
    return [*checks, Check(name=INVENTED, passed=not problem, detail=problem or counted(ours.entries, "rating"))]


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
    ours, problem = release.ratings, ""
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
    detail = problem or f"{ours.d:,} of {counted(original.d, 'issue')}"
    return Check(name="issues and scale are those of the original", passed=not problem, detail=detail)


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
    place, levels = {name: i for i, name in enumerate(original.issues)}, original.scale.levels
    rename = np.array([place[name] for name in ours.issues], np.int64)
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
    number, _, example = equal_rows(indptr, np.concatenate([mine, theirs]).astype(np.int32), width)
    return (number[: ours.n], number[ours.n :]), len(example)


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
