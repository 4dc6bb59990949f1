"""`--method auto` takes the candidate that is attacked least among those that keep nearly most."""

import json

import pytest

import covey
from covey.errors import Infeasible, ParameterError
from covey.explore import auto
from covey.io import write


@pytest.fixture(scope="module")
def shop():
    return covey.synth.shop(transactions=1_500, seed=3).baskets


def test_auto_takes_the_least_attacked_of_those_that_keep_nearly_most(shop):
    release = covey.anonymize(shop, "degree(p=4)", "auto", seed=5)
    tried = covey.explore(shop, "degree(p=4)", seed=5)
    near = tried[tried["kept"] <= 1.1 * tried["kept"].min()]
    right = {point["method"]: point["risk"] for point in tried.attrs["points"]}
    best = min(near["method"], key=right.get)
    assert release.method == best
    again = covey.anonymize(shop, "degree(p=4)", best, seed=5)
    assert again.transactions.indices.tolist() == release.transactions.indices.tolist()


def test_the_command_says_what_was_compared(shop, tmp_path, covey_cli):
    write(shop, tmp_path / "sales.csv")
    (tmp_path / "s.txt").write_text("\n".join(shop.sensitive_items()) + "\n")
    asked = ["anonymize", tmp_path / "sales.csv", "-s", tmp_path / "s.txt", "-g", "degree(p=4)", "-m", "auto"]
    code, shown, errors = covey_cli(*asked, "-o", tmp_path / "out", "--seed", "1")
    assert code == 0, errors
    assert "auto compared 5 methods" in shown
    code, shown, _ = covey_cli(*asked, "-o", tmp_path / "again", "--seed", "1", "--json")
    body = json.loads(shown)
    assert sum(one["recommended"] for one in body["compared"]) == 1
    assert body["holds"]
    assert covey.verify(tmp_path / "again", shop).holds


def test_candidates_above_the_work_limit_are_named(shop, monkeypatch):
    monkeypatch.setattr(auto, "WORK", 2 * shop.entries)
    chosen = auto.Auto(seed=1)
    chosen.anonymize(shop, covey.guarantee("degree(p=4)"))
    assert [one["method"] for one in chosen.compared if one["problem"]] == ["perm-mondrian", "nearest", "anatomy"]


def test_auto_is_refused_where_it_cannot_work(shop, tmp_path):
    with pytest.raises(Infeasible, match="largest feasible p"):
        covey.anonymize(shop, "degree(p=1000)", "auto", seed=1)
    with pytest.raises(ParameterError, match="earlier release"):
        covey.publish(shop, tmp_path / "out", "degree(p=4)", "auto", like=tmp_path)
    with pytest.raises(ParameterError, match="engine local"):
        covey.publish(shop, tmp_path / "out", "degree(p=4)", "auto", engine="spark")
    with pytest.raises(ParameterError, match="options"):
        covey.anonymize(shop, "degree(p=4)", "auto", alpha=5)
