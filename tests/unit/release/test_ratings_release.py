import numpy as np
import pytest

from covey.data import Ratings
from covey.release.base import Statement
from covey.release.ratings import rating_batches, ratings
from covey.release.store import load, save
from covey.verify import compare

PROMISE = "k-eps-l(k=2, epsilon=1)"
ONE_TO_ONE = "nothing was invented: each record has ratings of its own respondent, and all sensitive ones"


@pytest.fixture
def data():
    rng = np.random.default_rng(4)
    rows = [[int(v) if v else None for v in row] for row in rng.integers(0, 6, (40, 4))]
    rows[7] = [None] * 4
    return Ratings.of(rows, issues=["plain", 'with "quotes", commas', "ünï", "s"], sensitive=["s"], scale="1:5")


def whole(data, seed=0):
    keep = np.ones(data.entries, np.bool_)
    return ratings(data, np.arange(data.n), keep, made=Statement(guarantee=PROMISE, method="suppress"), seed=seed)


@pytest.mark.parametrize("csv", [False, True])
def test_files_read_back_identically(data, tmp_path, csv):
    release = whole(data)
    save(release, tmp_path, csv=csv)
    back = load(tmp_path)
    assert back.ratings == release.ratings
    assert back.counts() == release.counts()
    assert back.facts()["sensitive"] == ["s"]


def test_records_are_shuffled_and_numbered_anew(data):
    one, other = whole(data, 1).ratings, whole(data, 2).ratings
    assert one != other
    assert one.users == tuple(str(i + 1) for i in range(40))
    assert sorted(str(one.record(i)) for i in range(40)) == sorted(str(data.record(i)) for i in range(40))


def test_an_issue_without_ratings_disappears_unless_sensitive(data):
    keep = ~np.isin(data.indices, [data.issues.index("plain"), data.issues.index("s")])
    release = ratings(data, np.arange(data.n), keep, made=Statement(guarantee=PROMISE, method="suppress"), seed=0)
    assert "plain" not in release.ratings.issues
    assert "s" in release.ratings.issues
    assert release.suppressed_ratings == int((~keep).sum())


def test_frame_and_pieces(data):
    release = whole(data)
    frame = release.to_frame()
    assert list(frame.columns) == ["record", "issue", "rating"]
    assert len(frame) == data.entries + sum(data.lengths() == 0)
    assert sum(len(batch) for batch in rating_batches(release, records=7)) == len(frame)


def test_comparing_with_the_original(data):
    release = whole(data)
    assert all(check.passed for check in compare(release, data))
    assert not compare(release, data.take(np.arange(39)))[0].passed
    other = Ratings.of([{"x": 1}] * 40, scale="1:5")
    assert not all(check.passed for check in compare(release, other))
    codes = np.where(data.codes == 5, 1, data.codes).astype(np.int16)
    failed = [check.name for check in compare(release, data.replaced(codes=codes)) if not check.passed]
    assert failed == ["no combination of sensitive ratings is published more often than it occurs"]
    public = np.where(data.sensitive[data.indices], data.codes, codes)
    failed = [check.name for check in compare(release, data.replaced(codes=public)) if not check.passed]
    assert failed == [ONE_TO_ONE]
