import json

import pytest


@pytest.fixture
def survey(tmp_path):
    rows = ["user,a,b,s"]
    rows += [f"u{i},{1 + i % 2},{2 + i % 2},{1 + i % 5}" for i in range(30)]
    rows.append("odd,5,,3")
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_no_with_everything_that_goes_with_it(survey, covey_cli, tmp_path):
    who, picture = tmp_path / "who.csv", tmp_path / "curve.png"
    arguments = ("check", survey, "-g", "k-eps-l(k=5, epsilon=1, l=1)", "-s", "s", "--scale", "1:5")
    code, text, _ = covey_cli(*arguments, "--violators", who, "--plot", picture)
    assert code == 1
    assert "The data does not keep k-eps-l(k=5, epsilon=1, l=1)." in text
    assert "k = 1, l = 0" in text
    assert who.read_text().splitlines()[1].startswith("odd,k+l,1,0")
    assert picture.stat().st_size > 1000
    code, text, _ = covey_cli(*arguments, "--json")
    body = json.loads(text)
    assert body["holds"] is False
    assert body["figures"]["break_k"] == 1
    assert body["curve"][-1] == {"epsilon": 5.0, "k": 31}


def test_a_yes(survey, covey_cli):
    for algorithm in ("auto", "slicing", "pairwise"):
        code, text, _ = covey_cli("check", survey, "-g", "k-eps-l(k=1, epsilon=1)", "--algorithm", algorithm)
        assert code == 0
        assert "The data keeps k-eps-l(k=1, epsilon=1)." in text


def test_first(survey, covey_cli):
    code, text, _ = covey_cli("check", survey, "-g", "k-eps-l(k=5, epsilon=1)", "--first", "--json")
    assert code == 1
    assert "curve" not in json.loads(text)
    assert json.loads(text)["figures"]["complete"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-g", "k-eps-l(k=5, epsilon=1, l=1)"], "no issue is named as sensitive"),
        (["-g", "k-eps-l(k=5, epsilon=-1)"], "epsilon"),
        (["-g", "k-eps-l(k=5, epsilon=1)", "--scale", "1:3"], "not on the scale"),
        (["-g", "k-eps-l(k=5, epsilon=1)", "--algorithm", "magic"], "algorithm"),
        (["-g", "degree(p=2)"], "cannot tell which column"),
    ],
)
def test_bad_usage(survey, covey_cli, arguments, message):
    code, _, errors = covey_cli("check", survey, *arguments)
    assert code == 2
    assert message in " ".join(errors.split())


def test_more_than_there_are(survey, covey_cli):
    code, _, errors = covey_cli("check", survey, "-g", "k-eps-l(k=50, epsilon=1)")
    assert code == 1
    assert "largest feasible k is 31" in " ".join(errors.split())


def test_from_a_no_to_a_release(survey, covey_cli, tmp_path):
    out = tmp_path / "out"
    code, text, errors = covey_cli(
        "anonymize",
        survey,
        "-o",
        out,
        "-g",
        "k-eps-l(k=5, epsilon=1, l=1)",
        "-s",
        "s",
        "--scale",
        "1:5",
        "--csv",
    )
    assert code == 0, errors
    assert "of the ratings" in text
    code, text, _ = covey_cli("verify", out, "--original", survey)
    assert code == 0, text
    code, text, _ = covey_cli(
        "check", out / "ratings.csv", "-g", "k-eps-l(k=5, epsilon=1, l=1)", "-s", "s", "--scale", "1:5"
    )
    assert code == 0, text
