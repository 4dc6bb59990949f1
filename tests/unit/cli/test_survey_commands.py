"""Surveys that are generated are read back as they were."""

import json

import covey
from covey.synth import survey


def test_a_generated_survey_reads_back(covey_cli, tmp_path):
    path = tmp_path / "survey.csv"
    code, _, errors = covey_cli(
        "generate", "survey", "-o", path, "-n", 200, "--profiles", 4, "--answered", 0.9, "--seed", 1
    )
    assert code == 0, errors
    made = survey(respondents=200, issues=8, profiles=4, answered=0.9, seed=1)
    read = covey.read_ratings(path, scale="1:6", sensitive=tmp_path / "survey.sensitive.txt")
    assert read == made


def test_generating_as_json_and_refusing_other_formats(covey_cli, tmp_path):
    code, text, _ = covey_cli("generate", "survey", "-o", tmp_path / "s.csv.gz", "-n", 5, "-d", 3, "--json")
    assert code == 0
    body = json.loads(text)
    assert (body["respondents"], body["issues"], body["ratings"], body["scale"]) == (5, 3, 15, "1:6")
    assert covey.read_ratings(tmp_path / "s.csv.gz", scale="1:6").n == 5
    code, _, errors = covey_cli("generate", "survey", "-o", tmp_path / "other.dat")
    assert code == 2
    assert "End it in .csv" in " ".join(errors.split())
    assert (tmp_path / "s.sensitive.txt").read_text() == "issue 3\n"
    code, _, errors = covey_cli("generate", "survey", "-o", tmp_path / "t.csv", "--noise", 2)
    assert code == 2


def test_respondents_without_ratings_are_kept(covey_cli, tmp_path):
    path = tmp_path / "sparse.csv"
    assert covey_cli("generate", "survey", "-o", path, "-n", 50, "--answered", 0.1, "--seed", 2)[0] == 0
    data = covey.read_ratings(path, scale="1:6")
    assert data.n == 50
    assert (data.lengths() == 0).any()
