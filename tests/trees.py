"""Hypothesis strategies: small taxonomies and rows of their leaves."""

from hypothesis import strategies as st

LEAVES = "abcdefgh"


@st.composite
def trees(draw, size=7):
    """``{node: [children]}`` with the root "R": leaves merged at random until one node is left."""
    nodes = list(LEAVES[: draw(st.integers(2, size))])
    tree = {leaf: [] for leaf in nodes}
    while len(nodes) > 1:
        count = draw(st.integers(1 if len(tree) < 12 else 2, min(4, len(nodes))))
        chosen = sorted(draw(st.permutations(nodes))[:count])
        left = [n for n in nodes if n not in chosen]
        name = "R" if not left else f"N{len(tree):02d}"
        tree[name] = chosen
        nodes = [*left, name]
    if "R" not in tree:
        tree["R"] = nodes
    return tree


@st.composite
def rows_of(draw, tree, most=14):
    leaves = sorted(x for x in tree if not tree[x])
    rows = draw(st.lists(st.sets(st.sampled_from(leaves), max_size=5), min_size=1, max_size=most))
    short = max(0, 3 - sum(map(bool, rows)))  # with fewer filled rows than k nothing can be published
    return rows + [{leaves[0]}] * short


@st.composite
def trees_and_rows(draw, size=7, most=14):
    tree = draw(trees(size))
    return tree, draw(rows_of(tree, most))


def taxonomy_of(tree):
    from covey import Taxonomy

    return Taxonomy.from_pairs([(child, node) for node, below in tree.items() for child in below])


def baskets_of(rows, tree):
    """Baskets of the rows; items that no row holds do not occur."""
    from covey import Baskets

    return Baskets.of([sorted(row) for row in rows])


def mined_threats(data, taxonomy, k, m, limit=10**6):
    """All minimal threats of all cuts, by the methods' kernel over extended transactions: complete?, sorted labels.

    Related nodes need no care: one above another changes no support, so no minimal set holds both.
    """
    from itertools import pairwise

    import numpy as np

    from covey.data.csr import keep_items, transpose
    from covey.data.tree import rows_of_nodes
    from covey.methods import threats
    from covey.methods.rare_sets import NO_SECRETS
    from covey.methods.tree_view import TreeView

    view = TreeView.of(data, taxonomy)
    labels, frequent = view.tree.labels, np.flatnonzero(view.support >= k)
    number = np.full(view.tree.size, -1, np.int32)
    number[frequent] = np.arange(len(frequent), dtype=np.int32)
    node_ptr, node_rows, _ = rows_of_nodes(view.indptr, view.leaf, view.tree.parent)
    ptr, local = keep_items(*transpose(node_ptr, node_rows, data.n), number)
    complete, offsets, members, _ = threats.mine(
        ptr, local, np.ones(data.n, np.int64), len(frequent), len(frequent), NO_SECRETS, k, min(m, view.longest),
        view.words[frequent], np.zeros(4096, np.int64), np.array([0, 10**9]), limit,
    )  # fmt: skip
    alone = [(labels[x],) for x in np.flatnonzero((view.support > 0) & (view.support < k))]
    found = [tuple(sorted(labels[frequent[x]] for x in members[a:b])) for a, b in pairwise(offsets)]
    return complete, sorted(alone + found, key=lambda threat: (len(threat), threat))
