"""PatternKa on Adult loses less than its rivals, as the paper claims (section 5.1)."""

import pytest

import covey
from covey.measure.loss import gcp_table

CATEGORIES = ("workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


@pytest.mark.parametrize("k", [2, 10, 100])
def test_less_loss_than_mondrian_and_hilbert(data_dir, k):
    folder = data_dir / "adult"
    trees = {c: folder / "hierarchies-arx" / f"adult_hierarchy_{c}.csv" for c in CATEGORIES}
    data = covey.read_table(folder / "adult-30162.csv.gz", quasi=["age", *CATEGORIES, "income"], hierarchies=trees)
    losses = {
        name: gcp_table(covey.anonymize(data, f"k-anonymity(k={k})", name, seed=0), data).gcp
        for name in ("pattern-ka", "mondrian", "hilbert")
    }
    assert losses["pattern-ka"] < 0.7 * min(losses["mondrian"], losses["hilbert"])


@pytest.mark.parametrize("folder", ["hierarchies-arx", "hierarchies-txt"])
def test_both_collections_of_hierarchies_are_read(data_dir, folder):
    data = covey.read_table(
        data_dir / "adult" / "adult-30162.csv.gz",
        quasi="age,workclass,race,sex",
        hierarchies=data_dir / "adult" / folder,
    )
    assert data.n == 30_162
    assert data.column("age").numeric
    assert data.column("workclass").hierarchy.leaves >= 7
