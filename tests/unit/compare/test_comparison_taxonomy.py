"""Comparisons along a taxonomy: where it comes from, who gets it, and what happens when it changes."""

import pytest

import covey
from covey.compare.cells import expand
from covey.compare.config import read_comparison
from covey.compare.run import run_comparison
from covey.errors import InputError

TREE = "item,level2,level1\n" + "".join(f"n{i},g{i // 3},h{i // 9}\n" for i in range(27))
EXPERIMENT = """
[experiment.x]
methods = ["mhghs", "lg"]
guarantee = "km-anonymity(k=3, m=2)"
metrics = ["ncp", "lm", "frequent(share=0.1)"]
"""
DATA = """
seeds = 1
[data.d]
generate = "queries(transactions=150, mean_length=3, seed=1)"
taxonomy = "${COVEY_TREES}/tree.csv"
"""


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setenv("COVEY_TREES", str(tmp_path))
    (tmp_path / "tree.csv").write_text(TREE, encoding="utf-8")

    def write(data=DATA, experiment=EXPERIMENT):
        path = tmp_path / "c.toml"
        path.write_text(data + experiment, encoding="utf-8")
        return path

    return write


def values(outcome):
    return {(row["method"], row["metric"]): row["value"] for row in outcome.rows}


def test_methods_and_metrics_get_the_taxonomy(write, tmp_path):
    found = values(run_comparison(write(), tmp_path / "out", jobs=1))
    tree = covey.read_taxonomy(tmp_path / "tree.csv")
    from covey.measure.lm import ncp
    from covey.synth.queries import queries

    data = queries(tree, transactions=150, mean_length=3, seed=1)
    for method in ("mhghs", "lg"):
        release = covey.anonymize(data, "km-anonymity(k=3, m=2)", method, taxonomy=tree, seed=1)
        assert found[method, "ncp"] == pytest.approx(ncp(release, data, tree))
        assert found[method, "lm"] == pytest.approx(data.entries * found[method, "ncp"])
        assert 0 < found[method, "frequent"] <= 1


def test_a_changed_taxonomy_is_measured_again(write, tmp_path):
    first = run_comparison(write(), tmp_path / "out", jobs=1)
    again = run_comparison(write(), tmp_path / "out", jobs=1)
    assert again.reused == again.jobs == 2
    (tmp_path / "tree.csv").write_text(TREE.replace(",g8,h2", ",g0,h0"), encoding="utf-8")
    changed = run_comparison(write(), tmp_path / "out", jobs=1)
    assert changed.reused == 0
    assert values(changed) != values(first)


def test_how_the_taxonomy_is_read_is_part_of_the_key(write, tmp_path):
    pairs = "child,parent\na,x\nb,x\nc,y\na,y\nd,y\n"
    (tmp_path / "pairs.csv").write_text(pairs, encoding="utf-8")
    table = '{ path = "pairs.csv", second_parent = "first" }'
    data = DATA.replace('"${COVEY_TREES}/tree.csv"', table)
    plain = DATA.replace("${COVEY_TREES}/tree.csv", "pairs.csv")
    keys = [{job.key for job in expand(read_comparison(write(text)))[0]} for text in (data, plain)]
    assert not keys[0] & keys[1]
    assert run_comparison(write(data), tmp_path / "out", jobs=1).jobs == 2
    with pytest.raises(InputError, match="second parent"):
        run_comparison(write(plain), tmp_path / "out", jobs=1)


def test_data_that_bring_their_own(write, tmp_path):
    data = 'seeds = 1\n[data.d]\ngenerate = "shop(transactions=200, seed=1)"\ntaxonomy = "own"\n'
    found = values(run_comparison(write(data), tmp_path / "out", jobs=1))
    assert 0 < found["mhghs", "ncp"] < 1


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"${COVEY_TREES}/tree.csv"', '"own"', "has no taxonomy of its own"),
        ("tree.csv", "absent.csv", "the taxonomy of 'd' cannot be read"),
        ("${COVEY_TREES}", "${COVEY_NOWHERE}", "COVEY_NOWHERE is not set"),
        ('taxonomy = "${COVEY_TREES}/tree.csv"', "", "draws from a taxonomy, and there is none"),
        ("queries(transactions=150", "queries(taxonomy=3", "no parameter 'taxonomy'"),
    ],
)
def test_what_cannot_be_is_refused(write, tmp_path, old, new, said):
    assert old in DATA
    with pytest.raises(InputError, match=said):
        run_comparison(write(DATA.replace(old, new)), tmp_path / "out", jobs=1)
