"""Many rows are grouped in parts: each keeps the promise, whatever the number of threads."""

import importlib

import numpy as np
import pytest

import covey
from covey.synth import shop

MATCHED = importlib.import_module("covey.methods.matched")


@pytest.fixture(scope="module")
def baskets():
    return shop(transactions=600, seed=3).baskets


def test_groups_of_parts_keep_the_degree_for_any_number_of_threads(baskets, monkeypatch):
    whole = covey.anonymize(baskets, "degree(p=3)", "matched", seed=1)
    monkeypatch.setattr(MATCHED, "PART", 100)
    made = []
    for threads in ("1", "3"):
        monkeypatch.setenv("COVEY_THREADS", threads)
        made.append(covey.anonymize(baskets, "degree(p=3)", "matched", seed=1))
    assert made[0].transactions == made[1].transactions
    assert (made[0].group_ptr == made[1].group_ptr).all()
    assert (3 * made[0].count <= made[0].group_sizes()[made[0].count_group]).all()
    assert made[0].transactions != whole.transactions


def test_every_row_is_in_one_part_and_every_part_has_the_degree(baskets, monkeypatch):
    monkeypatch.setattr(MATCHED, "PART", 100)
    _, secret = baskets.split()
    order = np.random.default_rng(0).permutation(secret.n)
    parts = MATCHED.parts_of(order, secret, 3)
    assert len(parts) > 1
    assert sorted(np.concatenate(parts).tolist()) == list(range(secret.n))
    held = np.repeat(np.arange(secret.n), secret.lengths())
    for rows in parts:
        assert 3 * np.bincount(secret.indices[np.isin(held, rows)]).max() <= len(rows)


def test_there_are_fewer_parts_where_an_item_is_too_frequent_in_one(monkeypatch):
    monkeypatch.setattr(MATCHED, "PART", 5)
    # Half of the rows hold it, all of them at odd places: so neither two parts nor four have the degree 2.
    secret = covey.Baskets.of([["s"] if i % 2 else [] for i in range(20)])
    assert [rows.tolist() for rows in MATCHED.parts_of(np.arange(20), secret, 2)] == [list(range(20))]


def test_nothing_sensitive_makes_no_difference_to_the_parts(monkeypatch):
    monkeypatch.setattr(MATCHED, "PART", 5)
    _, secret = covey.Baskets.of([["a"]] * 11).split()
    assert [len(rows) for rows in MATCHED.parts_of(np.arange(11), secret, 2)] == [6, 5]
