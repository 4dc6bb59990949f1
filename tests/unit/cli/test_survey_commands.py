"""The path of a survey's owner: generate, check, anonymize, verify, evaluate, report."""

import json

import pytest

import covey


@pytest.fixture
def survey(covey_cli, tmp_path):
    path = tmp_path / "survey.csv"
    code, text, errors = covey_cli(
        "generate", "survey", "-o", path, "-n", 200, "--profiles", 4, "--answered", 0.9, "--seed", 1
    )
    assert code == 0, errors
    assert "200 respondents, 8 issues" in text
    return path


@pytest.fixture
def release(survey, covey_cli, tmp_path):
    code, _, errors = covey_cli(
        "anonymize", survey, "-o", tmp_path / "out", "-g", "k-eps-l(k=8, epsilon=1, l=1)",
        "-s", tmp_path / "survey.sensitive.txt", "--scale", "1:6", "--seed", 1,
    )  # fmt: skip
    assert code == 0, errors
    return tmp_path / "out"


def test_a_generated_survey_reads_back(survey, tmp_path):
    from covey.synth import survey as make

    made = make(respondents=200, issues=8, profiles=4, answered=0.9, seed=1)
    read = covey.read_ratings(survey, scale="1:6", sensitive=tmp_path / "survey.sensitive.txt")
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


def test_evaluating_a_release_of_ratings(survey, release, covey_cli):
    code, text, errors = covey_cli("evaluate", release, "--original", survey, "--json")
    assert code == 0, errors
    body = json.loads(text)
    published = covey.read_release(release)
    original = covey.read_ratings(survey, scale="1:6")
    assert body["kind"] == "ratings"
    assert body["ratings"] == published.ratings.entries < original.entries
    assert body["ratings_kept"] == published.ratings.entries / original.entries
    assert body["records_kept"] == 1.0
    code, text, _ = covey_cli("evaluate", release, "--original", survey)
    assert code == 0
    assert "100.0 %  Records that are published" in text
    assert f"{100 * body['ratings_kept']:.1f} %  Ratings that are published" in text


@pytest.mark.parametrize("with_original", [False, True])
def test_reporting_a_release_of_ratings(survey, release, covey_cli, tmp_path, with_original):
    page = tmp_path / "page.html"
    extra = ("--original", survey) if with_original else ()
    code, _, errors = covey_cli("report", release, "-o", page, *extra)
    assert code == 0, errors
    text = page.read_text(encoding="utf-8")
    assert "close to those of at least 7 others, and they do not all rate what is sensitive alike" in text
    assert "a missing rating counting as one step below the scale" in text
    assert "published ratings" in text
    assert "sensitive = issue 8" in text
    assert ("Ratings that are published" in text) == with_original
    assert ("each record fits a different respondent" in text) == with_original
