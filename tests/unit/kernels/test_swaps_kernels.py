"""Exchanges between groups: what is gained is what the slow twin says, and counts and sizes stay."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from covey.kernels.methods.swaps import sweep, told_by_groups
from covey.kernels.shared.csr import transpose
from oracles import swaps as oracle
from strategies import baskets_of, examples, transactions

pytestmark = pytest.mark.kernel


@examples(25)
@given(transactions(max_rows=30), st.integers(1, 4), st.integers(0, 2**16))
def test_the_gain_is_what_the_deviance_falls_by(data, groups, seed):
    rows, hidden = data
    assume(set().union(*hidden) and set().union(*rows))
    public, secret = baskets_of(rows, hidden).split()
    rng = np.random.default_rng(seed)
    group, alike = rng.integers(0, groups, public.n), rng.integers(0, 2, public.n)
    cells, count = np.unique(np.repeat(group, secret.lengths()) * secret.d + secret.indices, return_counts=True)
    home, shared = np.divmod(cells, secret.d)
    shares = (
        np.searchsorted(home, np.arange(groups + 1)),
        shared.astype(np.int32),
        count / np.bincount(group, minlength=groups)[home],
    )
    level = rng.integers(0, 3, (secret.d, public.n))
    aim = np.hstack([(secret.to_scipy().T @ public.to_scipy()).toarray(), rng.integers(0, 5, (secret.d, 3))]).astype(
        float
    )
    has, weight = (public.indptr, public.indices, (public.d + level).astype(np.int32)), 0.5 + rng.random(aim.shape)
    guess = np.zeros(aim.shape)
    told_by_groups(group, *shares, *has, guess)
    plain = secret.lengths() == 0
    holders = np.flatnonzero(~plain)[np.argsort(group[~plain], kind="stable")]
    ends = np.searchsorted(group[holders], np.arange(groups + 1))
    by_item = transpose(*has[:2], public.d)
    after = group.copy()
    who = np.flatnonzero(plain), plain, alike, after, ends, holders.astype(np.int32), *by_item
    moved, gone = sweep(*who, 8, rng, *shares, *has, aim, guess, weight)

    told = np.zeros(aim.shape)
    told_by_groups(after, *shares, *has, told)
    assert guess == pytest.approx(told)
    numbered = [set(public.indices[slice(*public.indptr[i : i + 2])].tolist()) for i in range(public.n)]
    held = [set(secret.indices[slice(*secret.indptr[i : i + 2])].tolist()) for i in range(public.n)]
    levels = (public.d + level).tolist()
    before, later = (oracle.deviance(numbered, levels, held, g.tolist(), aim, weight) for g in (group, after))
    assert before - later == pytest.approx(gone, abs=1e-6)
    assert (gone > 0) == (moved > 0)
    assert np.array_equal(after[~plain], group[~plain])
    for number in range(2):
        assert np.array_equal(
            np.bincount(after[alike == number], minlength=groups), np.bincount(group[alike == number], minlength=groups)
        )
