"""The generator of viewers keeps the shape it is asked for."""

import pytest

from covey.errors import ParameterError
from covey.synth import viewers


def test_the_shape_is_as_asked():
    made = viewers(people=5_000, titles=300, mean_length=9, longest=120, tastes=5, seed=4)
    lengths = made.lengths()
    assert (made.n, made.d) == (5_000, 300)
    assert (lengths.min(), lengths.max()) == (1, 120)
    assert lengths.mean() == pytest.approx(9, rel=0.02)


def test_the_seed_makes_the_data():
    shape = {"people": 300, "titles": 50, "mean_length": 5, "longest": 20}
    assert viewers(**shape, seed=1) == viewers(**shape, seed=1)
    assert viewers(**shape, seed=1) != viewers(**shape, seed=2)


def test_one_person_may_have_seen_everything():
    made = viewers(people=40, titles=30, mean_length=4, longest=30, seed=2)
    assert made.lengths().max() == 30


@pytest.mark.parametrize(
    "wrong",
    [{"people": 0}, {"longest": 5_000}, {"mean_length": 0.5}, {"focus": 2}, {"tastes": 0}, {"seed": -1}],
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError):
        viewers(**wrong)
