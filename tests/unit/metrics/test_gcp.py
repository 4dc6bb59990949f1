"""The loss of sets is the share of entries not published."""

import pytest

import covey
from covey.metrics.gcp import gcp
from covey.release.sets.model import SetsRelease


def released(rows, recoding=None):
    return SetsRelease(
        transactions=covey.Baskets.of(rows), guarantee="k-anonymity(k=2)", method="hand", recoding=recoding
    )


def test_by_hand():
    original = covey.Baskets.of([["a", "b", "c"], ["a", "b"], ["d"], [], []])
    loss = gcp(released([["a", "b"], ["a", "b"], [], [], []]), original)
    assert loss.to_dict() == {
        "gcp": pytest.approx(1 - 4 / 6),
        "published": 4,
        "original": 6,
        "lost_items": 0.5,
        "emptied": 1,
    }


def test_nothing_to_lose():
    assert gcp(released([[], []]), covey.Baskets.of([[], []])).gcp == 0


def test_other_releases_are_refused():
    original = covey.Baskets.of([["a"], ["b"]])
    with pytest.raises(covey.InputError, match="2 transactions and the original 1"):
        gcp(released([["a"], ["b"]]), covey.Baskets.of([["a"]]))
    with pytest.raises(covey.InputError, match="by suppression"):
        gcp(released([["x"], ["x"]], recoding={"a": "x", "b": "x"}), original)
