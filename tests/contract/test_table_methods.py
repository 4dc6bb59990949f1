"""What every method for tables owes, run over the registry."""

import numpy as np
import pytest

import covey
from covey.registry import METHODS
from oracles import tables as oracle

INSTANCES = {
    "k-anonymity": ["k-anonymity(k=4)"],
    "l-diversity": ["l-diversity(l=2, k=3)", "l-diversity(l=2, k=3, kind=frequency)"],
}
PAIRS = [(m, text) for m in METHODS if m.data == "table" for g in m.guarantees for text in INSTANCES[g]]


def label(pair):
    return f"{pair[0].name}-{pair[1]}"


def people():
    rng = np.random.default_rng(3)
    n = 211
    tree = covey.Hierarchy.from_paths(
        [[f"{r}{i}", r, "*"] for r in ("north", "south") for i in range(3)] + [["abroad", "*"]]
    )
    place = rng.choice(list(tree.labels[: tree.leaves]), n)
    age = rng.normal(40, 15, n).round().tolist()
    return covey.Table.of(
        {
            "age": [None if rng.random() < 0.1 else a for a in age],
            "place": place.tolist(),
            "sex": [None if rng.random() < 0.05 else s for s in rng.choice(["f", "m"], n)],
            "illness": rng.choice(["flu", "cold", "none"], n, p=[0.3, 0.3, 0.4]).tolist(),
            "note": [f"n{i % 7}" for i in range(n)],
        },
        sensitive=["illness"],
        other=["note"],
        hierarchies={"place": tree},
    )


@pytest.mark.parametrize("pair", PAIRS, ids=label)
@pytest.mark.parametrize("csv", [False, True], ids=["parquet", "csv"])
def test_written_releases_verify_against_the_original(pair, csv, tmp_path):
    entry, text = pair
    data = people()
    published = covey.publish(data, tmp_path / "out", text, entry.name, csv=csv)
    assert published.manifest.kind == entry.release
    verdict = covey.verify(tmp_path / "out", data)
    assert verdict.holds, verdict.failures()
    frame = covey.read_release(tmp_path / "out").to_frame(library="arrow").to_pylist()
    assert oracle.smallest_class([(r["age"], r["place"], r["sex"]) for r in frame]) >= covey.guarantee(text).k


@pytest.mark.parametrize("pair", PAIRS, ids=label)
def test_same_seed_same_release_and_input_untouched(pair):
    entry, text = pair
    data = people()
    before = [column.codes.copy() for column in data.columns]
    first = covey.anonymize(data, text, entry.name, seed=11)
    again = covey.anonymize(data, text, entry.name, seed=11)
    for one, other in zip(first.columns, again.columns, strict=True):
        assert one.labels == other.labels
        assert (one.codes == other.codes).all()
    for column, then in zip(data.columns, before, strict=True):
        assert (column.codes == then).all()


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
    with pytest.raises(
        covey.CoveyError, match="takes data of the kind table for k-anonymity; this is baskets"
    ):
        covey.anonymize(baskets, "k-anonymity(k=2)", "mondrian")


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("mondrian", {"relaxed": "maybe"}, "must be true or false"),
        ("hilbert", {"bits": 33}, "integer <= 32"),
        ("pattern-ka", {"buckets": 0}, "integer >= 1"),
        ("hilbert", {"seed": -1}, "integer >= 0"),
    ],
)
def test_bad_options(method, options, message):
    with pytest.raises(covey.CoveyError, match=message):
        covey.method(method, **options)
