from pathlib import Path

import pytest

from covey.compare.cells import expand
from covey.compare.config import read_comparison
from covey.errors import InputError

ROOT = Path(__file__).parents[3]

GOOD = """
title = "small"
seeds = [3, 4]
[data.q]
generate = "quest(transactions=100, items=20, seed=1)"
sensitive = { random = 2 }
[experiment.a]
methods = ["cahd(alpha={alpha})"]
guarantee = "degree(p={p})"
metrics = ["kl(r=2)"]
vary = { p = [2, 4], alpha = 3 }
"""


def read(tmp_path, text):
    path = tmp_path / "c.toml"
    path.write_text(text, encoding="utf-8")
    return read_comparison(path)


def test_a_good_file_is_read(tmp_path):
    comparison = read(tmp_path, GOOD)
    experiment = comparison.experiments[0]
    assert comparison.title == "small"
    assert experiment.seeds == (3, 4)
    assert experiment.vary == {"p": (2, 4), "alpha": (3,)}
    assert experiment.plot.x == "p"
    assert experiment.plot.lines == ("method",)
    assert experiment.data == ("q",)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("title = ", "titel = ", "no key 'titel'. Did you mean 'title'?"),
        ('methods = ["cahd', 'method = ["cahd', "no key 'method'. Did you mean 'methods'?"),
        ("{alpha}", "{beta}", "no variable 'beta'"),
        ("transactions=100", "transactions={n}", "no variable 'n'"),
        ('metrics = ["kl(r=2)"]', "", "exactly one of metrics and picture"),
        ('guarantee = "degree(p={p})"', "", "methods and guarantee go together"),
        ("seeds = [3, 4]", "seeds = [3, 3]", "list of distinct seeds"),
        ("vary = { p = [2, 4]", "vary = { p = []", "'vary.p' must be"),
        ("vary = { p = [2, 4]", "vary = { seed = 1, p = [2, 4]", "'seed' cannot be the name"),
        ("[experiment.a]", "[experiment.a]\ndata = ['z']", "no data set 'z'"),
        ("[experiment.a]", "[experiment.a]\nbaseline = 'z'", "no method 'z'"),
        ("[experiment.a]", "[experiment.a", "not valid TOML"),
    ],
)
def test_mistakes_are_named_with_their_place(tmp_path, old, new, said):
    assert old in GOOD
    with pytest.raises(InputError) as caught:
        read(tmp_path, GOOD.replace(old, new, 1))
    assert said in str(caught.value)
    assert "c.toml" in str(caught.value)


def test_an_experiment_may_vary_what_is_generated(tmp_path):
    text = GOOD.replace("transactions=100", "transactions={n}").replace("alpha = 3 }", "alpha = 3, n = [50, 80] }")
    jobs, cells = expand(read(tmp_path, text))
    assert {job.data.generate for job in jobs} == {f"quest(transactions={n}, items=20, seed=1)" for n in (50, 80)}
    assert len({cell.job for cell in cells}) == len(cells) == 8


def test_paths_are_relative_to_the_file_and_may_use_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("SOMEWHERE", str(tmp_path / "else"))
    text = """
    [data.a]
    path = "a.dat"
    [data.b]
    path = "${SOMEWHERE}/b.dat"
    [experiment.x]
    metrics = ["items"]
    """
    data = read(tmp_path, text).data
    assert data["a"].path == str((tmp_path / "a.dat").resolve())
    assert data["b"].path == str((tmp_path / "else" / "b.dat").resolve())


@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("*.toml")), ids=lambda p: p.name)
def test_the_experiments_of_the_repository_are_valid(path, monkeypatch, tmp_path):
    monkeypatch.setenv("COVEY_DATA", str(tmp_path))
    assert read_comparison(path).experiments
