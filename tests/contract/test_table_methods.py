"""What every method for tables owes beyond the common contract."""

import pytest

import covey
from contract.originals import INSTANCES, original
from covey.registry import METHODS
from oracles import tables as oracle

PAIRS = [(m, text) for m in METHODS if m.data == "table" for g in m.guarantees for text in INSTANCES[g]]


def label(pair):
    return f"{pair[0].name}-{pair[1]}"


@pytest.mark.parametrize("pair", PAIRS, ids=label)
def test_classes_are_large_enough_by_plain_counting(pair):
    entry, text = pair
    frame = covey.anonymize(original(entry, text), text, entry.name).to_frame(library="arrow").to_pylist()
    assert oracle.smallest_class([(r["age"], r["place"], r["sex"]) for r in frame]) >= covey.guarantee(text).k


@pytest.mark.parametrize("pair", PAIRS, ids=label)
def test_the_smallest_tables(pair):
    entry, text = pair
    k = covey.guarantee(text).k
    for illness in (["flu", "cold"] * k, ["flu"] * k + ["cold"] * k):
        data = covey.Table.of({"age": [30] * (2 * k), "illness": illness}, sensitive=["illness"])
        assert covey.anonymize(data, text, entry.name).n == 2 * k
    data = covey.Table.of({"age": [None] * k, "illness": (["flu", "cold"] * k)[:k]}, sensitive=["illness"])
    if "frequency" not in text:
        assert covey.anonymize(data, text, entry.name).distinct_rows() == [("",)]


@pytest.mark.parametrize("name", sorted({m.name for m, _ in PAIRS}))
def test_too_few_rows_are_refused(name):
    with pytest.raises(covey.Infeasible, match="largest feasible k is 3"):
        covey.anonymize(covey.Table.of({"age": [1, 2, 3]}), "k-anonymity(k=4)", name)


def test_data_of_the_wrong_kind_is_refused():
    baskets = covey.Baskets.of([["a"], ["a"]])
    with pytest.raises(covey.CoveyError, match="read as baskets, but `mondrian` needs a table"):
        covey.anonymize(baskets, "k-anonymity(k=2)", "mondrian")


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("mondrian", {"relaxed": "maybe"}, "must be true or false"),
        ("pattern-ka", {"choices": 2**53}, "at most"),
        ("pattern-ka", {"choices": 0}, "integer >= 1"),
        ("hilbert", {"seed": -1}, "integer >= 0"),
    ],
)
def test_bad_options(method, options, message):
    with pytest.raises(covey.CoveyError, match=message):
        covey.method(method, data="table", **options)
