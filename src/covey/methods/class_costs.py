"""What persons lose when they are published as one class of records: attributes and items, weighed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from covey.arrays import Ids, Ints
from covey.data import Records, Taxonomy
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.kernels.methods.extents import extents_loss
from covey.kernels.shared.tree import recode
from covey.methods.cut_search import CutSearch
from covey.methods.extents import scale_of
from covey.methods.tree_view import TreeView, set_size
from covey.methods.work import WorkLimit


class Run(NamedTuple):
    """Persons that are to be published as one class: their loss, and their items as nodes of the taxonomy."""

    cost: float
    indptr: Ints
    nodes: Ids


class ClassCosts:
    """Persons in a line, any piece of which may become a class.

    Parameters
    ----------
    data : Records
        The original.
    persons : int64 array
        The persons along the line.
    taxonomy : Taxonomy or None
        How items may be generalized; None is the flat one.
    promise : KKmAnonymity
        What each class must keep.
    weight : float
        What the loss of attributes counts, from 0 to 1; that of items counts the rest.
    limit : WorkLimit
        The steps that the searches for the recodings of all classes may take.

    Attributes
    ----------
    tree : Taxonomy
        What items are generalized along.
    view : TreeView
        The items along the line.
    item_weight, attribute_weight : float
        What losing one item, or one attribute of a person, costs.
    """

    def __init__(
        self,
        data: Records,
        persons: Ints,
        taxonomy: Taxonomy | None,
        promise: KKmAnonymity,
        *,
        weight: float,
        limit: WorkLimit,
    ) -> None:
        self.tree = Taxonomy.flat(data.items) if taxonomy is None else taxonomy
        self.promise, self.limit = KmAnonymity(promise.k, promise.m), limit
        self.view = TreeView.of(data.baskets.take(persons), self.tree)
        self.scale, self._codes = scale_of(data.attributes), data.attributes.rows("quasi")[persons]
        self.item_weight = (1.0 - weight) / max(data.baskets.entries, 1)
        self.attribute_weight = weight / max(self._codes.size, 1)

    def as_class(self, start: int, stop: int) -> Run:
        """What the persons from `start` up to `stop` lose as one class, and their items as they are then published."""
        inside = self._codes[start:stop]
        attributes = extents_loss(self.scale, inside.min(axis=0), inside.max(axis=0)) * len(inside)
        view = self.view.piece(start, stop)
        everything = np.ones(self.tree.size, np.bool_)
        found = CutSearch(view, self.promise.k, set_size(view, self.promise), everything, limit=self.limit).run()
        indptr, nodes = recode(view.indptr, view.leaf, found.label_of())
        return Run(self.attribute_weight * attributes + self.item_weight * found.cost, indptr, nodes)
