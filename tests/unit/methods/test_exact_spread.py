"""An l that the sensitive ratings attain exactly is kept: every tiny survey, by brute force in fractions."""

import math
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

import pytest

from covey.data import Ratings
from covey.errors import Infeasible
from covey.guarantees.k_eps_l import KEpsL
from covey.methods.suppress import Suppress
from covey.verify import check_release
from oracles import ratings as oracle

RATINGS = (1, 2, 3)

#: Every variance that up to four ratings can have.
VARIANCES = sorted(
    {oracle.variance(values, "omit") for n in range(1, 5) for values in combinations_with_replacement(RATINGS, n)}
)  # fmt: skip


def surveys(width, cells, sizes):
    records = list(product(cells, repeat=width))
    return [list(map(list, chosen)) for n in sizes for chosen in combinations_with_replacement(records, n)]


def feasible(records, secret, k, least, nulls):
    """Whether some k respondents spread far enough: a release of them alone, with nothing else, would do."""
    return any(
        oracle.lowest_variance(records, chosen, secret, nulls) >= least
        for size in range(k, len(records) + 1)
        for chosen in combinations(range(len(records)), size)
    )


def assert_released_iff_feasible(records, secret, k, least, nulls="zero", epsilon=1):
    issues = ["a", "b"][: len(records[0])]
    data = Ratings.of(records, issues=issues, sensitive=[issues[i] for i in secret], scale="1:3")
    promise = KEpsL(k, epsilon, math.sqrt(least), nulls)
    if not feasible(records, secret, k, least, nulls):
        with pytest.raises(Infeasible):
            Suppress(seed=0).anonymize(data, promise)
        return
    release = Suppress(seed=0).anonymize(data, promise)
    assert check_release(promise, release).holds
    published = release.ratings
    rows = [[published.record(i).get(issue) for issue in issues] for i in range(published.n)]
    others = [i for i in range(len(issues)) if i not in secret]
    assert rows
    for group in oracle.groups(rows, others, epsilon, 3):
        assert len(group) >= k
        assert oracle.lowest_variance(rows, group, secret, nulls) >= least


@pytest.mark.parametrize("respondents", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("nulls", ["zero", "omit"])
def test_one_sensitive_issue(nulls, respondents):
    for records in surveys(1, (*RATINGS, None), [respondents]):
        for k, least in product(range(1, len(records) + 1), VARIANCES):
            assert_released_iff_feasible(records, [0], k, least, nulls)


@pytest.mark.parametrize("respondents", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (3, 4))])
@pytest.mark.parametrize("secret", [[1], [0, 1]], ids=["beside an open one", "and another"])
def test_two_issues(secret, respondents):
    for records in surveys(2, RATINGS, [respondents]):
        for least in VARIANCES[1:]:
            assert_released_iff_feasible(records, secret, 2, least)


def test_some_of_these_l_are_not_floats():
    """Otherwise the test would not need its fractions."""
    assert any(Fraction(math.sqrt(v)) ** 2 > v for v in VARIANCES)
