"""The rare sets around one node of a cut, mined in the transactions below it alone (Liu & Wang 2010, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from covey.arrays import Ids, Ints, offsets_of
from covey.kernels.methods import projection, threats
from covey.kernels.methods.rare_pairs import rare_pairs
from covey.kernels.shared.merging import merge_rows
from covey.kernels.shared.tree import rows_below
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit

#: Members of the sets around one node that are held at once, if nothing else is said.
MEMBERS = 20_000_000

#: No private items: every mole is a threat.
NO_SECRETS: threats.Secrets = (np.zeros(1, np.int64), np.empty(0, np.int32), 0, 1.0)


class RareSets:
    """Minimal sets of labels that are in fewer than k transactions, though each of them is in k.

    Parameters
    ----------
    view : TreeView
        The data.
    k : int
        How many transactions make a set frequent.
    limit : WorkLimit
        The steps that this and other searches may take.
    members : int
        How many members of the sets around one node may be held; a search that finds more ends early.
    """

    def __init__(self, view: TreeView, k: int, limit: WorkLimit, *, members: int = MEMBERS) -> None:
        size = view.tree.size
        self.view, self.k, self.limit, self.members = view, k, limit, members
        # How full the table of known sets is, and how many steps are left.
        self._known, self._used = np.zeros(4096, np.int64), np.zeros(2, np.int64)
        self._marks = view.marks()
        self._number, self._count = np.full(size, -1, np.int32), np.zeros(size, np.int64)

    def around(self, x: int, instead: Ids, cut_of: Ids, m: int) -> tuple[bool, Ints, Ids]:
        """The sets of 2 to m labels of a cut with one of the nodes `instead` of x: all?, offsets, nodes.

        ``cut_of[leaf]`` is the label of each leaf that is not below x.
        """
        view = self.view
        heads = instead[view.support[instead] >= self.k]
        if m < 2 or not len(heads):
            return True, np.zeros(1, np.int64), np.empty(0, np.int32)
        allowed = self.limit.allowance()
        if allowed <= 0:
            self.limit.hit = True
            return False, np.zeros(1, np.int64), np.empty(0, np.int32)
        self._used[1] = allowed
        if m == 2:
            complete, offsets, members = rare_pairs(
                heads, x, view.tree.last, view.indptr, view.leaf, view.leaf_ptr, view.leaf_rows, cut_of, instead,
                view.support, self.k, self._count, self._marks, self._used, self.members,
            )  # fmt: skip
        else:
            complete, offsets, members = self._mined(x, heads, instead, cut_of, m)
        self.limit.spend(allowed - int(self._used[1]), complete=bool(complete))
        return bool(complete), offsets, members

    def _mined(self, x: int, heads: Ids, instead: Ids, cut_of: Ids, m: int) -> tuple[bool, Ints, Ids]:
        """The sets of any size, depth-first in the rows below x."""
        view = self.view
        below = rows_below(x, view.tree.last, view.leaf_ptr, view.leaf_rows, self._marks)
        ptr, nodes = projection.project(
            below, view.indptr, view.leaf, cut_of, x, int(view.tree.last[x]), instead, view.support, self.k
        )  # fmt: skip
        local, names = projection.localize(ptr, nodes, heads, self._number, self._count)
        words = view.words[names]
        ptr, local, weight = merge_rows(ptr, local, words)
        complete, offsets, members, self._known = threats.mine(
            ptr, local, weight, len(names), len(heads), NO_SECRETS, self.k, m, words, self._known, self._used,
            self.members,
        )  # fmt: skip
        return complete, offsets, names[members]


class RareInClasses:
    """As `RareSets`, but of sets that are in fewer than k transactions of one of several classes.

    Parameters
    ----------
    classes : sequence of TreeView
        The classes, all over one taxonomy.
    k, limit
        As for `RareSets`.
    """

    def __init__(self, classes: Sequence[TreeView], k: int, limit: WorkLimit) -> None:
        self._classes = [RareSets(view, k, limit) for view in classes]

    def around(self, x: int, instead: Ids, cut_of: Ids, m: int) -> tuple[bool, Ints, Ids]:
        """As `RareSets.around`; a set that is rare in several classes is there several times."""
        found = [one.around(x, instead, cut_of, m) for one in self._classes if one.view.support[x]]
        if len(found) == 1:
            return found[0]
        lengths = [np.diff(offsets) for _, offsets, _ in found]
        return (
            all(complete for complete, _, _ in found),
            offsets_of(np.concatenate([np.empty(0, np.int64), *lengths])),
            np.concatenate([np.empty(0, np.int32), *(nodes for _, _, nodes in found)]),
        )
