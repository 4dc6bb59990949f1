"""Searches that are too large end after so much work, the same for every run, and are said to be cut short."""

import numpy as np
import pytest

import covey
from covey.errors import ParameterError
from covey.methods import work
from covey.methods.aa import AA
from covey.methods.mhghs import MHgHs
from covey.methods.mm import MM
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit
from covey.threads import VARIABLE

PROMISE = "km-anonymity(k=5, m=4)"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return covey.Baskets.of([[str(item) for item in rng.choice(40, 12, replace=False)] for _ in range(300)])


def test_searches_share_the_steps_and_each_takes_a_part_at_most(monkeypatch):
    monkeypatch.setattr(work, "STEPS", 1)
    told = []
    limit = WorkLimit(1_000, lambda _, done: told.append(done))
    assert limit.allowance() == 100
    limit.spend(60, complete=True)
    assert (limit.left, limit.hit) == (940, False)
    for _ in range(9):
        limit.spend(limit.allowance(), complete=False)
    assert (limit.allowance(), limit.hit) == (40, True)
    assert told == sorted(told)
    assert len(told) == 10


def test_more_work_finds_a_cheaper_cut(data, monkeypatch):
    monkeypatch.setattr(work, "STEPS", 20_000)
    view = TreeView.of(data, None)
    limits, wholes = (WorkLimit(1), WorkLimit(1)), (WorkLimit(10_000), WorkLimit(10_000))
    found, _ = MHgHs().search(view, data, 5, 4, *limits)
    better, _ = MHgHs().search(view, data, 5, 4, *wholes)
    assert all(limit.hit for limit in limits)
    assert not any(limit.hit for limit in wholes)
    assert better.cost <= found.cost


@pytest.mark.parametrize("steps", [2_000, 20_000, 200_000, 2_000_000, 20_000_000])
def test_searches_end_at_the_same_place_for_any_number_of_threads(data, steps, monkeypatch):
    monkeypatch.setattr(work, "STEPS", steps)
    ends = []
    for number in ("1", "2"):
        monkeypatch.setenv(VARIABLE, number)
        limits = WorkLimit(1), WorkLimit(1)
        found, _ = MHgHs().search(TreeView.of(data, None), data, 5, 4, *limits)
        ends.append((found.cost, found.label_of().tolist(), [(limit.hit, limit.left) for limit in limits]))
    assert ends[0] == ends[1]


def test_mm_takes_moles_by_size_when_all_at_once_are_too_many_and_gives_up_with_a_remedy(data, monkeypatch):
    monkeypatch.setattr(work, "STEPS", 10_000)
    taken, last = {}, None
    for number in (1, 100, 1_000_000):
        try:
            taken[number] = MM(work=number).anonymize(data, covey.guarantee(PROMISE))
        except ParameterError as error:
            last = str(error)
    assert taken[1_000_000].notes == ()
    assert taken[100].notes == ("work",)
    assert covey.check(taken[100], PROMISE).holds
    assert "cannot all be found within the work of mm. Lower the set size of the guarantee (now 4)" in last
    assert 1 not in taken


def test_aa_gives_up_when_its_work_is_used_up_and_names_the_m_that_can_be_had(data, monkeypatch):
    monkeypatch.setattr(work, "STEPS", 10_000)
    with pytest.raises(ParameterError, match=r"Lower m of the guarantee to \d, use mhghs, or allow aa more work"):
        AA(work=1).anonymize(data, covey.guarantee(PROMISE))
    assert AA(work=1_000_000).anonymize(data, covey.guarantee(PROMISE)).notes == ()
