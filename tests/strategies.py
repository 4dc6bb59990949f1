"""Hypothesis strategies shared by tests."""

from hypothesis import settings
from hypothesis import strategies as st


def examples(number):
    """`number` examples in `make test`; other profiles scale it as they scale their own number (see conftest.py)."""
    return settings(max_examples=max(1, number * settings.default.max_examples // 60))


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


ANIMALS = {
    "cat": ["cat", "pet", "mammal", "*"],
    "dog": ["dog", "pet", "mammal", "*"],
    "cow": ["cow", "mammal", "*"],
    "hen": ["hen", "*"],
}


@st.composite
def table_rows(draw, min_rows=1, max_rows=24, missing=True):
    """Rows of (age, animal, city): a number, a value with a hierarchy, a value without; None is missing."""
    gone = [None] if missing else []
    age = st.sampled_from([20, 21, 25, 30, 60, *gone])
    animal = st.sampled_from([*ANIMALS, *gone])
    city = st.sampled_from(["Bonn", "Köln", *gone])
    return draw(st.lists(st.tuples(age, animal, city), min_size=min_rows, max_size=max_rows))


def table_of(rows, secrets=None):
    """The rows as a Table, with the hierarchy of the animals."""
    from covey import Hierarchy, Table

    columns = {name: [row[a] for row in rows] for a, name in enumerate(("age", "animal", "city"))}
    if secrets is not None:
        columns["secret"] = list(secrets)
    return Table.of(
        columns,
        sensitive=[] if secrets is None else ["secret"],
        hierarchies={"animal": Hierarchy.from_paths(ANIMALS.values())},
    )


def oracle_columns(rows):
    """The columns of `table_rows` as tests/oracles/tables.py describes them."""
    ages = [row[0] for row in rows if row[0] is not None]
    if ages and len(set(ages)) > 1:
        numbers = ("numbers", min(ages), max(ages))
    elif ages:
        numbers = ("numbers", ages[0], ages[0] + 1)
    else:
        numbers = ("tree", {None: [None, "*"]})
    animals = dict(ANIMALS)
    if any(row[1] is None for row in rows):
        animals[None] = [None, "*"]
    cities = {row[2]: [row[2], "*"] for row in rows}
    return [numbers, ("tree", animals), ("tree", cities)]
