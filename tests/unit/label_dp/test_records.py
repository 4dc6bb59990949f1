"""label-dp for records: attributes exact, sensitive columns and items by noisy sums."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.measure.attacks.model import ModelStudy, log_ratios
from covey.release.manifest import file_digest
from covey.release.store import save, seal
from oracles import label_dp as oracle
from unit.label_dp.test_mechanism import exact, published, released, vectors


def patients(n=400):
    rng = np.random.default_rng(4)
    ages = rng.integers(20, 24, n)
    illness = [
        "flu" if rng.random() < 0.2 + 0.3 * (age == 20) else "cold" if rng.random() < 0.5 else None for age in ages
    ]
    items = [
        [f"i{j}" for j in rng.integers(0, 9, rng.integers(0, 5))] + ["test"] * (rng.random() < 0.2) for _ in range(n)
    ]
    columns = {"age": ages.tolist(), "sex": rng.choice(["f", "m"], n).tolist(), "illness": illness}
    return covey.Records.of(columns, [sorted(set(row)) for row in items], sensitive=["illness", "test"])


@pytest.fixture(scope="module")
def data():
    return patients()


def test_published_and_verified_with_the_original(data, tmp_path):
    publication = covey.publish(data, tmp_path / "out", "label-dp(epsilon=1)")
    release = covey.read_release(tmp_path / "out")
    assert release.sensitive_items == ("illness=cold", "illness=flu", "test")
    assert publication.manifest.facts["sensitive_columns"] == ["illness"]
    assert [column.name for column in release.attributes.columns] == ["age", "sex"]
    verdict = covey.verify(tmp_path / "out", data)
    assert verdict.holds
    assert "false alarm rate" in verdict.checks[-1].detail
    other = covey.Records.of({"age": [20] * 400, "sex": ["f"] * 400, "illness": ["flu"] * 400}, [["i1", "test"]] * 400)
    assert not covey.verify(tmp_path / "out", other.with_sensitive(["illness", "test"])).holds


def test_sensitive_values_are_only_in_the_models(data, tmp_path):
    covey.publish(data, tmp_path / "out", "label-dp(epsilon=1)")
    for path in (tmp_path / "out").glob("*.parquet"):
        if path.name != "models.parquet":
            assert "flu" not in str(pq.read_table(path).to_pydict())


def test_sums_are_those_of_the_oracle(data, monkeypatch):
    exact(monkeypatch)
    release = released(data, 2)
    order = np.random.default_rng([3, 1]).permutation(data.n)
    for number, label in enumerate(release.sensitive_items):
        added, (values, _) = vectors(release, number), published(release, number)
        rows = [row for row, of in enumerate(order) if label in data.as_baskets().basket(of)]
        true = oracle.sums_of(added[row] for row in rows)
        assert values == {key: true.get(key, 0) for key in values}


def test_values_that_differ_from_the_table_are_found(data, tmp_path):
    release = released(data)
    out = tmp_path / "out"
    out.mkdir()
    manifest = save(release, out)
    path = out / "transactions.parquet"
    table = pq.read_table(path)
    swapped = [["sex=m" if item == "sex=f" else item for item in row] for row in table["items"].to_pylist()]
    pq.write_table(table.set_column(table.column_names.index("items"), "items", pa.array(swapped)), path)
    seal(out, replace(manifest, files={**manifest.files, path.name: file_digest(path)}), release.named_columns())
    assert not covey.verify(out).holds


def test_queries_evaluation_and_attacks_take_values_as_items(data):
    release = covey.anonymize(data, "label-dp(epsilon=4)")
    answer = release.estimate("illness=flu", present=["age=20"])
    whole = data.as_baskets()
    truth = sum({"illness=flu", "age=20"} <= set(whole.basket(row)) for row in range(whole.n))
    assert abs(answer.estimate - truth) <= 3 * answer.standard_error
    assert answer.matching == sum("age=20" in whole.basket(row) for row in range(whole.n))
    assert covey.evaluate(release, data)["kl"]["support"]["mean"] >= 0
    assert {one.attack for one in covey.attack(release, data).results} == {"half known", "all others known", "grey"}
    study = ModelStudy(release, data)
    assert max(np.abs(log_ratios(study, one)).max() for one in study.each()) <= 4


def test_cap_counts_items_and_values_of_a_person_together(data):
    release = covey.anonymize(data, "label-dp(epsilon=1, cap=1)")
    assert release.facts()["epsilon_item"] == 2
    assert release.facts()["epsilon_all"] == 2
