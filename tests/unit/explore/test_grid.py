"""A grid of trials is what single calls measure, can be continued, and recommends with a reason."""

import json

import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import InputError, OutputError, ParameterError

PEOPLE = covey.Table.of(
    {
        "age": [20 + 3 * (n * n % 17) for n in range(60)],
        "city": ["abcd"[n % 4] for n in range(60)],
        "job": ["xyz"[n // 5 % 3] for n in range(60)],
    }
)
BASKETS = covey.Baskets.of(
    [["ab"[n % 2], "cd"[n // 2 % 2], *(["s"] if n % 10 == 0 else [])] for n in range(60)], sensitive=["s"]
)


def test_rows_are_what_single_calls_measure():
    found = covey.explore(PEOPLE, "k-anonymity(k=3)", ["mondrian", "hilbert"], strengths=[2, 6], seeds=2, seed=4)
    assert len(found) == 2 * 2 * 2
    for row in found.itertuples():
        release = covey.anonymize(PEOPLE, row.guarantee, row.method, seed=row.seed)
        assert row.kept == pytest.approx(1 - covey.evaluate(release, PEOPLE)["gcp"])
        attacks = covey.attack(release, PEOPLE, seed=row.seed).to_frame().set_index("attack")
        assert row.right == attacks.loc[row.attack, "right"]
        assert row.against_claim == pytest.approx(row.right / row.claim)
    assert json.loads(json.dumps(found.attrs)) == found.attrs
    assert [point["seeds"] for point in found.attrs["points"]] == [2] * 4


def test_all_methods_are_tried_unless_some_are_named():
    found = covey.explore(BASKETS, ["degree(p=2)", "degree(p=4)"])
    able = {entry.name for entry in covey.methods(guarantee="degree", data="baskets")}
    assert set(found["method"]) == able
    assert set(found["guarantee"]) == {"degree(p=2)", "degree(p=4)"}


def test_several_datasets_are_recommended_for_apart():
    found = covey.explore({"a": PEOPLE, "b": PEOPLE}, "k-anonymity(k=2)", "mondrian")
    assert found.groupby("data")["recommended"].sum().to_dict() == {"a": 1, "b": 1}
    assert "a: Only mondrian" in found.attrs["why"]


def test_other_processes_find_the_same():
    asked = {"strengths": [2, 4], "seed": 1}
    alone = covey.explore(PEOPLE, "k-anonymity(k=2)", ["mondrian"], **asked)
    several = covey.explore(PEOPLE, "k-anonymity(k=2)", ["mondrian"], jobs=2, **asked)
    assert several.drop(columns="cpu_seconds").equals(alone.drop(columns="cpu_seconds"))


def test_a_stopped_exploration_continues(tmp_path):
    def stop(stage, done):
        if stage == "comparing" and done >= 0.5:
            raise KeyboardInterrupt

    asked = {"strengths": [2, 3, 4, 5], "output": tmp_path / "tried"}
    with pytest.raises(KeyboardInterrupt):
        covey.explore(PEOPLE, "k-anonymity(k=2)", ["mondrian"], progress=stop, **asked)
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "tried" / "cells").iterdir()}
    assert len(kept) == 2
    found = covey.explore(PEOPLE, "k-anonymity(k=2)", ["mondrian"], **asked)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    written = pq.read_table(tmp_path / "tried" / "results.parquet").to_pandas()
    assert written.drop(columns="problem").equals(found.drop(columns="problem"))
    assert (tmp_path / "tried" / "plots" / "data.svg").read_text().count("<path") > 5
    again = covey.explore(PEOPLE, "k-anonymity(k=2)", ["mondrian"], **asked)
    assert again.equals(found)


def test_noise_without_a_seed_of_its_own_can_be_tried():
    found = covey.explore(BASKETS, "label-dp(epsilon=1)")
    assert found["problem"].isna().all()
    assert found["kept"].notna().all()


def test_other_data_is_measured_again(tmp_path):
    covey.explore(PEOPLE, "k-anonymity(k=2)", ["mondrian"], output=tmp_path / "tried")
    covey.explore(covey.Table.of({"age": [1, 2, 3, 4]}), "k-anonymity(k=2)", ["mondrian"], output=tmp_path / "tried")
    assert len(list((tmp_path / "tried" / "cells").iterdir())) == 2


def test_foreign_results_are_not_replaced(tmp_path):
    (tmp_path / "results.csv").write_text("mine")
    with pytest.raises(OutputError, match="no exploration wrote it"):
        covey.explore(PEOPLE, "k-anonymity(k=2)", ["mondrian"], output=tmp_path)


def test_infeasible_strengths_are_left_out_with_the_reason():
    found = covey.explore(BASKETS, "degree(p=5)", ["cahd"], strengths=[5, 20])
    assert found["problem"].isna().tolist() == [True, False]
    assert "largest feasible p is 10" in found["problem"][1]
    assert not found["recommended"][1]


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"guarantee": "degree(p=5)", "strengths": [1]}, "p"),
        ({"guarantee": "degree(p=5)", "method": ["mondrian"]}, "does not keep"),
        ({"guarantee": []}, "at least one guarantee"),
        ({"guarantee": "degree(p=5)", "seeds": 0}, "seeds"),
        ({"guarantee": "degree(p=5)", "audit": 0.5}, "audit"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, says):
    with pytest.raises(ParameterError, match=says):
        covey.explore(BASKETS, **asked)


@pytest.fixture
def people(tmp_path):
    rows = "\n".join(f"{20 + n * n % 17},{'abc'[n % 3]}" for n in range(30))
    (tmp_path / "people.csv").write_text(f"age,city\n{rows}\n")
    return tmp_path / "people.csv"


def test_the_command_prints_a_table_files_and_json(people, tmp_path, covey_cli):
    asked = ["explore", people, "-g", "k-anonymity(k=2)", "--strengths", "2,4", "--kind", "table", "-j", "1"]
    code, shown, errors = covey_cli(*asked, "-m", "mondrian", "-m", "hilbert", "--seeds", "3", "-o", tmp_path / "out")
    assert code == 0, errors
    assert "k-anonymity(k=4)" in " ".join(shown.split())
    assert shown.startswith("→ ")
    assert str(tmp_path / "out" / "plots") in shown
    code, shown, _ = covey_cli(*asked, "--json")
    body = json.loads(shown)
    assert (body["parameter"], body["measure"]["share"]) == ("k", True)
    assert {point["strength"] for point in body["points"]} == {2, 4}
    code, _, errors = covey_cli(*asked[:-4], "--strengths", "many")
    assert code == 2
    code, _, errors = covey_cli("explore", tmp_path / "none.csv", "-g", "k-anonymity(k=2)", "--kind", "table")
    assert (code, "none.csv" in errors) == (2, True)


def test_nothing_feasible_is_exit_code_1(people, covey_cli):
    code, shown, _ = covey_cli("explore", people, "-g", "k-anonymity(k=99)", "--kind", "table", "-j", "1")
    assert code == 1
    assert "largest feasible k is 30" in " ".join(shown.split())


def test_compare_is_answered_with_explore(covey_cli):
    code, _, errors = covey_cli("compare", "experiment.toml", "-o", "out")
    assert code == 2
    assert "covey explore" in errors


def test_unreadable_data_is_an_input_error(tmp_path):
    with pytest.raises(InputError):
        covey.explore(tmp_path / "none.csv", "degree(p=2)", sensitive="s")
