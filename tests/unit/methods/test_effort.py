"""Searches that are too large: announced, ended, and said to be cut short."""

import numpy as np
import pytest

import covey
from covey.errors import LargeSearch, ParameterError
from covey.methods import aa, hghs, mm
from covey.methods.aa import AA
from covey.methods.effort import STEPS, Effort, OutOfTurn, announce
from covey.methods.hghs import HgHs
from covey.methods.mhghs import MHgHs
from covey.methods.mm import MM
from covey.methods.tree_view import TreeView
from covey.threads import VARIABLE

PROMISE = "km-anonymity(k=5, m=4)"


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    return covey.Baskets.of([[str(item) for item in rng.choice(40, 12, replace=False)] for _ in range(300)])


def test_large_searches_are_announced_with_what_would_help():
    with pytest.warns(
        LargeSearch, match=r"of up to 30 items hold 1.1e\+11 sets of up to 10.*A smaller m helps"
    ) as told:
        announce(np.full(2000, 30), 10)
    assert told[0].message.longest == 30
    with pytest.warns(LargeSearch, match="of up to 200,000 items"):
        announce(np.array([200_000, 3]), 2)
    announce(np.full(2000, 30), 3)  # nothing to say


def test_what_a_search_takes_grows_and_ends_it(data):
    view, told = TreeView.of(data, None), []
    effort = Effort(20_000, lambda _, done: told.append(done))
    found, cut_short, _ = MHgHs().search(view, data, 5, 4, effort)
    assert effort.used_up
    assert cut_short
    assert told == sorted(told)
    assert len(told) > 3
    whole = Effort(60 * STEPS)
    better, *_ = MHgHs().search(view, data, 5, 4, whole)
    assert not whole.used_up
    assert better.cost <= found.cost


@pytest.mark.parametrize("steps", [2_000, 20_000, 200_000, 2_000_000, 20_000_000])
def test_steps_end_at_the_same_place_for_any_number_of_threads(data, steps, monkeypatch):
    ends = []
    for number in ("1", "2"):
        monkeypatch.setenv(VARIABLE, number)
        effort = Effort(steps)
        found, cut_short, _ = MHgHs().search(TreeView.of(data, None), data, 5, 4, effort)
        ends.append((found.cost, found.label_of().tolist(), cut_short, effort.used_up, effort.allowance()))
    assert ends[0] == ends[1]


def test_what_was_begun_ahead_must_leave_enough():
    effort = Effort(1_000)
    first = effort.ahead()
    first.leave(first.allowance() - 60)
    effort.settle(first)
    assert effort.allowance() == 100
    second = effort.ahead()
    for _ in range(8):
        effort.leave(0)
    second.leave(second.allowance() - 50)  # of the 140 that are left
    with pytest.raises(OutOfTurn):
        effort.settle(second)


def test_a_release_that_was_cut_short_holds(data):
    release = covey.anonymize(data, PROMISE, "mhghs", seed=0, effort=1)
    assert covey.check(release, PROMISE).holds


def test_hghs_ends_with_its_effort_and_says_so(data, monkeypatch):
    monkeypatch.setattr(hghs, "STEPS", 20_000)
    told = []
    method = HgHs(effort=1)
    release = method.anonymize(data, covey.guarantee(PROMISE), progress=lambda stage, done: told.append((stage, done)))
    assert release.notes == ("effort",)
    searching = [done for stage, done in told if stage == "generalizing"]
    assert searching == sorted(searching)
    assert len(searching) > 1
    assert covey.check(release, PROMISE).holds
    assert HgHs(effort=10_000).anonymize(data, covey.guarantee(PROMISE)).notes == ()


def test_mm_takes_moles_by_size_when_all_at_once_take_too_long_and_gives_up_with_a_remedy(data, monkeypatch):
    monkeypatch.setattr(mm, "STEPS", 10_000)
    taken, last = {}, None
    for effort in (1, 100, 1_000_000):
        try:
            taken[effort] = MM(effort=effort).anonymize(data, covey.guarantee(PROMISE))
        except ParameterError as error:
            last = str(error)
    assert taken[1_000_000].notes == ()
    assert taken[100].notes == ("effort",)
    assert covey.check(taken[100], PROMISE).holds
    assert "cannot all be found within the effort of mm. Lower the set size of the guarantee (now 4)" in last
    assert 1 not in taken


def test_aa_gives_up_when_its_effort_is_used_up_and_names_the_m_that_can_be_had(data, monkeypatch):
    monkeypatch.setattr(aa, "STEPS", 10_000)
    with pytest.raises(ParameterError, match=r"effort is used up. Lower m of the guarantee to \d, or use mhghs"):
        AA(effort=1).anonymize(data, covey.guarantee(PROMISE))
    assert AA(effort=1_000_000).anonymize(data, covey.guarantee(PROMISE)).notes == ()
