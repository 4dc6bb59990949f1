"""Objects in memory: frames, Arrow, sparse matrices, plain collections."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.errors import InputError, MissingDependency, ParameterError
from covey.io import read, to_frame

EXPECTED = Baskets.of([["10", "11"], ["10"]])
LONG = {"order": ["x", "x", "y"], "product": [10, 11, 10], "price": [1.5, 2.0, 1.5]}


def test_long_frames():
    for frame in (
        pd.DataFrame(LONG),
        pd.DataFrame(LONG).astype({"product": "category"}),
        pd.DataFrame(LONG).astype({"product": float}),
        pd.DataFrame(LONG).astype({"product": object}),
        pd.DataFrame(LONG).set_index("order", append=True).reset_index("order"),
        pl.DataFrame(LONG),
        pl.DataFrame(LONG).lazy(),
        pa.table(LONG),
        pa.table(LONG).to_batches()[0],
        pa.table(LONG).to_reader(),
    ):
        assert read(frame) == EXPECTED


def test_categories_that_do_not_occur_are_no_items():
    frame = pd.DataFrame({"tid": [1], "item": pd.Categorical(["a"], categories=["a", "b"])})
    assert read(frame).items == ("a",)


def test_columns_by_name_and_the_index():
    frame = pd.DataFrame({"a": [7, 8], "b": ["x", "y"], "c": [1.5, 2.5]}, index=pd.Index([4, 4], name="who"))
    assert read(frame, transaction="a", item="b").n == 2
    assert read(frame, transaction="who", item="b") == Baskets.of([["x", "y"]])
    assert list(frame.columns) == ["a", "b", "c"]


def test_columns_of_mixed_types():
    frame = pd.DataFrame({"tid": [1, "1", 2], "item": ["a", 7, 7.5]})
    assert read(frame) == Baskets.of([["a", "7"], ["7.5"]])
    with pytest.raises(InputError, match=r"column 'item': the cell is empty in row 2"):
        read(pd.DataFrame({"tid": [1, 1, 2], "item": ["a", None, 7]}))


def test_lists_and_wide_frames():
    expected = Baskets.of([["a", "b"], [], ["a"]])
    assert read(pd.DataFrame({"items": [["a", "b"], [], ["a"]]})) == expected
    assert read(pl.DataFrame({"items": [["a", "b"], [], ["a"]]})) == expected
    wide = {"a": [True, False, True], "b": [True, False, False]}
    assert read(pd.DataFrame(wide)) == expected
    assert read(pl.DataFrame(wide)) == expected
    assert read(pd.DataFrame(wide).astype(pd.SparseDtype(bool, False))) == expected
    assert read(pd.DataFrame({"id": ["x", "y", "z"], **wide}).astype({"a": int, "b": int})) == expected
    assert read(pd.DataFrame({"a": [True], 7: [True]})).items == ("7", "a")


@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.coo_matrix, scipy.sparse.csc_matrix])
def test_sparse_matrices(form):
    matrix = form(np.array([[0, 2, 0], [0, 0, 0], [1, 0, -1]]))
    assert read(matrix, items=["a", "b", "c"]) == Baskets.of([["b"], [], ["a", "c"]])
    assert read(matrix).items == ("0", "1", "2")


def test_sparse_matrices_with_zeros_and_duplicates_are_not_changed():
    matrix = scipy.sparse.csr_array((np.array([0, 1, 1]), np.array([0, 1, 1]), np.array([0, 3])), shape=(1, 2))
    assert read(matrix, items=["a", "b"]).basket(0) == ["b"]
    assert matrix.nnz == 3
    with pytest.raises(InputError, match=r"row 2 holds a missing value"):
        read(scipy.sparse.csr_array([[1.0, 0.0], [0.0, np.nan]]))
    with pytest.raises(ParameterError, match="has 2 columns, but 'items' names 1"):
        read(matrix, items=["a"])
    with pytest.raises(ParameterError, match="names 'a' 2 times"):
        read(matrix, items=["a", "a"])


def test_numpy_arrays():
    assert read(np.array([[True, False], [True, True]]), items=["a", "b"]) == Baskets.of([["a"], ["a", "b"]])
    with pytest.raises(InputError, match="must hold only 0 and 1"):
        read(np.array([[1, 5], [2, 3]]))


def test_collections():
    assert read([[10, 11], {10}]) == EXPECTED
    assert read(tuple(row) for row in [["10", "11"], ["10"]]) == EXPECTED
    assert read({"x": [10, 11], "y": [10]}) == EXPECTED
    assert read(pd.Series([["10", "11"], ["10"]])) == EXPECTED
    assert read(pl.Series([["10", "11"], ["10"]])) == EXPECTED
    assert read(pa.array([["10", "11"], ["10"]])) == EXPECTED
    assert read([]).n == 0
    for wrong in (7, b"1 2", [1, 2], ["milk"], None, [[None]]):
        with pytest.raises(InputError):
            read(wrong)
    with pytest.raises(ParameterError, match="Only tables have rows to be cleaned and columns"):
        read([["a"]], item="x")
    with pytest.raises(ParameterError, match="names the columns of a matrix"):
        read([["a"]], items=["x"])
    with pytest.raises(InputError, match=r"Int64Scalar"):
        read(pa.scalar(1))


def test_empty_frames():
    with pytest.raises(InputError, match="no columns"):
        read(pd.DataFrame())
    with pytest.raises(InputError, match="no rows"):
        read(pd.DataFrame({"tid": [], "item": []}))


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1), min_size=1))
def test_frames_there_and_back(rows):
    baskets = Baskets.of(rows)
    for library in ("pandas", "polars", "arrow"):
        assert read(to_frame(baskets, library)) == baskets


def test_frames_look_as_promised():
    baskets = Baskets.of([["b", "a"], [], ["c"]])
    frame = to_frame(baskets)
    assert isinstance(frame, pd.DataFrame)
    assert frame.astype({"item": str}).to_numpy().tolist() == [[0, "a"], [0, "b"], [2, "c"]]
    assert isinstance(to_frame(baskets, "polars"), pl.DataFrame)
    assert isinstance(to_frame(baskets, library="arrow"), pa.Table)
    with pytest.raises(ParameterError, match="must be one of 'pandas', 'polars', 'arrow'"):
        to_frame(baskets, "dask")


def test_a_library_that_is_not_installed(monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr("covey.io.baskets.import_module", refuse)
    with pytest.raises(MissingDependency, match=r"pip install 'covey\[frames\]'"):
        to_frame(Baskets.of([["a"]]), "polars")


def test_importing_is_cheap():
    import subprocess
    import sys

    heavy = ["numba", "pyarrow", "pandas", "scipy"]
    code = f"import sys, covey.io; print([name for name in {heavy} if name in sys.modules], dir(covey.io))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = ["Recognised", "read", "read_sensitive", "read_taxonomy", "recognise", "to_frame", "write"]
    assert done.stdout.strip() == f"[] {names}"
