"""degree(p) of records: attributes are published exactly, sensitive values and items are counts, by every method."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Records
from covey.errors import Infeasible, InputError, ParameterError
from covey.measure.evaluation import evaluate
from covey.registry import methods
from oracles import records as oracle
from strategies import examples

ENTRIES = methods(guarantee="degree", data="records")


@st.composite
def patients(draw):
    n = draw(st.integers(6, 30))

    def listed(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    return Records.of(
        {
            "age": listed(st.one_of(st.none(), st.integers(20, 24))),
            "city": listed(st.sampled_from(["Bonn", "Ulm", None])),
            "illness": listed(st.sampled_from(["flu", "gout", *[None] * 6])),
        },
        listed(st.sets(st.sampled_from(["ale", "rum", "tea", "test"]), max_size=3).map(sorted)),
        sensitive=["illness", *draw(st.sampled_from([[], ["test"]]))],
    )


def plain(data):
    """Each person as the attributes that are published, the ordinary items, and the secrets; in plain Python."""
    shown = [c for c in data.attributes.columns if c.role != "sensitive"]
    hidden = [c for c in data.attributes.columns if c.role == "sensitive"]
    marked = set(data.baskets.sensitive_items())
    for row in range(data.n):
        held = data.baskets.basket(row)
        secrets = [f"{c.name}={c.values[c.codes[row]]}" for c in hidden if c.values[c.codes[row]]]
        yield (
            tuple(c.values[c.codes[row]] or None for c in shown),
            tuple(x for x in held if x not in marked),
            frozenset([*secrets, *(x for x in held if x in marked)]),
        )


def published(release):
    """The groups as (attributes, items) of their members, and their counts."""
    rows = release.to_frame(library="arrow").to_pylist()
    members, counts = {}, {}
    for row in rows:
        group, items = row.pop("group"), tuple(row.pop("items"))
        members.setdefault(group, []).append((tuple(row.values()), items))
    for row in release.to_frame("sensitive", library="arrow").to_pylist():
        counts.setdefault(row["group"], {})[row["item"]] = row["persons"]
    return members, counts


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
@examples(15)
@given(data=patients())
def test_groups_keep_the_degree_and_everything_ordinary_is_exact(entry, data):
    try:
        release = covey.anonymize(data, "degree(p=2)", entry.name, seed=0)
    except (Infeasible, ParameterError):
        return
    people = list(plain(data))
    members, counts = published(release)
    assert oracle.keeps_degree(members, counts, 2)
    assert sorted(map(repr, (one for group in members.values() for one in group))) == sorted(
        repr((attributes, items)) for attributes, items, _ in people
    )
    totals = {}
    for _, _, secrets in people:
        for secret in secrets:
            totals[secret] = totals.get(secret, 0) + 1
    stated = {}
    for group in counts.values():
        for secret, count in group.items():
            stated[secret] = stated.get(secret, 0) + count
    assert stated == totals


def clinic(n=400):
    rng = np.random.default_rng(9)
    young = rng.random(n) < 0.5
    ages = np.where(young, rng.integers(20, 40, n), rng.integers(60, 80, n))
    illness = np.where(rng.random(n) < 0.2, np.where(young, "asthma", "gout"), "")
    return Records.of(
        {"age": ages.tolist(), "sex": rng.choice(["f", "m"], n).tolist(), "illness": [x or None for x in illness]},
        [sorted({f"i{x}" for x in rng.integers(0, 6, 2)}) for _ in range(n)],
        sensitive=["illness"],
    )


def test_attributes_count_in_similarity():
    """Illness goes with age alone, so that groups of like items, whatever the ages, would answer as badly as chance."""
    data = clinic()

    def error(method):
        release = covey.anonymize(data, "degree(p=4)", method, seed=0)
        ages = [int(label) for label in release.attributes.column("age").labels]
        young = np.array(ages)[release.attributes.column("age").codes] < 50
        share = np.add.reduceat(young, release.group_ptr[:-1]) / release.group_sizes()
        asthma = release.count_item == release.sensitive_items.index("illness=asthma")
        total = release.count[asthma].sum()
        return 1 - (release.count[asthma] * share[release.count_group[asthma]]).sum() / total

    assert error("cahd") < 0.5 * error("anatomy")


def test_a_query_mixes_attributes_and_items():
    data = clinic()
    release = covey.anonymize(data, "degree(p=4)", seed=0)
    answer = release.estimate("illness=gout", present=["sex=f", "i1"], absent=["age=20"])
    assert answer.lower <= answer.estimate <= answer.upper
    found = evaluate(release, data, queries=20, known=2)
    assert found["persons"] == data.n
    assert covey.check(release, "degree(p=4)").holds


def test_an_infeasible_value_names_the_column_and_the_way_out():
    data = Records.of({"age": [1, 2, 3, 4], "ill": ["no", "no", "no", "flu"]}, [["a"]] * 4, sensitive=["ill"])
    with pytest.raises(Infeasible, match=r"'ill=no' is held by 3 of 4 persons.*leave it empty in the column 'ill'"):
        covey.anonymize(data, "degree(p=2)")
    spared = Records.of({"age": [1, 2, 3, 4], "ill": [None, None, None, "flu"]}, [["a"]] * 4, sensitive=["ill"])
    assert covey.anonymize(spared, "degree(p=4)").sensitive_items == ("ill=flu",)


@pytest.mark.parametrize(
    ("columns", "items"),
    [({"age": [1, 2]}, [["age=1"], []]), ({"a": ["x", "y"], "a=b": ["x", "y"]}, [["s"], []])],
    ids=["item", "column"],
)
def test_what_reads_like_a_value_is_refused(columns, items):
    with pytest.raises(InputError, match="reads like a value of the column"):
        Records.of(columns, items).as_baskets()
