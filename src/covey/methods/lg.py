"""LG: transactional k-anonymity by top-down local generalization (He & Naughton 2009, "Partition").

Data flow: rows of leaves → one partition labelled with the root → split at the node that gains most, by which of its
children the members hold → labels of each final partition → publication. Transactions are recoded one by one, so a
label and its ancestor may both be published: domain exclusiveness is given up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from covey.arrays import Ids, Ints, offsets_of
from covey.data import Baskets, Taxonomy
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.kernels.methods.partition import partition
from covey.kernels.shared.csr import take_rows
from covey.methods.base import Recoded, RecodesSets
from covey.methods.tree_view import TreeView, baskets_of_nodes
from covey.parameters import parameter
from covey.progress import Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class LG(RecodesSets):
    """Local generalization: at least k transactions are published as exactly the same set of labels.

    Examples
    --------
    >>> from covey.guarantees import guarantee
    >>> tree = Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    >>> data = Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"], ["tea"]])
    >>> LG(taxonomy=tree, seed=0).anonymize(data, guarantee("km-anonymity(k=2, m=2)"))
    SetsRelease(km-anonymity(k=2, m=2) by lg: 4 transactions, 2 labels)
    """

    name = "lg"
    recoded = "local"

    taxonomy: Taxonomy | None = parameter(
        None,
        says="How items may be generalized; without one, a transaction is published whole or as one label.",
    )

    def recode(self, data: Baskets, promise: KAnonymity | KmAnonymity, progress: Progress) -> Recoded:
        """Every basket as labels that k - 1 others have too."""
        view = TreeView.of(data, self.taxonomy)
        progress("generalizing", 0.0)
        return Recoded(baskets_of_nodes(view, *self.label_rows(view, promise.k)))

    def label_rows(self, view: TreeView, k: int) -> tuple[Ints, Ids]:
        """The nodes each transaction is published as, in the order of the data.

        Empty transactions are published empty. If there are some but fewer than k, the shortest others are emptied
        too; and if fewer than k others are left, all of them.
        """
        lengths = np.diff(view.indptr)
        empty = int((lengths == 0).sum())
        order = np.argsort(lengths, kind="stable")
        emptied = max(empty, min(k, len(order))) if 0 < empty < k else empty
        if len(order) - emptied < k:
            emptied = len(order)
        rest = np.sort(order[emptied:])
        counts, labels = np.zeros(len(order), np.int64), np.empty(0, np.int32)
        if len(rest):
            tree = view.tree
            rows, begin, ptr, nodes = partition(
                *take_rows(view.indptr, view.leaf, rest),
                tree.last,
                tree.child_ptr,
                view.chain_end[tree.child],
                tree.loss(),
                view.words,
                int(view.chain_end[0]),
                k,
            )
            part = np.empty(len(rest), np.int64)
            part[rows] = np.repeat(np.arange(len(begin) - 1), np.diff(begin))
            counts[rest] = np.diff(ptr)[part]
            _, labels = take_rows(ptr, nodes, part)
        return offsets_of(counts), labels
