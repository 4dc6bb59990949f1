"""Merged normal form: no estimate changes, and it is checked from the files alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.registry import method
from covey.release.base import Statement
from covey.release.grouping import grouped, merged
from covey.verify import check_release
from releases import cases, few
from strategies import baskets_of

pytestmark = pytest.mark.kernel


@few
@given(cases(), st.sets(st.sampled_from(["i0", "i1", "i2", "i3"]), max_size=2))
def test_no_estimate_changes(case, present):
    data, _, _, release, _ = case
    apart = covey.anonymize(data, release.guarantee, release.method, seed=1, merge=False)
    as_one = covey.anonymize(data, release.guarantee, release.method, seed=1, merge=True)
    assert as_one.groups <= apart.groups
    present &= set(apart.transactions.items)
    for s in apart.sensitive_items:
        before, after = (one.estimate(s, present=present) for one in (apart, as_one))
        assert after.estimate == pytest.approx(before.estimate, abs=1e-12)
        # What is certain becomes no more than it was.
        assert after.lower <= before.lower
        assert after.upper >= before.upper


@given(st.lists(st.tuples(st.integers(0, 6), st.sets(st.sampled_from("st"))), min_size=1, max_size=24))
def test_groups_are_merged_until_no_two_look_alike(members):
    _, group = np.unique([g for g, _ in members], return_inverse=True)
    hidden = [set(h) for _, h in members]
    data = baskets_of([{"a"}] * len(members), hidden)
    number, left = merged(group, int(group.max()) + 1, data.only(data.sensitive))

    def look(rows):
        own = [hidden[i] for i in rows]
        return len(own), tuple(sorted((s, sum(s in h for h in own)) for s in set().union(*own)))

    groups = {frozenset(np.flatnonzero(group == g).tolist()) for g in set(group.tolist())}
    while len(groups) > len({look(rows) for rows in groups}):
        alike = {}
        for rows in groups:
            alike.setdefault(look(rows), set()).update(rows)
        groups = {frozenset(rows) for rows in alike.values()}
    assert {frozenset(np.flatnonzero(number == g).tolist()) for g in range(left)} == groups


def twins(merge):
    data = covey.Baskets.of([["a", "s"], ["a"], ["b", "s"], ["b"]], sensitive=["s"])
    options = {**method("cahd").options(), "merge": merge}
    made = Statement(guarantee="degree(p=2)", method="cahd", options=options)
    return grouped(data, np.array([0, 0, 1, 1]), 2, made=made, seed=0)


def test_a_release_that_claims_it_must_have_it(tmp_path):
    from covey.release.store import save

    for name in ("claims", "honest"):
        (tmp_path / name).mkdir()
    save(twins(merge=True), tmp_path / "claims", csv=True)
    failed = [check.name for check in covey.verify(tmp_path / "claims").failures()]
    assert failed == ["groups of equal size and counts are merged"]
    save(twins(merge=False), tmp_path / "honest", csv=True)
    assert covey.verify(tmp_path / "honest").holds


def test_the_check_names_the_two_groups():
    check = check_release(covey.guarantee("degree(p=2)"), twins(merge=True)).failures()[0]
    assert check.detail == "groups 0 and 1 have equal sizes and counts, so they must be merged"
