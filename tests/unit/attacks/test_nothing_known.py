"""Releases in which nothing ordinary is left: whoever looks somebody up knows nothing, and picks at random."""

import numpy as np
import pytest

import covey
from covey.attacks.ratings import linkage
from covey.data.postings import postings

SURVEY = [[1, 2], [1, 5], [6, 3]]


def test_a_survey_without_ordinary_ratings():
    survey = covey.Ratings.of(SURVEY, issues=["x", "y"], scale="1:6", sensitive=["y"])
    release = covey.anonymize(survey, "k-eps-l(k=2, epsilon=1, l=1)", seed=0)
    assert not release.ratings.only(~release.ratings.sensitive).entries
    result = linkage(release, survey)
    assert result.success_rate == pytest.approx(1 / 3)
    assert result.details["by_known"] == [{"known": 0, "risk": 1 / 3, "unique": 0.0, "targets": 3, "eligible": 3}]


def test_sets_of_nothing_are_not_looked_up():
    with pytest.raises(ValueError, match="no items"):
        postings(covey.Baskets.of([["a"], ["b"]])).containing(np.empty((3, 0), np.int32))
