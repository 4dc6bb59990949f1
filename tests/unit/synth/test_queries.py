import numpy as np
import pytest

from covey.data import Taxonomy
from covey.errors import ParameterError
from covey.synth.queries import queries

TREE = Taxonomy.from_paths([[f"n{i:03d}", f"g{i // 10}"] for i in range(400)])


def test_shape_labels_and_repeatability():
    log = queries(TREE, transactions=3_000, mean_length=4, seed=1)
    assert log == queries(TREE, transactions=3_000, mean_length=4, seed=1)
    assert log != queries(TREE, transactions=3_000, mean_length=4, seed=2)
    assert log.n == 3_000
    assert log.lengths().min() >= 1
    assert log.entries / log.n == pytest.approx(4, rel=0.03)
    assert log.supports().min() >= 1
    assert len(TREE.bind(log.items)) == log.d
    assert not log.sensitive.any()


@pytest.mark.parametrize("exponent", [0.0, 0.7, 1.2])
def test_supports_follow_the_law(exponent):
    log = queries(TREE, transactions=60_000, mean_length=1, exponent=exponent, seed=5)
    expected = np.arange(1.0, 401) ** -exponent
    expected *= log.entries / expected.sum()
    found = np.sort(log.supports())[::-1]
    # Sorting finds more at the top than the law says, by chance alone: least where the law is steep.
    assert found[:40].sum() == pytest.approx(expected[:40].sum(), rel=0.2)
    assert found[:200].sum() == pytest.approx(expected[:200].sum(), rel=0.1)


def test_a_transaction_may_hold_all_nouns_and_steep_laws_end():
    few = Taxonomy.flat(["a", "b", "c"])
    assert queries(few, transactions=20, mean_length=3, seed=0).lengths().max() == 3
    steep = queries(TREE, transactions=5, mean_length=50, exponent=8, seed=0)
    assert 1 <= steep.lengths().max() < 50


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"transactions": 0}, "'transactions' parameter of queries"),
        ({"mean_length": 0.5}, "'mean_length' parameter of queries"),
        ({"mean_length": 401}, "'mean_length' parameter of queries"),
        ({"exponent": -1}, "'exponent' parameter of queries"),
        ({"seed": -1}, "'seed' parameter of queries"),
    ],
)
def test_bad_parameters(options, said):
    with pytest.raises(ParameterError, match=said):
        queries(TREE, **options)
    with pytest.raises(ParameterError, match="must be a Taxonomy"):
        queries({"a": "b"})
