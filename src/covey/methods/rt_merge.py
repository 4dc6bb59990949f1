"""RT-merge: classes by attributes, items recoded in each, classes merged while that pays (Poulis et al. 2013).

Data flow: a table method's classes of k persons and more → a line on which neighbours have like attributes → runs of
neighbours as candidate classes, the items of each recoded by HgHs → the cheapest way to cut the line into candidates.
Beside them the classes of a top-down specialization, which are better where few large classes lose least → the cheaper
of the two → publication. Both choices are trees of candidates; what one loses as a class does not depend on the
others, so the cheapest cut is found from the leaves up. The cost is that of mining threats in the classes, which
`work` limits. Oracle: `tests/oracles/records.py`; page: `docs/methods.md`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Baskets, Records, Table, Taxonomy
from covey.data.csr import rows_by_group
from covey.data.tree import recode
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.methods.base import Groups, GroupsTables, RecodesRecords
from covey.methods.cut_search import CutSearch
from covey.methods.extents import curve_order, extents_loss, group_extents, scale_of
from covey.methods.hilbert import Hilbert
from covey.methods.mondrian import Mondrian
from covey.methods.pattern_ka_table import PatternKaTable
from covey.methods.specialization import specialized
from covey.methods.tree_view import TreeView, set_size
from covey.methods.work import WorkLimit
from covey.parameters import parameter
from covey.progress import Progress, silent
from covey.release.base import Release
from covey.release.records import records

CLASSES: dict[str, type[GroupsTables]] = {"hilbert": Hilbert, "mondrian": Mondrian, "pattern-ka": PatternKaTable}


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
        choices = runs_of_neighbours(data.attributes, small), list(specialized(data.attributes, promise.k))
        found = [Candidates(data, steps, self.taxonomy, promise, weight=self.weight, limit=limit) for steps in choices]
        tried = [(one.cheapest(progress), one) for one in found]
        chosen, runs = min(tried, key=lambda one: sum(run.cost for run in one[0]))
        progress("publishing", 0.0)
        sizes = [len(one.indptr) - 1 for one in chosen]
        lengths = np.concatenate([np.diff(one.indptr) for one in chosen])
        nodes, place = np.unique(np.concatenate([one.nodes for one in chosen]), return_inverse=True)
        items = Baskets.build(
            offsets_of(lengths), place.reshape(-1).astype(np.int32), [runs.view.tree.labels[x] for x in nodes]
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


class Run(NamedTuple):
    """Persons that are to be published as one class: their loss, and their items as nodes of the taxonomy."""

    cost: float
    indptr: Ints
    nodes: Ids


class Candidates:
    """Candidates for classes: the class of each person in each of the `steps`, each of which cuts those before further.

    `persons` is a line on which every candidate is a piece. Losing attributes counts `weight`, from 0 to 1, and losing
    items the rest. `limit` holds for the searches for the recodings of all classes together.
    """

    def __init__(
        self,
        data: Records,
        steps: Sequence[Ints],
        taxonomy: Taxonomy | None,
        promise: KKmAnonymity,
        *,
        weight: float,
        limit: WorkLimit,
    ) -> None:
        self.persons = np.lexsort(steps[::-1])
        self.steps = [step[self.persons] for step in steps]
        self.promise, self.limit = KmAnonymity(promise.k, promise.m), limit
        self.view = TreeView.of(data.baskets.take(self.persons), taxonomy or Taxonomy.flat(data.items))
        self.scale, self._codes = scale_of(data.attributes), data.attributes.rows("quasi")[self.persons]
        self.item_weight = (1.0 - weight) / max(data.baskets.entries, 1)
        self.attribute_weight = weight / max(self._codes.size, 1)

    def as_class(self, start: int, stop: int) -> Run:
        """What the persons from `start` up to `stop` lose as one class, and their items as they are then published."""
        inside = self._codes[start:stop]
        attributes = extents_loss(self.scale, inside.min(axis=0), inside.max(axis=0)) * len(inside)
        view = self.view.piece(start, stop)
        everything = np.ones(view.tree.size, np.bool_)
        found = CutSearch(view, self.promise.k, set_size(view, self.promise), everything, limit=self.limit).run()
        indptr, nodes = recode(view.indptr, view.leaf, found.label_of())
        return Run(self.attribute_weight * attributes + self.item_weight * found.cost, indptr, nodes)

    def cheapest(self, progress: Progress = silent) -> list[Run]:
        """The candidates that lose least in all, along the line."""
        return self._cheapest(0, 0, len(self.persons), progress)[1]

    def _cheapest(self, step: int, start: int, stop: int, progress: Progress) -> tuple[float, list[Run]]:
        progress("merging", start / max(len(self.persons), 1))
        whole = self.as_class(start, stop)
        while step < len(self.steps) and self.steps[step][start] == self.steps[step][stop - 1]:
            step += 1
        if step == len(self.steps):
            return whole.cost, [whole]
        edges = start + np.flatnonzero(np.diff(self.steps[step][start:stop])) + 1
        parts = [self._cheapest(step, a, b, progress) for a, b in pairwise([start, *edges.tolist(), stop])]
        cost = sum(part[0] for part in parts)
        return (whole.cost, [whole]) if whole.cost <= cost else (cost, [run for part in parts for run in part[1]])


def runs_of_neighbours(attributes: Table, small: Groups) -> list[Ints]:
    """The run of each person along a line of near ones: everybody, and halves down to the `small` classes."""
    ptr, rows = rows_by_group(small.group, np.arange(attributes.n), small.number)
    place = np.empty(small.number, np.int64)
    place[curve_order(group_extents(attributes.rows("quasi"), ptr, rows)[0])] = np.arange(small.number)
    return [place[small.group] >> level for level in range((small.number - 1).bit_length(), -1, -1)]
