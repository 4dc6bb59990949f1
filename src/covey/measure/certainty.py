"""What someone who finds a person's class in a released table learns about the sensitive values in it.

Rows that look alike can also be alike in what is sensitive: then the value is known although the row is not
(Machanavajjhala et al. 2007, the homogeneity attack). An attacker who knows all quasi-identifiers of a person guesses
the value that most rows like that person's have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Table
from covey.release.table import TableRelease, commonest, number_rows
from covey.tabular import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty(Plain):
    """How well a sensitive column is guessed by all quasi-identifiers, before and after."""

    column: str
    #: Share of the rows for which a guess is right that uses no quasi-identifier: the most frequent value.
    blind: float
    #: Share of the rows for which the most frequent value among the rows like them is right, in the original and in the
    #: release.
    before: float
    after: float
    #: Share of the rows whose value all rows like them have, so that it is known for certain.
    certain_before: float
    certain_after: float
    #: The largest share of a value in a class of the release.
    worst_after: float


def certainty(release: TableRelease, original: Table) -> tuple[Certainty, ...]:
    """Measure each sensitive column. O(n log n).

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of(
    ...     {"age": [20, 30, 40, 50], "illness": ["flu", "flu", "flu", "gout"]},
    ...     sensitive=["illness"],
    ... )
    >>> release = covey.anonymize(people, "k-anonymity(k=2)", "mondrian")
    >>> (found,) = certainty(release, people)
    >>> found.blind, found.before, found.after, found.certain_after
    (0.75, 1.0, 0.75, 0.5)
    """
    like_before = number_rows([column.codes for column in original.of_role("quasi")], original.n)
    like_after = release.classes()
    made = []
    for column in original.of_role("sensitive"):
        before, certain_before, _ = _guesses(like_before, column.codes)
        after, certain_after, worst = _guesses(like_after, release.column(column.name).codes)
        made.append(
            Certainty(
                column=column.name,
                blind=float(np.bincount(column.codes).max(initial=0) / max(original.n, 1)),
                before=before,
                after=after,
                certain_before=certain_before,
                certain_after=certain_after,
                worst_after=worst,
            )
        )
    return tuple(made)


def _guesses(like: Ints, value: Ids) -> tuple[float, float, float]:
    """Share of rows guessed right, share of rows whose class has one value only, and largest share in a class."""
    if not len(like):
        return 0.0, 0.0, 0.0
    size, most = np.bincount(like), commonest(like, value)
    return (
        float(most.sum() / len(like)),
        float(size[most == size].sum() / len(like)),
        float((most / size).max()),
    )
