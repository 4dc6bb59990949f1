"""Matched groups against their slow twin."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from covey.data.csr import transpose
from covey.methods.matched import counted_by
from covey.methods.matched.grouping import form_matched_groups, shares_in_groups, typicality
from oracles import matched as oracle
from strategies import baskets_of, transactions

pytestmark = pytest.mark.kernel


@given(
    transactions(max_rows=40),
    st.integers(2, 4),
    st.sampled_from([1, 3, 1000]),
    st.sampled_from([0.0, 0.5]),
    st.sampled_from([0.0, 0.5]),
    st.integers(0, 2**16),
)
def test_groups_are_those_of_the_plain_algorithm(data, p, reach, lengthy, alike, seed):
    rows, hidden = data
    held = {s: sum(s in h for h in hidden) for s in set().union(*hidden)}
    assume(held and set().union(*rows) and all(p * count <= len(rows) for count in held.values()))
    public, secret = baskets_of(rows, hidden).split()
    rng = np.random.default_rng(seed)
    # Quarters and halves: sums of them are exact, so that both twins see the same ties.
    odds = (rng.integers(-8, 8, (public.n, secret.d)) / 4).astype(np.float32)
    typical = (rng.integers(-8, 8, odds.shape) / 4).astype(np.float32)
    centres = rng.permutation([i for i, held in enumerate(hidden) if held])
    miss, foreign = 1 + rng.integers(0, 4, public.d) / 2, rng.integers(0, 4, public.d) / 4
    by_item, listed = transpose(public.indptr, public.indices, public.d)
    seen = rng.permutation(public.d)[: rng.integers(0, public.d + 1)]
    bit = np.full(public.d, -1)
    bit[seen] = np.arange(len(seen))
    group, number = form_matched_groups(
        public.csr,
        (np.append(by_item, by_item[-1] + public.n), np.concatenate([listed, np.arange(public.n, dtype=np.int32)])),
        secret.csr,
        transpose(*secret.csr, secret.d),
        centres,
        odds.T.copy(),
        typical.T.copy(),
        miss,
        foreign,
        bit,
        p,
        reach,
        lengthy,
        0.25,
        alike,
    )
    numbered = [list(map(int, public.indices[slice(*public.indptr[i : i + 2])])) for i in range(public.n)]
    made, left = oracle.groups(
        numbered,
        [{secret.items.index(s) for s in held} for held in hidden],
        centres.tolist(),
        odds.tolist(),
        typical.tolist(),
        miss.tolist(),
        foreign.tolist(),
        set(seen.tolist()),
        p,
        reach,
        lengthy,
        0.25,
        alike,
    )
    assert [sorted(np.flatnonzero(group == g).tolist()) for g in range(number)] == [sorted(g) for g in made]
    assert set(np.flatnonzero(group < 0).tolist()) == left


@given(transactions(max_rows=20), st.integers(1, 5), st.integers(0, 2**16))
def test_typical_is_who_has_its_like_in_the_groups(data, groups, seed):
    rows, hidden = data
    assume(set().union(*hidden) and set().union(*rows))
    public, secret = baskets_of(rows, hidden).split()
    group = np.random.default_rng(seed).integers(0, groups, public.n)
    counted = counted_by(group, groups, secret.indptr, secret.indices, secret.d)
    rows_of = public.csr, public.supports(), group, counted
    found = typicality(*rows_of, shares_in_groups(*rows_of, secret.d))
    told = oracle.typicality(rows, hidden, group.tolist(), secret.items)
    assert found == pytest.approx(np.array(told).T, abs=1e-4)
