"""Work on several cores gives what one gives."""

import numpy as np
import pytest

import covey
from covey.data.postings import Postings
from covey.data.propensity import propensities
from covey.errors import ParameterError
from covey.threads import VARIABLE, side_by_side, threads


def test_figures_are_the_same_for_any_number(monkeypatch):
    rng = np.random.default_rng(0)
    rows = [[str(i) for i in np.flatnonzero(rng.random(30) < 0.2)] for _ in range(400)]
    public, secret = covey.Baskets.of(rows, sensitive=["3", "7"]).split()
    sets = rng.integers(0, public.d, (3_000, 3)).astype(np.int32)
    found = []
    for number in ("1", "3"):
        monkeypatch.setenv(VARIABLE, number)
        looked_up = Postings.of_rows(public.indptr, public.indices, public.d).containing(sets)
        found.append((looked_up, propensities(public, secret)))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_pieces_come_back_in_order_and_errors_come_out(monkeypatch):
    monkeypatch.setenv(VARIABLE, "4")
    assert side_by_side(lambda x: x * x, range(50)) == [x * x for x in range(50)]
    with pytest.raises(ZeroDivisionError):
        side_by_side(lambda x: 1 // x, [1, 0])


@pytest.mark.parametrize("wrong", ["0", "-1", "two"])
def test_a_wrong_number_is_refused(monkeypatch, wrong):
    monkeypatch.setenv(VARIABLE, wrong)
    with pytest.raises(ParameterError, match="COVEY_THREADS must be a whole number from 1"):
        threads()
