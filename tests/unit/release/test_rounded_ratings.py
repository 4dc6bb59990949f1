"""Ratings that are published on a coarser scale: what is stated, what is checked, and what it is good for."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Ratings, Scale
from covey.errors import ParameterError
from covey.measure.uniqueness import before_and_after, uniqueness
from covey.verify import check_release, compare
from covey.verify.ratings_fidelity import rounded_levels
from forge.tools import Forged
from oracles import ratings as oracle
from strategies import examples

PROMISE = "k-eps-l(k=3, epsilon=1, l=0.2)"


@examples(40)
@given(st.sampled_from(["1:5", "1:6", "0.5:5:0.5", "-1:1:0.1", "0:100", "1:100"]), st.data())
def test_rounding_is_that_of_the_oracle(text, data):
    scale = Scale.parse(text)
    fitting = [step for step in (0.2, 0.3, 1, 2, 2.5, 10, 40) if scale.step < step <= (scale.high - scale.low) / 2]
    step = data.draw(st.sampled_from(fitting))
    values = scale.decode(np.arange(1, scale.levels + 1, dtype=np.int16))
    survey = Ratings.of([[value] for value in values], issues=["a"], scale=scale)
    found = survey.rounded(step)
    some = data.draw(st.permutations(range(found.n)))[:8]  # the oracle is slow
    expected = [oracle.rounded(f"{values[row]:.9g}", scale.low, scale.high, step) for row in some]
    assert [found.record(row)["a"] for row in some] == pytest.approx(expected)
    # The verifier works it out by itself.
    assert rounded_levels(scale, found.scale).tolist() == found.codes.tolist()


@pytest.fixture(scope="module")
def survey():
    rng = np.random.default_rng(4)
    rows = [[float(v) if v else None for v in row] for row in rng.integers(0, 11, (60, 4)) / 2]
    return Ratings.of(rows, issues=["a", "b", "c", "s"], sensitive=["s"], scale="0.5:5:0.5")


def test_the_promise_is_kept_by_what_is_published(survey):
    release = covey.anonymize(survey, PROMISE, seed=1, round=2)
    assert (release.ratings.scale.text, release.rounded_from.text) == ("2:4:2", "0.5:5:0.5")
    assert check_release(covey.guarantee(PROMISE), release).holds
    assert all(check.passed for check in compare(release, survey))
    rows = [[release.ratings.record(row).get(issue) for issue in "abcs"] for row in range(release.ratings.n)]
    assert {value for row in rows for value in row} <= {2, 4, None}
    assert not any(oracle.violators(rows, range(3), [3], 3, 1, "0.2", 4))


@pytest.mark.parametrize("csv", [False, True])
def test_it_is_stated_and_verified_from_files_and_with_the_original(survey, tmp_path, csv):
    published = covey.publish(survey, tmp_path / "r", PROMISE, seed=1, round=1, csv=csv)
    assert published.manifest.options["round"] == 1
    assert published.manifest.facts["rounded_from"] == "0.5:5:0.5"
    assert ", rounded from 0.5:5:0.5 to 1:5; " in str(published.cost)
    assert str(published.cost).endswith("% of the ratings lost.")
    verdict = covey.verify(tmp_path / "r", survey)
    assert verdict.holds
    grid = "every rating is on the scale 1:5, to which ratings on 0.5:5:0.5 are rounded"
    assert grid in [check.name for check in verdict.checks]


def test_ratings_that_were_not_rounded_so_are_refused_with_the_original(survey):
    release = covey.anonymize(survey, PROMISE, seed=1, round=1)
    other = survey.replaced(codes=np.minimum(survey.codes + 2, 10).astype(np.int16))
    assert not all(check.passed for check in compare(release, other))
    # One who says that ratings were rounded from another scale than they were.
    wrong = Ratings.of([survey.record(row) for row in range(survey.n)], scale="0:5:0.5", sensitive=["s"])
    assert not all(check.passed for check in compare(release, wrong))


@pytest.mark.parametrize(
    ("entry", "stated"),
    [
        ("facts", {"rounded_from": "0:5:0.5"}),
        ("facts", {"scale": "1:6"}),
        ("options", {"round": None}),
        ("options", {"round": 2}),
    ],
)
def test_a_manifest_that_states_another_rounding_is_refused(survey, tmp_path, entry, stated):
    covey.publish(survey, tmp_path / "r", PROMISE, seed=1, round=1)
    release = Forged(tmp_path / "r", survey)
    release.write_manifest({**release.manifest, entry: {**release.manifest[entry], **stated}})
    verdict = covey.verify(tmp_path / "r")
    assert not verdict.holds
    assert verdict.failures()[0].name == "the manifest has only permitted entries"


@pytest.mark.parametrize(
    ("step", "said"), [(0.5, "coarser scale only"), (4.9, "all be the same"), (1e9, "all be the same"), (-1, "> 0")]
)
def test_steps_that_make_no_coarser_scale(survey, step, said):
    with pytest.raises(ParameterError, match=re.escape(said)):
        covey.anonymize(survey, PROMISE, round=step)


@pytest.mark.parametrize("round", [None, 2])
def test_after_is_how_often_what_is_known_of_a_respondent_fits_one_published_record(round):
    survey = covey.synth.survey(respondents=60, issues=5, profiles=2, seed=3)
    release = covey.anonymize(survey, "k-eps-l(k=8, epsilon=1)", seed=0, round=round)
    coarse = (survey if round is None else survey.rounded(round)).split()[0]
    after = {one["known"]: one["share"] for one in before_and_after(release, survey)["after"]["singled_out"]}
    ordinary = release.ratings.split()[0]
    published = [ordinary.record(n) for n in range(release.ratings.n)]
    for known in (1, 2, 3):
        shares = []
        for n in range(coarse.n):
            sets = list(combinations(coarse.record(n).items(), known))
            alone = [sum(set(some) <= set(one.items()) for one in published) == 1 for some in sets]
            shares.append(sum(alone) / len(alone))
        assert after[known] == pytest.approx(sum(shares) / len(shares), abs=1e-9 if known == 1 else 0.03)


def test_uniqueness_counts_records_and_draws_ratings():
    ratings = Ratings.of([[1, 1], [1, 2], [1, 2]], issues=["a", "b"], scale="1:2")
    found = uniqueness(ratings)
    assert found["unique"] == pytest.approx(1 / 3)
    # Of one known rating only b = 1 singles out, of two only (1, 1); nobody has three.
    assert singled_out(found) == {1: pytest.approx(1 / 6), 2: pytest.approx(1 / 3, abs=0.05)}


def singled_out(figures):
    return {one["known"]: one["share"] for one in figures["singled_out"]}


def test_who_knows_more_ratings_of_the_same_people_singles_out_no_fewer():
    rng = np.random.default_rng(3)
    ratings = Ratings.of(rng.integers(1, 6, (300, 6)).tolist(), issues=list("abcdef"), scale="1:5")
    found = singled_out(uniqueness(ratings, (2, 3, 4)))
    assert found[2] <= found[3] <= found[4]
    assert singled_out(uniqueness(ratings, (2,)))[2] == found[2]  # whatever else is asked for
    few = Ratings.of([[1, 2, None], [1, 2, 3], [1, 1, 2]], issues=list("abc"), scale="1:5")
    assert singled_out(uniqueness(few, (2, 3)))[3] == 1  # drawn among those who have so many
