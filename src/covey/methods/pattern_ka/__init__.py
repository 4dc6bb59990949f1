"""PatternKa: rows that share a long frequent pattern are published as that pattern (PatternKa 2020, Alg. 1).

Data flow for sets: distinct rows over frequent items → from the longest patterns to the shortest, groups of all
rows that hold one → rows move where more of their items can be published → publication. Nothing is random but the
order in which rows are published. Mining dominates; `work` limits it for each length. Kernels: `reduction`, `pairs`,
`nodes`, `bits` and `search` mine patterns, `groups` forms groups. Oracle:
`tests/oracles/pattern_ka.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.data import Baskets
from covey.data.csr import take_rows
from covey.guarantees.k_anonymity import KAnonymity
from covey.methods.base import Recoded, RecodesSets
from covey.methods.pattern_ka.set_groups import Groups, best_groups
from covey.methods.pattern_ka.set_patterns import Rows, Search
from covey.parameters import parameter
from covey.progress import Progress, silent

#: Small data is grouped again with other choices among equally long patterns: so often that about so many entries are
#: grouped in all, and at most so often.
AGAIN, MOST_AGAIN = 40_000, 48


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternKa(RecodesSets):
    """k-anonymity of sets by frequent patterns.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> baskets = Baskets.of([["beer", "chips", "wine"], ["beer", "chips"], ["soap"], ["soap", "rice"]])
    >>> release = PatternKa(seed=0).anonymize(baskets, guarantee("k-anonymity(k=2)"))
    >>> sorted(release.transactions.basket(row) for row in range(4))
    [['beer', 'chips'], ['beer', 'chips'], ['soap'], ['soap']]
    """

    name = "pattern-ka"
    recoded = "suppressed"

    raising: bool = parameter(
        True,
        label="Keep more where possible",
        says="After the greedy step, move rows to longer centers as long as every group keeps k rows.",
    )
    leftovers: bool = parameter(
        True,
        label="Find groups for leftovers",
        says="Find groups for leftover rows, with the help of rows that other groups can spare; otherwise they are "
        "published empty.",
    )
    work: int = parameter(
        1000,
        at_least=1,
        label="Work for the search",
        says="Millions of entries that the search for patterns of one length may read; after that it goes on only "
        "while it still groups many rows. Only data with very many frequent sets comes near the default.",
        cut_short="The search for patterns ended early; more work may keep more items.",
    )

    def grouped(self, rows: Rows, search: Search, progress: Progress) -> Groups:
        """Return the groups that keep most; small data is grouped again with other ties."""
        passes = {"raising": self.raising, "leftovers": self.leftovers}
        groups = best_groups(rows, search, progress, **passes)
        again = min(AGAIN // max(len(rows.indices), 1), MOST_AGAIN) if self.raising and not search.cut_short else 0
        for number in range(again):
            other = Search(rows, 1)
            ties = np.random.default_rng(number)  # the same in every run: the same data has the same release
            found = best_groups(rows, other, silent, **passes, ties=ties)
            groups = max(groups, found, key=lambda made: made.retained(rows))
            if other.cut_short:  # each of them takes long
                break
        return groups

    def recode(self, data: Baskets, promise: KAnonymity, progress: Progress) -> Recoded:
        """Every basket as the center of its group.

        Items marked as sensitive are treated like all others: someone who knows them finds no fewer than k rows
        either.
        """
        progress("grouping", 0.0)
        rows = Rows.of(data, promise.k)
        search = Search(rows, self.work)
        groups = self.grouped(rows, search, progress)
        # Row -1 of the offsets is the empty center.
        center_ptr = np.append(groups.center_ptr, groups.center_ptr[-1])
        indptr, indices = take_rows(center_ptr, groups.centers, groups.published(rows) % (groups.count + 1))
        published = Baskets.build(indptr, rows.items[indices].astype(np.int32), data.items)
        return Recoded(published, notes=("work",) if search.cut_short else ())
