"""`check` proposes rounding, epsilon and leaving out sparse issues together, with what each keeps."""

import json

import numpy as np
import pytest

import covey
from covey.explore import survey
from covey.explore.survey import ways


@pytest.fixture(scope="module")
def jokes():
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(150):
        taste = rng.normal(0, 4)
        often = {f"often {n}": taste + rng.normal(0, 2) for n in range(4)}
        rarely = {f"rarely {n}": taste + rng.normal(0, 4) for n in range(20) if rng.random() < 0.2}
        rows.append({name: float(np.clip(round(value, 2), -10, 10)) for name, value in (often | rarely).items()})
    return covey.Ratings.of(rows, scale="-10:10:continuous")


def test_each_way_keeps_what_it_says(jokes):
    found = ways(jokes, covey.guarantee("k-eps-l(k=5, epsilon=1)"))
    for way in found[:3]:
        supports = np.bincount(jokes.indices, minlength=jokes.d)
        part = jokes.only(supports >= way.rated_by * jokes.n)
        options = {"round": way.round} if way.round is not None else {}
        release = covey.anonymize(part, f"k-eps-l(k=5, epsilon={way.epsilon:g})", seed=0, **options)
        assert release.ratings.entries / jokes.entries == pytest.approx(way.of_all)
    exact = next(way for way in found if way.round is None and not way.rated_by)
    assert found[0].of_all > 3 * exact.of_all
    few = max((way for way in found if way.rated_by), key=lambda way: way.ratings)
    assert (few.issues, few.ratings > 0.9) == (4, True)


def test_check_prints_the_ways_where_the_guarantee_fails(jokes, tmp_path, covey_cli):
    asked = ["check", jokes.save(tmp_path / "jokes.covey")]
    code, shown, errors = covey_cli(*asked, "-g", "k-eps-l(k=5, epsilon=1)")
    assert code == 1, errors
    assert "keeps 100 % of the records" in " ".join(shown.split())
    body = json.loads(covey_cli(*asked, "-g", "k-eps-l(k=5, epsilon=1)", "--json")[1])
    assert body["ways"][0]["text"] in " ".join(shown.split())


def test_too_many_ratings_are_not_tried(jokes, monkeypatch):
    monkeypatch.setattr(survey, "ENOUGH", 10)
    assert ways(jokes, covey.guarantee("k-eps-l(k=5, epsilon=1)")) == []
