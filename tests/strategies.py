"""Hypothesis strategies shared by tests."""

from hypothesis import strategies as st

ITEMS = [f"i{n}" for n in range(8)]
SECRETS = [f"s{n}" for n in range(3)]


@st.composite
def transactions(draw, max_rows=30, secrets=True):
    """Rows of published items, and a row of sensitive items for each."""
    rows = draw(st.lists(st.sets(st.sampled_from(ITEMS), max_size=5), min_size=1, max_size=max_rows))
    chosen = st.sets(st.sampled_from(SECRETS), max_size=2) if secrets else st.just(set())
    # Sensitive rows are rare in real data; without the bias few examples would be feasible.
    hidden = [draw(chosen) if draw(st.integers(0, 3)) == 0 else set() for _ in rows]
    return rows, hidden


def baskets_of(rows, hidden):
    """The two lists as Baskets, sensitive items marked where they occur."""
    from covey import Baskets

    present = sorted(set().union(*hidden))
    data = Baskets.of([row | secret for row, secret in zip(rows, hidden, strict=True)])
    return data.with_sensitive(present) if present and set().union(*rows) else data
