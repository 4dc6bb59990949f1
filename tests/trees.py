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
