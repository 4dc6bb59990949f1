"""Comparisons of data in which persons have several rows."""

import warnings

import pytest

import covey
from covey.compare.run import run_comparison
from covey.compare.table import result_rows
from covey.errors import UnnamedPersons

CONFIG = """
[data.visits]
path = "visits.csv"
sensitive = ["s"]
{read}
[experiment.made]
methods = ["matched"]
guarantee = "degree(p=3)"
metrics = ["kept", "reidentification(known=2)"]
[experiment.data]
metrics = ["reidentification(known=2)"]
"""


@pytest.fixture
def compared(tmp_path):
    """What a comparison found, and what it warned of, by how the file says the data are read."""
    lines = [
        f"{i},{i % 20},{item}"
        for i in range(80)
        for item in [f"a{i % 7}", f"b{i % 11}", f"c{i % 3}", *(["s"] if i % 20 < 3 else [])]
    ]
    (tmp_path / "visits.csv").write_text("\n".join(["visit,customer,item", *lines]) + "\n")

    def run(read: str):
        config = tmp_path / "config.toml"
        config.write_text(CONFIG.format(read=read))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            outcome = run_comparison(config, tmp_path / "out", jobs=1)
        return outcome, [str(one.message) for one in told if isinstance(one.message, UnnamedPersons)]

    run.data = tmp_path / "visits.csv"
    return run


def test_risk_is_that_of_persons_where_they_are_named(compared):
    outcome, told = compared('read = { person = "customer" }')
    assert not told
    found = {
        (row["experiment"], row["metric"]): row["value"]
        for row in outcome.rows
        if row["seed"] == outcome.rows[0]["seed"]
    }
    want = covey.inspect(compared.data, sensitive="s", person="customer", known=2)["risk"][1]["risk"]
    rows = covey.inspect(compared.data, sensitive="s", row_is_person=True, known=2)["risk"][1]["risk"]
    # Ordinary items are published as they are, so persons are found as in the original; rows are found otherwise.
    assert abs(want - rows) > 0.05
    assert found["made", "reidentification"] == pytest.approx(want, abs=0.02)
    assert found["data", "reidentification"] == pytest.approx(want, abs=0.02)


def test_what_is_kept_of_groups_is_called_a_distortion(compared, covey_cli, tmp_path):
    outcome, _ = compared("read = { row_is_person = true }")
    assert {row["metric"] for row in outcome.summary} == {"distortion", "reidentification"}
    code, text, errors = covey_cli("compare", tmp_path / "config.toml", "-o", tmp_path / "out", "-j", "1")
    assert code == 0, errors
    assert "distortion: " in text
    assert "less is better" in " ".join(text.split())
    assert "matched    kept" not in text


def test_several_processes_warn_as_one_does(compared, covey_cli, tmp_path):
    _, told = compared("")
    asked = ("compare", tmp_path / "config.toml", "-o", tmp_path / "again", "-j", "2")
    code, _, errors = covey_cli(*asked)
    assert code == 0, errors
    said = " ".join(errors.split())
    assert said.count(f"covey: {told[0]}") == 1
    assert "UserWarning" not in said
    assert "warn(" not in said


def test_a_distortion_that_could_not_be_measured_is_called_one_too():
    class Cells:
        def get(self, job):
            details = [{"share": False}]
            return {"kept": {"value": 0.1, "details": details} if job == "1" else {"value": None, "problem": "no"}}

    from types import SimpleNamespace

    cells = [
        SimpleNamespace(experiment="e", data="d", method=method, guarantee="g", variables={}, seed=0,
                        metric="kept", measure="kept", job=job)
        for method, job in (("m", "1"), ("m", "2"), ("other", "2"))
    ]  # fmt: skip
    assert [row["metric"] for row in result_rows(cells, Cells())] == ["distortion", "distortion", "kept"]
