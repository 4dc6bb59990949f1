"""Released tables: what is published, files, and what verification against the original notices."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey.release import table as publish_table
from covey.release.base import Statement
from covey.verify import compare
from strategies import table_of, table_rows
from traces import with_trace_of

ROWS = [(20, "cat", "Bonn"), (21, "dog", "Bonn"), (60, "hen", None), (None, "hen", None)]


def released(rows, group, secrets=None, seed=0):
    data = table_of(rows, secrets)
    group = np.asarray(group)
    made = publish_table.table(
        data, group, int(group.max()) + 1, made=Statement(guarantee="k-anonymity(k=2)", method="m"), seed=seed
    )
    return data, made


def test_groups_are_published_as_what_covers_them():
    _, made = released(ROWS, [0, 0, 1, 1])
    assert made.distinct_rows() == [("*", "hen", ""), ("[20-21]", "pet", "Bonn")]
    assert made.counts() == {"rows": 4, "columns": 3, "classes": 2}
    assert repr(made) == "TableRelease(k-anonymity(k=2) by m: 4 rows, 3 columns, 2 classes)"


@pytest.mark.parametrize("csv", [False, True])
def test_files_read_back(csv, tmp_path):
    from covey.release.manifest import read_manifest
    from covey.release.store import load, save

    rows = [(20, "cat", 'say "hi", you'), (21, "dog", "a\nb"), (60, None, None), (None, None, None)]
    data, made = released(rows, [0, 1, 2, 2], ["x", "", "=1", "NA"])
    save(made, tmp_path, csv=csv)
    back = load(tmp_path)
    assert read_manifest(tmp_path).counts == made.counts()
    for ours, theirs in zip(made.columns, back.columns, strict=True):
        assert (ours.name, ours.role, ours.numeric, ours.labels) == (
            theirs.name,
            theirs.role,
            theirs.numeric,
            theirs.labels,
        )
        assert (ours.codes == theirs.codes).all()
    assert all(check.passed for check in compare(back, data))


def test_frames():
    _, made = released(ROWS, [0, 0, 1, 1], list("uvwx"))
    frame = made.to_frame()
    assert list(frame.columns) == ["age", "animal", "city", "secret"]
    assert frame["city"].isna().sum() == 2
    assert made.to_frame(library="polars").shape == (4, 4)


@given(table_rows(min_rows=1), st.data())
def test_any_grouping_is_found_faithful(rows, data):
    groups = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    secrets = data.draw(st.lists(st.sampled_from("uv"), min_size=len(rows), max_size=len(rows)))
    group = np.unique(groups, return_inverse=True)[1]
    original, made = released(rows, group, secrets)
    assert [check.name for check in compare(made, original) if not check.passed] == []


def changed(made, name, **values):
    columns = [replace(c, **values) if c.name == name else c for c in made.columns]
    return with_trace_of(replace(made, columns=tuple(columns)), made)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"column": "age", "labels": ("[20-21]", "*")}, "does not cover"),
        ({"column": "age", "labels": ("*", "[30-31]")}, "covers no value"),
        ({"column": "animal", "labels": ("hen", "dog")}, "does not cover"),
        ({"column": "animal", "labels": ("hen", "bird")}, "covers no value"),
        ({"column": "secret", "labels": ("u", "v", "w", "y")}, "differ from the original"),
        ({"column": "secret", "codes": np.array([0, 0, 1, 2], np.int32)}, "differ from the original"),
        ({"column": "city", "role": "other"}, "'city' is other in the release and quasi in the original"),
        ({"column": "age", "numeric": False}, "'age' is categorical in the release and numeric in the original"),
    ],
)
def test_unfaithful_releases_are_noticed(values, message):
    original, made = released(ROWS, [0, 0, 1, 1], list("uvwx"))
    wrong = changed(made, values["column"], **{k: v for k, v in values.items() if k != "column"})
    failed = [check for check in compare(wrong, original) if not check.passed]
    assert re.search(message, failed[0].detail)


def test_a_range_that_covey_would_not_write_is_noticed():
    """It covers the same values, but no class has these ends, or everybody's if no value is missing."""
    ages = [(age, animal, city) for age, (_, animal, city) in zip([20, 21, 30, 32], ROWS, strict=True)]
    original, made = released(ages, [0, 0, 1, 1])
    assert made.column("age").labels == ("[20-21]", "[30-32]")
    for labels in (("[20-21.5]", "[30-32]"), ("[20-21]", "[29-32]"), ("*", "[30-32]")):
        failed = [c for c in compare(changed(made, "age", labels=labels), original) if not c.passed]
        assert [c.name for c in failed] == ["every published value covers values of the original"]


def test_secrets_swapped_between_groups_are_noticed():
    original, made = released(ROWS, [0, 0, 1, 1], list("uvwx"))
    kinds = made.classes()
    codes = made.column("secret").codes.copy()
    one, other = np.flatnonzero(kinds == 0)[0], np.flatnonzero(kinds == 1)[0]
    codes[[one, other]] = codes[[other, one]]
    failed = [c for c in compare(changed(made, "secret", codes=codes), original) if not c.passed]
    assert [c.name for c in failed] == ["every original row has a published row of its own that covers it"]


def test_a_missing_row_is_noticed():
    original, made = released(ROWS, [0, 0, 1, 1])
    fewer = replace(made, columns=tuple(replace(c, codes=c.codes[:3]) for c in made.columns))
    assert "3 published, 4 in the original" in compare(fewer, original)[0].detail
