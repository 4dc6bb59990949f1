"""Suppression on real ratings; apart from the kernel tests, which also run without the JIT."""

from covey import anonymize
from covey.guarantees.k_eps_l import KEpsL
from covey.io.ratings.reading import read_ratings


def test_movielens_keeps_the_guarantee_afterwards(data_dir):
    data = read_ratings(data_dir / "movielens-100k.csv.gz", sensitive="1")
    promise = KEpsL(5, 1, 1)
    assert not promise.examine(data).holds
    release = anonymize(data, promise, seed=0)
    assert promise.check(release).holds
    assert promise.examine(release.ratings, algorithm="pairwise").holds
    assert release.kept > 0.03
