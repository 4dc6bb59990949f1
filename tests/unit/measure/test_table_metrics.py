"""gcp, query error and guesses of released tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import InputError, ParameterError
from covey.measure.evaluation import evaluate
from covey.measure.loss import gcp_table
from covey.measure.table import certainty, query_error
from covey.release import table as publish_table
from covey.release.base import Statement
from oracles import tables as oracle
from strategies import oracle_columns, table_of, table_rows


def released(data, group):
    group = np.asarray(group)
    made = Statement(guarantee="k-anonymity(k=2)", method="m")
    return publish_table.table(data, group, int(group.max()) + 1, made=made, seed=0)


@given(table_rows(), st.data())
def test_gcp_from_the_published_texts_is_that_of_the_groups(rows, data):
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    group = np.unique(drawn, return_inverse=True)[1]
    original = table_of(rows)
    found = gcp_table(released(original, group), original)
    groups = [[rows[i] for i in np.flatnonzero(group == g)] for g in range(group.max() + 1)]
    assert found.gcp == pytest.approx(oracle.gcp(groups, oracle_columns(rows)))
    assert found.to_dict()["gcp"] == found.gcp


@given(table_rows(), st.data())
def test_guesses_are_those_of_the_rows_that_look_alike(rows, data):
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    secrets = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    original = table_of(rows, secrets)
    made = released(original, np.unique(drawn, return_inverse=True)[1])
    (found,) = certainty(made, original)
    texts = [[column.labels[code] for code in column.codes] for column in made.columns]
    before = oracle.guesses(list(rows), secrets)
    after = oracle.guesses(list(zip(*texts[:-1], strict=True)), texts[-1])
    assert (found.before, found.certain_before) == pytest.approx(before[:2])
    assert (found.after, found.certain_after, found.worst_after) == pytest.approx(after)
    assert found.blind == pytest.approx(oracle.guesses([()] * len(rows), secrets)[0])


def test_a_table_without_sensitive_columns_has_nothing_to_guess():
    data = table_of([(20, "cat", "Bonn")] * 2)
    assert certainty(released(data, [0, 0]), data) == ()


def test_extremes():
    rows = [(20, "cat", "Bonn"), (60, "hen", "Köln")] * 2
    data = table_of(rows)
    assert gcp_table(released(data, [0, 1, 0, 1]), data).gcp == 0
    assert gcp_table(released(data, [0, 0, 0, 0]), data).gcp == 1


def test_another_original_is_refused():
    rows = [(20, "cat", "Bonn"), (60, "hen", "Köln")] * 2
    made = released(table_of(rows), [0, 1, 0, 1])
    other = table_of([(1, "cat", "Bonn"), (2, "hen", "Bonn")])
    with pytest.raises(InputError, match="covers no value of the original"):
        gcp_table(made, other)
    with pytest.raises(InputError, match="covers no value of the original"):
        query_error(made, other)


def test_exact_releases_answer_exactly_and_coarse_ones_do_not():
    rng = np.random.default_rng(0)
    rows = [(int(a), ["cat", "dog", "hen"][a % 3], "Bonn") for a in rng.integers(0, 40, 300)]
    data = table_of(rows)
    codes = data.rows("quasi")
    exact = released(data, np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1))
    assert query_error(exact, data, queries=50).median == pytest.approx(0)
    coarse = released(data, np.zeros(300, np.int64))
    fine = covey.anonymize(data, "k-anonymity(k=3)", "mondrian", seed=0)
    assert query_error(fine, data).mean < query_error(coarse, data).mean
    same = [query_error(coarse, data, seed=4).median for _ in range(2)]
    assert same[0] == same[1]


def test_one_query_by_hand():
    # One group over ages 0..9: whoever asks for half the values is told half the rows.
    data = covey.Table.of({"age": list(range(10))})
    found = query_error(released(data, [0] * 10), data, queries=20, columns=1, selectivity=0.5)
    assert found.mean == pytest.approx(0)
    skewed = covey.Table.of({"age": [0] * 9 + [1]})
    found = query_error(released(skewed, [0] * 10), skewed, queries=40, columns=1, selectivity=0.5)
    often = (found.mean - 4 / 9) / (4 - 4 / 9) * found.queries  # how often the rare value is asked for
    assert 0 < often < found.queries == 40
    assert often == pytest.approx(round(often))


@pytest.mark.parametrize("options", [{"queries": 0}, {"columns": 0}, {"selectivity": 2}])
def test_bad_workloads(options):
    data = table_of([(20, "cat", "Bonn")] * 2)
    with pytest.raises(ParameterError):
        query_error(released(data, [0, 0]), data, **options)
    with pytest.raises(InputError, match="asks for 9 columns"):
        query_error(released(data, [0, 0]), data, columns=9)


def test_a_table_with_one_quasi_identifier_is_evaluated():
    data = covey.Table.of({"age": [20, 21, 30, 31] * 3})
    release = covey.anonymize(data, "k-anonymity(k=3)", "mondrian", seed=0)
    assert evaluate(release, data)["query_error"]["queries"] > 0
