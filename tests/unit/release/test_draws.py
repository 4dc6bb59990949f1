"""Draws are worlds that the release allows; together they say what the release's own estimates say."""

import math
from collections import Counter

import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import ParameterError


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    folder = tmp_path_factory.mktemp("draws")
    rows = [
        [f"i{n % 7}", f"i{n % 11}", *(["s"] if n % 20 == 0 else []), *(["t"] if n % 31 == 0 else [])]
        for n in range(400)
    ]
    covey.publish(covey.Baskets.of(rows, sensitive=["s", "t"]), folder / "release", "degree(p=5)", seed=2)
    return folder / "release"


def require_allowed(release, drawn):
    """Compare the files of a draw and of a release, without covey: same ordinary items, same counts per group."""
    rows, baskets = pq.read_table(release / "transactions.parquet").to_pylist(), pq.read_table(drawn).to_pylist()
    counts = {(c["group"], c["item"]): c["count"] for c in pq.read_table(release / "sensitive.parquet").to_pylist()}
    secrets, found = {item for _, item in counts}, Counter()
    assert len(rows) == len(baskets)
    for row, basket in zip(rows, baskets, strict=True):
        assert [item for item in basket["items"] if item not in secrets] == row["items"]
        found.update((row["group"], item) for item in basket["items"] if item in secrets)
    assert found == counts


def test_each_draw_is_allowed_by_the_release(published, tmp_path, covey_cli):
    code, _, _ = covey_cli("sample", published, "-o", tmp_path / "draws", "--draws", "3", "--seed", "5")
    assert code == 0
    files = sorted(path.name for path in (tmp_path / "draws").iterdir())
    assert files == ["README.md", "draw-1.parquet", "draw-2.parquet", "draw-3.parquet"]
    for name in files[1:]:
        require_allowed(published, tmp_path / "draws" / name)
    assert len({(tmp_path / "draws" / name).read_bytes() for name in files[1:]}) == 3
    assert covey.read(tmp_path / "draws" / "draw-2.parquet", sensitive="s,t") == covey.read_release(published).draw(6)


def test_averages_over_draws_agree_with_estimates(published):
    release = covey.read_release(published)
    draws = [release.draw(seed) for seed in range(20)]
    for sensitive in ("s", "t"):
        for item in release.transactions.items:
            answer = release.estimate(sensitive, present=[item])
            counts = [sum({sensitive, item} <= set(draw.basket(row)) for row in range(draw.n)) for draw in draws]
            combined = covey.combine(counts)
            assert all(answer.lower <= count <= answer.upper for count in counts)
            assert abs(combined.estimate - answer.estimate) <= 4 * answer.standard_error / math.sqrt(20)
            assert combined.spread == pytest.approx(answer.standard_error, rel=0.7, abs=0.01)


def test_what_is_complete_needs_no_draws(tmp_path, covey_cli):
    covey.publish([["a"]] * 4, tmp_path / "sets", "k-anonymity(k=2)")
    code, _, err = covey_cli("sample", tmp_path / "sets", "-o", tmp_path / "draws")
    assert code == 2
    assert "its rows are complete" in err
    assert not (tmp_path / "draws").exists()


def test_a_single_draw_has_no_spread():
    with pytest.raises(ParameterError, match="at least 2 draws"):
        covey.combine([1.0])
