"""The second estimate helps where groups were mixed by chance, and keeps out of the way where they were not."""

import numpy as np
import pytest

import covey
from covey.metrics.assisted_kl import assisted_kl
from covey.metrics.kl import kl
from covey.release.base import Statement
from covey.release.grouped.assisted import Fitting, assist
from covey.release.grouped.publish import grouped


@pytest.fixture(scope="module")
def data():
    """Baskets in which s goes with a, and only rarely with anything else; t and u go with nothing."""
    rng = np.random.default_rng(5)
    rows = []
    for _ in range(3_000):
        row = [f"i{n}" for n in rng.choice(30, 3, replace=False)] + (["a"] if rng.random() < 0.2 else [])
        shares = {"s": 0.2 if "a" in row else 0.01, "t": 0.1, "u": 0.1}
        rows.append(row + [item for item, share in shares.items() if rng.random() < share])
    return covey.Baskets.of(rows, sensitive=["s", "t", "u"])


def truth(data, *items):
    return sum(set(items) <= set(data.basket(row)) for row in range(data.n))


def test_it_comes_closer_where_groups_are_mixed(data):
    release = covey.anonymize(data, "degree(p=5)", "anatomy", seed=1, merge=False)
    actual = truth(data, "s", "a")
    plain, second = release.estimate("s", present=["a"]), release.assisted("s", present=["a"])
    assert second.weight > 0
    assert second.reason == ""
    assert abs(second.estimate - actual) < 0.9 * abs(plain.estimate - actual)
    assert plain.lower <= second.estimate <= plain.upper
    both = assisted_kl(release, data, r=2, queries=40)
    assert both.assisted.mean < both.equal.mean
    assert (both.used, both.asked) == (1, 3)


def test_it_is_not_used_where_similar_baskets_were_put_together(data):
    release = covey.anonymize(data, "degree(p=5)", "cahd", seed=1)
    second = release.assisted("s", present=["a"])
    assert second.weight == 0
    assert "similar members" in second.reason
    assert second.estimate == release.estimate("s", present=["a"]).estimate


def test_it_is_not_used_where_nothing_is_to_be_learned():
    rng = np.random.default_rng(6)
    rows = [[f"i{n}" for n in rng.choice(30, 3, replace=False)] + (["s"] if k % 20 == 0 else []) for k in range(2_000)]
    release = covey.anonymize(covey.Baskets.of(rows, sensitive=["s"]), "degree(p=5)", "anatomy", seed=1, merge=False)
    assert "not predicted better" in release.assisted("s").reason


def test_every_count_is_shared_out_in_full(data):
    release = covey.anonymize(data, "degree(p=5)", "anatomy", seed=1, merge=False)
    fitting, expected = Fitting(release, 0), assist(release, 0).expected
    assert fitting.per_group(expected) == pytest.approx(fitting.count)
    assert (expected >= 0).all()


def test_likeness_is_the_intraclass_correlation():
    """Against its definition on groups of equal size: (MSB - MSW) / (MSB + (k - 1) MSW)."""
    baskets = covey.Baskets.of([["a", "s"], *[["b"]] * 8], sensitive=["s"])
    made = Statement(guarantee="degree(p=3)", method="anatomy")
    fitting = Fitting(grouped(baskets, np.repeat(np.arange(3), 3), 3, made=made, seed=0), 0)
    scores = np.array([0.0, 1, 3, 2, 5, 4, 9, 7, 8])
    table = scores.reshape(3, 3)
    between, within = 3 * table.mean(1).var(ddof=1), table.var(axis=1, ddof=1).mean()
    assert fitting.likeness(scores) == pytest.approx((between - within) / (between + 2 * within))
    assert fitting.likeness(np.ones(9)) == 0


def test_equal_shares_are_those_of_kl(data):
    release = covey.anonymize(data, "degree(p=5)", "anatomy", seed=1)
    for workload in ("uniform", "support"):
        both = assisted_kl(release, data, r=3, queries=20, workload=workload)
        assert both.equal.errors == pytest.approx(
            kl(release, data, r=3, queries=20, workload=workload).errors, abs=1e-9
        )


def test_query_says_what_it_is(data, tmp_path, covey_cli):
    covey.publish(data, tmp_path / "out", "degree(p=5)", "cahd", seed=1)
    code, out, _ = covey_cli("query", tmp_path / "out", "-s", "s", "--present", "a")
    assert code == 0
    assert "Only the bounds are certain." in out
    assert "A model of all groups is not used for this estimate: the groups were made of similar members" in out
