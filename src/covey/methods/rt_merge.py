"""RT-merge: classes by attributes, items recoded in each, classes merged while that pays (Poulis et al. 2013).

Data flow: a table method's classes of k persons and more → a line on which neighbours have like attributes → runs of
neighbours as candidate classes, items of the promising ones recoded by HgHs → the cheapest way to cut the line into
candidates. Beside them the classes of a top-down specialization, which are better where few large classes lose least
→ the cheaper of the two → publication. The cost is that of mining threats in the
classes, which `work` limits. Oracle: `tests/oracles/records.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from covey.arrays import offsets_of
from covey.data import Baskets, Records
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.methods.base import GroupsTables, RecodesRecords
from covey.methods.hilbert import Hilbert
from covey.methods.mondrian import Mondrian
from covey.methods.pattern_ka_table import PatternKaTable
from covey.methods.record_classes import ClassRuns, NestedClasses
from covey.methods.work import WorkLimit
from covey.parameters import parameter
from covey.progress import Progress
from covey.release.base import Release
from covey.release.records import records

CLASSES: dict[str, type[GroupsTables]] = {one.name: one for one in (Hilbert, Mondrian, PatternKaTable)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RTMerge(RecodesRecords):
    """Small classes by attributes, merged with their neighbours as long as items gain more than attributes lose.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> data = Records.of({"age": [20, 21, 60, 61]}, [["ale"], ["ale", "rum"], ["tea"], ["tea"]])
    >>> release = RTMerge(seed=0).anonymize(data, guarantee("k-km-anonymity(k=2, m=2)"))
    >>> release.attributes.distinct_rows(), release.baskets.items
    ([('[20-21]',), ('[60-61]',)], ('ale', 'tea'))
    """

    name = "rt-merge"

    classes: str = parameter(
        "hilbert", one_of=tuple(CLASSES), says="The method that makes the classes which are then merged."
    )

    def release(self, data: Records, promise: KKmAnonymity, progress: Progress) -> Release:
        """Publish what covers the attributes of each class, and its items as they were recoded in it."""
        small = CLASSES[self.classes]().groups(data.attributes, KAnonymity(promise.k), progress)
        limit = WorkLimit(self.work)
        how: dict[str, Any] = {"weight": self.weight, "limit": limit}
        found: list[ClassRuns | NestedClasses] = [
            ClassRuns(data, small, self.taxonomy, promise, **how),
            NestedClasses(data, self.taxonomy, promise, **how),
        ]
        tried = [(one.cheapest(progress), one) for one in found]
        chosen, runs = min(tried, key=lambda one: sum(run.cost for run in one[0]))
        progress("publishing", 0.0)
        sizes = [len(one.indptr) - 1 for one in chosen]
        lengths = np.concatenate([np.diff(one.indptr) for one in chosen])
        nodes, place = np.unique(np.concatenate([one.nodes for one in chosen]), return_inverse=True)
        items = Baskets.build(
            offsets_of(lengths),
            place.reshape(-1).astype(np.int32),
            [runs.costs.tree.labels[x] for x in nodes],
        )
        return records(
            data.attributes.take(runs.persons),
            items,
            np.repeat(np.arange(len(chosen)), sizes),
            len(chosen),
            made=self.statement(promise, ("work",) if limit.hit else ()),
            seed=self.seed,
            rows=runs.persons,
        )
