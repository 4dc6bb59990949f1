"""RT-global: attributes and items of records recoded globally, a rival of rt-merge.

Data flow: classes by top-down specialization of the attributes, step by step finer → for each step the one recoding of
all items that keeps the promise in every class, by HgHs with threats of single classes → the step that loses least in
all → publication. The cost is that of mining threats in the classes of each step, which `work` limits. Oracle:
`tests/oracles/records.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from covey.arrays import Ints
from covey.data import Records, Table
from covey.data.csr import rows_by_group
from covey.data.tree import recode
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import RecodesRecords
from covey.methods.cut_search import CutSearch
from covey.methods.extents import group_extents, losses_of, scale_of
from covey.methods.specialization import specialized
from covey.methods.tree_view import TreeView, baskets_of_nodes, set_size
from covey.methods.work import WorkLimit
from covey.progress import Progress
from covey.release.base import Release
from covey.release.records import records


@dataclass(frozen=True, slots=True, kw_only=True)
class RTGlobal(RecodesRecords):
    """One recoding of every column and of every item, the same for all persons.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> data = Records.of({"age": [20, 21, 60, 61]}, [["ale"], ["ale", "rum"], ["tea"], ["tea"]])
    >>> release = RTGlobal(seed=0).anonymize(data, guarantee("k-km-anonymity(k=2, m=2)"))
    >>> release.attributes.distinct_rows(), release.baskets.items
    ([('[20-21]',), ('[60-61]',)], ('ale', 'tea'))
    """

    name = "rt-global"

    def release(self, data: Records, promise: KKmAnonymity, progress: Progress) -> Release:
        """Publish what covers the attributes of each class, and items as they were recoded for all."""
        progress("grouping", 0.0)
        steps = list(specialized(data.attributes, promise.k))
        view = TreeView.of(data.baskets, self.taxonomy)

        limit = WorkLimit(self.work)
        best, least = None, np.inf
        for number, of_row in enumerate(steps):
            progress("merging", number / len(steps))
            ptr, rows = rows_by_group(of_row, np.arange(data.n), int(of_row.max()) + 1)
            found = self._search(view, ptr, rows, promise, limit)
            items = found.cost / max(data.entries, 1)
            cost = self.weight * _gcp(data.attributes, ptr, rows) + (1 - self.weight) * items
            if cost < least:
                best, least = (of_row, found), cost
        assert best is not None
        of_row, found = best
        progress("publishing", 0.0)
        return records(
            data.attributes,
            baskets_of_nodes(view, *recode(view.indptr, view.leaf, found.label_of())),
            of_row,
            int(of_row.max()) + 1,
            made=self.statement(promise, ("work",) if limit.hit else ()),
            seed=self.seed,
        )

    def _search(self, view: TreeView, ptr: Ints, rows: Ints, promise: KKmAnonymity, limit: WorkLimit) -> CutSearch:
        """The recoding of all items that keeps the promise in every class ``rows[ptr[c]:ptr[c + 1]]``."""
        classes = [view.of_rows(rows[start:stop]) for start, stop in pairwise(ptr.tolist())]
        supports = np.array([one.support for one in classes])
        # A label that is rare in one class cannot be published in any.
        lowest = np.where(supports > 0, supports, np.iinfo(np.int64).max).min(axis=0)
        view = replace(view, support=np.where(view.support > 0, lowest, 0))
        size = set_size(view, KmAnonymity(promise.k, promise.m))
        everything = np.ones(view.tree.size, np.bool_)
        return CutSearch(view, promise.k, size, everything, limit=limit, classes=classes).run()


def _gcp(attributes: Table, ptr: Ints, rows: Ints) -> float:
    """The loss of the attributes when each class is published as what covers it."""
    codes, scale = attributes.rows("quasi"), scale_of(attributes)
    lost = losses_of(scale, *group_extents(codes, ptr, rows))
    return float((lost * np.diff(ptr)).sum()) / max(codes.size, 1)
