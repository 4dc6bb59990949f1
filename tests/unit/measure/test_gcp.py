"""The loss of sets is the share of entries not published."""

import pytest

import covey
from covey.measure.gcp import gcp
from covey.release.base import Statement
from covey.release.sets import SetsRelease


def released(rows, *, recoded="suppressed", recoding=None, private=None):
    return SetsRelease(
        transactions=covey.Baskets.of(rows),
        recoded=recoded,
        recoding=recoding,
        private=None if private is None else covey.Baskets.of(private),
        made=Statement(guarantee="k-anonymity(k=2)", method="hand"),
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


@pytest.mark.parametrize("marks", [[], ["s"]])
def test_private_items_are_neither_kept_nor_lost(marks):
    original = covey.Baskets.of([["a", "b", "s"], ["a", "s"], ["s"]], sensitive=marks)
    loss = gcp(released([["a"], ["a"], []], private=[["s"], ["s"], ["s"]]), original)
    assert loss.to_dict() == {
        "gcp": pytest.approx(1 / 3),
        "published": 2,
        "original": 3,
        "lost_items": 0.5,
        "emptied": 0,
    }


def test_nothing_to_lose():
    assert gcp(released([[], []]), covey.Baskets.of([[], []])).gcp == 0


def test_other_releases_are_refused():
    original = covey.Baskets.of([["a"], ["b"]])
    with pytest.raises(covey.InputError, match="2 transactions and the original 1"):
        gcp(released([["a"], ["b"]]), covey.Baskets.of([["a"]]))
    with pytest.raises(covey.InputError, match="by suppression"):
        gcp(released([["x"], ["x"]], recoded="global", recoding={"a": "x", "b": "x"}), original)
