"""People who were together stay together, and the promise is kept all the same."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import covey
from covey.guarantees import guarantee
from covey.methods.keeping import filled_up, keep_company
from covey.registry import method, methods
from releases import few

people = st.lists(st.tuples(st.sets(st.sampled_from("st")), st.integers(-1, 2)), min_size=4, max_size=24)


def with_groups(rows):
    data = covey.Baskets.of([[*held, f"i{i % 5}"] for i, (held, _) in enumerate(rows)], sensitive=[])
    named = [s for s in "st" if s in data.items]
    return data.with_sensitive(named), np.array([before for _, before in rows])


@few
@given(people, st.integers(2, 3))
def test_every_block_keeps_the_degree(rows, p):
    data, before = with_groups(rows)
    secret = data.only(data.sensitive)
    assume(all(p * often <= data.n for often in secret.supports()))
    block = filled_up(
        np.unique(before, return_inverse=True)[1].reshape(-1), secret, p, before, np.random.default_rng(0)
    )
    for one in np.unique(block):
        members = np.flatnonzero(block == one)
        assert all(p * often <= len(members) for often in secret.take(members).supports())
    moved = np.array([block[i] != block[j] for i in range(data.n) for j in range(i) if before[i] == before[j]])
    short = [g for g in set(before.tolist()) if any(p * x > (before == g).sum() for x in held_in(secret, before == g))]
    # Nobody moves unless some group needs to be filled up.
    assert short or not moved.any()


def held_in(secret, mask):
    return secret.take(np.flatnonzero(mask)).supports().tolist()


@pytest.mark.parametrize("name", [entry.name for entry in methods(guarantee="degree")])
def test_new_groups_lie_within_earlier_ones_with_every_method(name):
    rng = np.random.default_rng(0)
    rows = [{f"i{j}" for j in rng.integers(0, 30, 4)} | ({"s"} if i % 12 == 0 else set()) for i in range(360)]
    data = covey.Baskets.of(rows, sensitive=["s"])
    before = np.arange(360) // 60 - 1
    promise, chosen = guarantee("degree(p=4)"), method(name, seed=0)
    made = keep_company(lambda some: chosen.groups(some, promise, lambda *_: None), data, promise, before, [0])
    for g in range(made.number):
        assert len(set(before[made.group == g].tolist())) == 1
    assert np.bincount(made.group).min() >= 4
    release = chosen.anonymize(data, promise, before=before)
    assert covey.check(release, promise).holds
