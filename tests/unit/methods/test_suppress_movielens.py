"""Suppression on real ratings; apart from the kernel tests, which also run without the JIT."""

from covey import anonymize
from covey.guarantees.k_eps_l import KEpsL
from covey.io.ratings import read_ratings
from covey.verify import check_release
from covey.verify.k_eps_l import examine


def test_movielens_keeps_the_guarantee_afterwards(data_dir):
    data = read_ratings(data_dir / "movielens-100k.csv.gz", sensitive="1")
    promise = KEpsL(5, 1, 1)
    assert not examine(promise, data).holds
    release = anonymize(data, promise, seed=0)
    assert check_release(promise, release).holds
    assert examine(promise, release.ratings, algorithm="pairwise").holds
    assert release.kept > 0.04
    assert not release.notes
