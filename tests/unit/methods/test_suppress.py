import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.data import Ratings
from covey.errors import Infeasible, ParameterError
from covey.guarantees.k_eps_l import KEpsL
from covey.methods.suppress import Suppress
from covey.synth.survey import survey
from covey.verify import check_release
from covey.verify.k_eps_l import examine
from oracles import ratings as oracle
from strategies import examples

pytestmark = pytest.mark.kernel

ISSUES = ["a", "b", "c", "s"]
CELL = st.one_of(st.none(), st.integers(1, 5))


def published(release):
    data = release.ratings
    return [[data.record(row).get(issue) for issue in ISSUES] for row in range(data.n)]


@examples(60)
@given(
    st.lists(st.lists(CELL, min_size=4, max_size=4), min_size=1, max_size=14),
    st.integers(1, 4),
    st.sampled_from([0, 1, 2, 5]),
    st.sampled_from([None, 0, 0.5, 1]),
    st.sampled_from(["zero", "omit"]),
    st.sampled_from([0, 2]),
)
def test_what_is_published_keeps_the_definition(records, k, epsilon, l, nulls, leave_out):  # noqa: E741
    k = min(k, len(records))
    data = Ratings.of(records, issues=ISSUES, sensitive=["s"], scale="1:5")
    promise = KEpsL(k, epsilon, l, nulls)
    try:
        release = Suppress(seed=1, leave_out=leave_out).anonymize(data, promise)
    except Infeasible:
        assert l
        assert oracle.lowest_variance(records, range(len(records)), [3], nulls) < l * l
        return
    rows = published(release)
    broken = oracle.violators(rows, range(3), [3], k, epsilon, l, 5, nulls)
    assert not any(broken)
    assert len(rows) + release.suppressed_records == len(records)
    assert l or release.suppressed_records <= leave_out
    # Nothing is invented: every published record is part of an original one, its sensitive rating untouched.
    for row in rows:
        assert any(
            row[3] == record[3] and all(v is None or v == w for v, w in zip(row, record, strict=True))
            for record in records
        )


def test_data_that_holds_is_published_whole():
    data = survey(respondents=400, issues=4, profiles=2, noise=0.1, seed=3)
    promise = KEpsL(2, 1)
    kept = data.take(np.flatnonzero(examine(promise, data).size >= 2))
    release = Suppress(seed=0).anonymize(kept, promise)
    assert release.kept == 1.0
    assert release.suppressed_ratings == 0


def test_only_the_exposed_pay():
    data = Ratings.of([[1, 1]] * 20 + [[5, 5], [5, 1], [3, 3]], issues=["a", "b"], scale="1:5")
    release = Suppress(seed=0).anonymize(data, KEpsL(3, 0))
    assert release.suppressed_ratings <= 6
    assert check_release(KEpsL(3, 0), release).holds


def test_hiding_a_few_at_once_loses_less_than_clustering_all():
    data, promise = survey(respondents=1000, issues=8, profiles=12, seed=2), KEpsL(40, 1)
    release = Suppress(seed=1).anonymize(data, promise)
    assert check_release(promise, release).holds
    assert release.suppressed_records == 0
    assert release.suppressed_ratings < 0.09 * data.entries  # clustering all takes 47 %


def test_respondents_may_be_left_out_where_that_keeps_more():
    data, promise = survey(respondents=1000, issues=8, profiles=12, seed=0), KEpsL(35, 1)
    whole, fewer = (Suppress(seed=1, leave_out=most).anonymize(data, promise) for most in (0, 5))
    assert check_release(promise, fewer).holds
    assert whole.suppressed_records == 0 < fewer.suppressed_records <= 5
    assert fewer.ratings.entries > whole.ratings.entries
    assert fewer.suppressed_ratings == 0


def test_records_go_last():
    # The sensitive ratings spread too little even over everybody, unless some of the many 3s go.
    data = Ratings.of([[1, 3]] * 30 + [[1, 1]] * 5 + [[1, 5]] * 5, issues=["a", "s"], sensitive=["s"], scale="1:5")
    release = Suppress(seed=0).anonymize(data, KEpsL(5, 1, 1.5))
    assert 0 < release.suppressed_records < 30
    assert check_release(KEpsL(5, 1, 1.5), release).holds
    with pytest.raises(Infeasible, match="l = 1 can be kept"):
        Suppress(seed=0).anonymize(data, KEpsL(20, 1, 1.9))


def test_bad_requests():
    with pytest.raises(ParameterError, match="seed"):
        Suppress(seed=-1)
    assert Suppress(seed=1).options() == {"leave_out": 0, "round": None, "rounds": 8, "tries": 512}
