"""The worked example of the CAHD paper: Fig. 1 and Fig. 2, p = 2."""

import math

import numpy as np
import pytest

import covey
from covey.measure.kl import Workload, answer
from covey.measure.study import Study
from covey.verify import check_release
from releases import group_members

BOB = DAVID = ["meat", "wine"]
ELLEN = ["cream", "meat", "wine"]
ANDREA = ["meat", "strawberries"]
CLAIRE = ["cream", "strawberries"]


@pytest.fixture
def release(fig1):
    return covey.anonymize(fig1, "degree(p=2)", "cahd")


def test_groups_of_figure_1(release):
    groups = sorted(sorted(group_members(release, g)) for g in range(release.groups))
    assert groups == sorted([sorted([BOB, DAVID, ELLEN]), sorted([ANDREA, CLAIRE])])


def test_degrees_are_3_and_2(release):
    sizes = release.group_sizes()[release.count_group]
    assert sorted((sizes / release.count).tolist()) == [2, 3]
    assert check_release(covey.guarantee("degree(p=2)"), release).figures["degree"] == 2
    assert not check_release(covey.guarantee("degree(p=3)"), release).holds


def test_reconstruction_of_figure_2(release, fig1):
    assert release.estimate("pregnancy test", present=["cream"], absent=["meat"]).estimate == 0.5
    assert release.estimate("pregnancy test", present=["meat"], absent=["cream"]).estimate == 0.5
    items = [release.transactions.items.index(name) for name in ("cream", "meat")]
    secret = release.sensitive_items.index("pregnancy test")
    asked = Workload(sensitive=np.array([secret]), items=np.array([items]))
    assert answer(Study(release, fig1), asked)[0].mean == pytest.approx(math.log(2), rel=1e-12)
