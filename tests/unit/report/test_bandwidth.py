from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.methods.ordering import band_order
from covey.metrics.inspection import inspect_data
from covey.report.bandwidth import width
from covey.report.descriptions import of_baskets
from oracles import raster as oracle


@given(st.lists(st.sets(st.sampled_from("abcdefgh"), max_size=4), max_size=12), st.randoms(use_true_random=False))
def test_widths_are_those_of_the_whole_matrix(rows, random):
    order = list(range(len(rows)))
    random.shuffle(order)
    got = width(Baskets.of(rows), np.array(order, np.int64))
    assert got == pytest.approx(oracle.bandwidth(rows, order))


def test_inspect_states_the_band_of_persons_by_ordinary_items():
    # The sensitive item, which everybody has, says nothing about similarity; persons 0 and 2 share item a.
    rows = [{"a", "s"}, {"x", "s"}, {"a", "s"}, {"b", "s"}]
    data = replace(Baskets.of(rows, sensitive=["s"]), person=np.array([0, 1, 2, 2], np.int32))
    body = inspect_data(data, known=1)
    persons = [{"a"}, {"x"}, {"a", "b"}]
    wanted = {
        "as_read": oracle.bandwidth(persons, range(3)),
        "band_order": oracle.bandwidth(persons, band_order(data.by_person().split()[0]).tolist()),
    }
    assert body["bandwidth"] == wanted
    assert (wanted["as_read"]["total"], wanted["band_order"]["total"]) == (5, 3)
    assert "Bandwidth 5 as read, 3 in band order" in " ".join(of_baskets(body).details[-1].lines)
