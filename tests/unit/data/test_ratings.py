import numpy as np
import pytest

from covey.data import Ratings, Scale
from covey.errors import InputError, ParameterError


def test_scales_count_steps():
    stars, jester = Scale.parse("0.5:5:0.5"), Scale.parse("-10:10:0.01")
    assert (stars.levels, stars.r) == (10, 5.0)
    assert (jester.levels, jester.r) == (2001, pytest.approx(20.01))
    assert jester.steps(0.29) == 29
    assert Scale(1, 6).steps(1.99) == 1
    assert Scale(1, 6).steps(1e300) > 6
    codes, bad = jester.encode(np.array([-10, 0.01, 10, 10.01, 0.005, np.nan, np.inf]))
    assert codes[:3].tolist() == [1, 1002, 2001]
    assert bad.tolist() == [3, 4, 5, 6]
    assert jester.decode(codes[:3]).tolist() == [-10, 0.01, 10]
    for text in ("1:5", "0.5:5:0.5", "-10:10:0.01", "-10:10:continuous"):
        assert Scale.parse(text).text == text


def test_on_a_continuous_scale_any_number_is_a_rating():
    scale = Scale.parse("-10:10:continuous")
    codes, bad = scale.encode(np.array([-10, 3.14159, 10, 10.0001, np.nan]))
    assert scale.decode(codes[:3]).tolist() == [-10, 3.142, 10]
    assert bad.tolist() == [3, 4]
    assert (scale.near, Scale(1, 5).near, Scale(0.5, 5, 0.5).near) == (2, 1, 0.5)
    assert [Scale.parse(text).coarser_steps() for text in ("1:5", "0.5:5:0.5", "1:2")] == [[2], [1, 2], []]


@pytest.mark.parametrize(
    "text",
    ["1:1:continuous", "a:b:continuous", "5", "a:b", "1:2:3:4", "5:1", "1:5:0", "1:5:-1", "1:2:0.3", "1:inf", "0:1e9"],
)
def test_bad_scales(text):
    with pytest.raises(ParameterError, match="scale"):
        Scale.parse(text)


def test_rows_and_columns_can_be_taken():
    data = Ratings.of([{"b": 1, "a": 2}, {}, {"c": 3}], scale="1:3", sensitive=["c"], users=["x", "y", "z"])
    assert (data.n, data.d, data.entries) == (3, 3, 3)
    assert data.issues == ("a", "b", "c")
    assert data.take(np.array([2, 0])).users == ("z", "x")
    assert data.take(np.array([2, 0])).record(1) == {"a": 2, "b": 1}
    public, secret = data.split()
    assert (public.issues, secret.issues) == (("a", "b"), ("c",))
    assert secret.record(2) == {"c": 3}
    assert data.keep(np.array([True, False, True])).record(0) == {"a": 2}
    assert data == data.take(np.arange(3))
    assert data != data.with_sensitive(["a"])
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0] = 1


def test_wrong_ratings_are_refused():
    with pytest.raises(InputError, match="respondent 1 rates 'a' 7"):
        Ratings.of([[1], [7]], issues=["a"], scale="1:5")
    with pytest.raises(InputError, match="rates 'a' nan"):
        Ratings.of([[float("nan")]], issues=["a"], scale="1:5")
    with pytest.raises(InputError, match="2 ratings for 1 issue"):
        Ratings.of([[1, 2]], issues=["a"], scale="1:5")
    with pytest.raises(InputError, match="Did you mean 'income'"):
        Ratings.of([[1]], issues=["income"], scale="1:5", sensitive=["incom"])


@pytest.mark.parametrize(
    "change",
    [
        {"indptr": np.array([0, 1])},
        {"indptr": np.array([0, 2, 1])},
        {"indices": np.array([1, 0], np.int32)},
        {"indices": np.array([0, 1], np.int64)},
        {"codes": np.array([1, 9], np.int16)},
        {"codes": np.array([1], np.int16)},
        {"issues": ("b", "a")},
        {"sensitive": np.zeros(3, np.bool_)},
        {"users": ()},
    ],
)
def test_only_canonical_arrays_are_accepted(change):
    data = Ratings.of([[1, 2]], issues=["a", "b"], scale="1:5")
    with pytest.raises(InputError):
        data.replaced(**change)
