import numpy as np
import pytest

from covey import Baskets
from covey.compare.sources import draw_sensitive
from covey.errors import Infeasible, ParameterError


@pytest.fixture
def baskets():
    return Baskets.of([["common", f"item{i:02}"] for i in range(40)])


def test_only_items_within_the_share_are_drawn(baskets):
    for seed in range(20):
        drawn = draw_sensitive(baskets, random=5, seed=seed).sensitive_items()
        assert len(drawn) == 5
        assert "common" not in drawn


def test_the_seed_decides_and_old_marks_are_dropped(baskets):
    marked = baskets.with_sensitive(["common"])
    first = draw_sensitive(marked, random=3, seed=1)
    assert first == draw_sensitive(baskets, random=3, seed=1)
    assert not np.array_equal(first.sensitive, draw_sensitive(baskets, random=3, seed=2).sensitive)


def test_too_many_say_how_many_there_are(baskets):
    with pytest.raises(Infeasible) as caught:
        draw_sensitive(baskets, random=41)
    assert caught.value.best == 40
    with pytest.raises(Infeasible):
        draw_sensitive(baskets, random=1, least=2)
    with pytest.raises(ParameterError):
        draw_sensitive(baskets, random=0)
