"""Table 1(a) of Sun et al. 2010 and what docs/papers.md says of it."""

import numpy as np
import pytest

from covey.data import Ratings
from covey.guarantees.k_eps_l import KEpsL
from covey.verify.k_eps_l import examine
from covey.verify.neighbourhoods import ALGORITHMS

TABLE = [[6, 1, None, 6], [1, 6, None, 1], [2, 5, None, 1], [1, None, 5, 1], [2, None, 6, 5]]


@pytest.fixture
def table():
    return Ratings.of(
        TABLE,
        issues=["issue 1", "issue 2", "issue 3", "issue 4"],
        sensitive=["issue 4"],
        scale="1:6",
        users=["t1", "t2", "t3", "t4", "t5"],
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_groups_and_deviations(table, algorithm):
    answer = examine(KEpsL(2, 1, 2), table, algorithm=algorithm)
    assert answer.size.tolist() == [1, 2, 2, 2, 2]
    assert answer.deviation.tolist() == [0, 0, 0, 2, 2]
    assert [answer.users[i] for i in np.flatnonzero(answer.breaks_k)] == ["t1"]
    assert [answer.users[i] for i in np.flatnonzero(answer.breaks_l)] == ["t1", "t2", "t3"]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_without_the_first_record(table, algorithm):
    rest = table.take(np.arange(1, 5))
    assert examine(KEpsL(2, 1), rest, algorithm=algorithm).holds
    assert examine(KEpsL(2, 1, 0), rest, algorithm=algorithm).holds
    for least in (1e-3, 0.5, 2):
        answer = examine(KEpsL(2, 1, least), rest, algorithm=algorithm)
        assert answer.violators().tolist() == [0, 1]
    assert examine(KEpsL(2, 1, 2), rest.take(np.array([2, 3])), algorithm=algorithm).holds
