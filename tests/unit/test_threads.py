"""Work on several cores gives what one gives."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import csr
from covey.errors import ParameterError
from covey.measure.evaluation import evaluate
from covey.threads import VARIABLE, parallel, threads
from covey.verify.rare_labels import find_offence


def test_releases_and_figures_are_the_same_for_any_number(monkeypatch):
    rng = np.random.default_rng(1)
    rows = [[str(i) for i in np.flatnonzero(rng.random(30) < 0.2)] for _ in range(300)]
    data, marked = covey.Baskets.of(rows), covey.Baskets.of(rows, sensitive=["3", "7"])
    tree = covey.Taxonomy.from_pairs(
        [(str(i), f"below {i // 5}") for i in range(30)] + [(f"below {j}", "*") for j in range(6)]
    )
    monkeypatch.setattr(csr, "LARGE", 20)
    made = []
    for number in ("1", "3"):
        monkeypatch.setenv(VARIABLE, number)
        sets = covey.anonymize(data, "k-anonymity(k=3)", "pattern-ka", seed=0)
        recoded = covey.anonymize(data, "km-anonymity(k=9, m=2)", "mhghs", taxonomy=tree, seed=0)
        groups = covey.anonymize(marked, "degree(p=4)", seed=0)
        published = [release.transactions.indices.tolist() for release in (sets, recoded, groups)]
        made.append((published, recoded.recoding, evaluate(groups, marked, queries=25)))
    assert made[0] == made[1]


@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=12), st.integers(2, 4), st.integers(1, 3))
def test_the_same_rare_set_is_found_by_any_number(rows, number, k):
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csr, "LARGE", 2)
        for threads_asked in ("1", str(number)):
            patch.setenv(VARIABLE, threads_asked)
            found.append(find_offence("km-anonymity", "m", covey.Baskets.of(rows * 2), None, 2 * k, 3))
    assert found[0] == found[1]


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=9), st.integers(1, 4))
def test_rows_that_are_shared_out_come_out_the_same(rows, number):
    ptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    ids = np.array([j for row in rows for j in row], np.int32)
    rename, kept = np.array([3, 1, 0, 5, 2, 4], np.int32), np.array([0, -1, 1, 2, -1, 3], np.int32)
    order = np.arange(len(rows))[::-1].repeat(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(number))
        patch.setattr(csr, "LARGE", 2)
        own_ptr, own = ptr.copy(), ids.copy()
        bad = csr.first_bad_row(ptr, ids, 6)
        taken, left = csr.take_rows(ptr, ids, order), csr.keep_items(ptr, ids, kept)
        entries = csr.canonicalize(own_ptr, own, rename)
        by_item = csr.transpose(own_ptr, own[:entries], 6)
    assert as_rows(*by_item) == [[i for i, row in enumerate(rows) if old in row] for old in np.argsort(rename)]
    assert bad == next((i for i, row in enumerate(rows) if row != sorted({*row})), -1)
    assert as_rows(*taken) == [rows[i] for i in order]
    assert as_rows(*left) == [[kept[j] for j in row if kept[j] >= 0] for row in rows]
    assert as_rows(own_ptr, own) == [sorted({rename[j] for j in row}) for row in rows]
    assert entries == own_ptr[-1]


def as_rows(ptr, ids):
    return [ids[ptr[i] : ptr[i + 1]].tolist() for i in range(len(ptr) - 1)]


def test_parallel_keeps_the_order_and_raises_errors(monkeypatch):
    monkeypatch.setenv(VARIABLE, "4")
    assert parallel(lambda x: x * x, range(50)) == [x * x for x in range(50)]
    with pytest.raises(ZeroDivisionError):
        parallel(lambda x: 1 // x, [1, 0])


@pytest.mark.parametrize("number", ["1", "2"])
def test_progress_is_reported_from_the_calling_thread(monkeypatch, number):
    monkeypatch.setenv(VARIABLE, number)
    reported = []
    parallel(abs, range(8), lambda share: reported.append((share, threading.get_ident())))
    assert reported == [(done / 8, threading.get_ident()) for done in range(1, 9)]


@pytest.mark.parametrize("wrong", ["0", "-1", "two"])
def test_rejects_a_wrong_number_of_threads(monkeypatch, wrong):
    monkeypatch.setenv(VARIABLE, wrong)
    with pytest.raises(ParameterError, match="COVEY_THREADS must be a whole number from 1"):
        threads()
