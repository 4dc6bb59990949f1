"""Estimates under the permutation model, frames, and publication without leaks."""

import json
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import InputError, ParameterError
from covey.release import grouping as publish
from covey.release.base import Statement
from oracles import grouped as oracle
from strategies import baskets_of, transactions

pytestmark = pytest.mark.kernel


@given(transactions(max_rows=14), st.data())
def test_estimates_are_those_of_all_permutations(data, draws):
    rows, hidden = data
    secrets = sorted(set().union(*hidden))
    items = sorted(set().union(*rows))
    if not secrets or not items:
        return
    _, group = np.unique([draws.draw(st.integers(0, 2)) for _ in rows], return_inverse=True)
    count = int(group.max()) + 1
    release = publish.grouped(
        baskets_of(rows, hidden),
        group,
        count,
        made=Statement(guarantee="degree(p=2)", method="cahd"),
        seed=None,
    )
    s = draws.draw(st.sampled_from(secrets))
    present = draws.draw(st.sets(st.sampled_from(items), max_size=2))
    absent = draws.draw(st.sets(st.sampled_from(items), max_size=2)) - present
    matching = [present <= row and not absent & row for row in rows]
    members = [np.flatnonzero(group == g) for g in range(count)]
    mean, variance, low, high = oracle.answers(
        [([matching[i] for i in rows_], sum(s in hidden[i] for i in rows_)) for rows_ in members]
    )
    answer = release.estimate(s, present=present, absent=absent)
    assert answer.estimate == pytest.approx(float(mean))
    assert answer.standard_error == pytest.approx(sqrt(variance), abs=1e-9)
    assert (answer.lower, answer.upper, answer.matching) == (low, high, sum(matching))
    truth = sum(m and s in h for m, h in zip(matching, hidden, strict=True))
    assert answer.lower <= truth <= answer.upper


def test_wrong_questions_are_explained(fig1):
    release = covey.anonymize(fig1, "degree(p=2)")
    with pytest.raises(InputError, match="Did you mean 'viagra'"):
        release.estimate("viagre")
    with pytest.raises(InputError, match="Did you mean 'cream'"):
        release.estimate("viagra", present=["craem"])
    with pytest.raises(InputError, match="It is sensitive"):
        release.estimate("viagra", absent=["pregnancy test"])
    with pytest.raises(ParameterError, match="both present and absent"):
        release.estimate("viagra", present=["meat"], absent=["meat"])
    with pytest.raises(ParameterError, match=r"\['meat'\]"):
        release.estimate("viagra", present="meat")


def test_frames_hold_what_is_published(fig1):
    release = covey.anonymize(fig1, "degree(p=2)")
    frame = release.to_frame()
    assert sorted(map(tuple, frame["items"])) == sorted(
        [
            ("meat", "wine"),
            ("meat", "wine"),
            ("cream", "strawberries"),
            ("meat", "strawberries"),
            ("cream", "meat", "wine"),
        ]
    )
    counts = release.to_frame("sensitive", library="polars")
    assert sorted(counts["item"].to_list()) == ["pregnancy test", "viagra"]
    assert release.to_frame(library="arrow").schema.names == ["group", "items"]
    assert release.to_frame("groups")["transactions"].tolist() == release.group_sizes().tolist()
    with pytest.raises(ParameterError):
        release.to_frame("other")
    with pytest.raises(ParameterError):
        release.to_frame(library="excel")


def test_nothing_about_the_source_is_published(tmp_path):
    # Row numbers are the only thing that differs between these items, so any of them in a file is a leak.
    rows = [["bread", f"z{i:04d}"] + (["secret"] if i % 25 == 0 else []) for i in range(500)]
    source = tmp_path / "customers-of-the-shop.csv"
    lines = [f"transaction-{i},{item}" for i, row in enumerate(rows) for item in row]
    source.write_text("transaction,item\n" + "\n".join(lines) + "\n")
    covey.publish(str(source), tmp_path / "out", "degree(p=10)", sensitive="secret", seed=987654321)
    published = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    for leak in (b"transaction-", b"customers", b"987654321", str(tmp_path).encode()):
        assert leak not in published
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert set(manifest) == {
        "format", "kind", "method", "options", "guarantee", "counts", "covey", "facts", "files",
        "writer", "notes", "about", "digest",
    }  # fmt: skip
    assert "seed" not in manifest["options"]
