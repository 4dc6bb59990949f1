"""What is of the wrong type in Python is refused in words, as on the command line."""

import pytest

import covey
from covey.errors import CoveyError, InputError, OutputError, ParameterError, TellingColumn

BASKETS = covey.Baskets.of([["a"], ["a"], ["b"], ["b"]])


@pytest.mark.parametrize("guarantee", [None, 5, [], b""])
def test_guarantees_are_text(guarantee):
    for act in (covey.anonymize, covey.check, lambda data, asked: covey.explore(data, [asked])):
        with pytest.raises(ParameterError, match=r"written as text, such as 'degree\(p=10\)'"):
            act(BASKETS, guarantee)


@pytest.mark.parametrize("method", [5, [], b"cahd", object])
def test_methods_are_text(method):
    with pytest.raises(ParameterError, match="named by text, such as 'cahd'"):
        covey.anonymize(BASKETS, "k-anonymity(k=2)", method)


@pytest.mark.parametrize("place", [5, None, b"out", []])
def test_places_are_paths(place, tmp_path):
    covey.publish(BASKETS, tmp_path / "out", "k-anonymity(k=2)")
    for act in (
        lambda: covey.publish(BASKETS, place, "k-anonymity(k=2)"),
        lambda: covey.verify(place),
        lambda: covey.read_release(place),
        lambda: covey.report(place, output=tmp_path / "r.html"),
        lambda: covey.report(tmp_path / "out", output=place or 5),
        lambda: covey.evaluate(place, BASKETS),
        lambda: covey.attack(place, BASKETS),
    ):
        with pytest.raises(ParameterError, match=r"must be a path, such as .* Got .* instead"):
            act()


def test_a_release_is_no_data(tmp_path):
    covey.publish(BASKETS, tmp_path / "out", "k-anonymity(k=2)")
    release = covey.read_release(tmp_path / "out")
    for act in (
        lambda: covey.anonymize(release, "k-anonymity(k=2)"),
        lambda: covey.publish(release, tmp_path / "next", "k-anonymity(k=2)"),
        lambda: covey.inspect(release),
        lambda: covey.verify(tmp_path / "out", release),
    ):
        with pytest.raises(ParameterError, match="This is a release of the kind sets, and data is needed here"):
            act()


def test_numbers_too_long_to_read_are_called_so():
    with pytest.raises(ParameterError, match=r"A number of 5,000 digits is too long"):
        covey.guarantee(f"degree(p={'9' * 5000})")


def test_a_name_that_is_empty_is_called_so(covey_cli):
    with pytest.raises(InputError, match="the name of the file is empty"):
        covey.inspect("")
    assert "the name of the file is empty" in covey_cli("inspect", "")[2]


def test_a_place_below_a_file_is_no_directory():
    with pytest.raises(OutputError, match="Not a directory"):
        covey.publish(BASKETS, "/dev/null/x", "k-anonymity(k=2)")


def test_a_column_that_tells_people_apart_is_warned_of(tmp_path):
    columns = {"age": [30, 30, 40, 40], "note": ["a", "b", "c", "d"], "town": ["x"] * 4}
    table = covey.Table.of(columns, other=["note", "town"])
    for act in (
        lambda: covey.anonymize(table, "k-anonymity(k=2)"),
        lambda: covey.publish(table, tmp_path / "out", "k-anonymity(k=2)", seed=1),
        lambda: covey.verify(tmp_path / "out"),
        lambda: covey.report(tmp_path / "out", output=tmp_path / "r.html"),
    ):
        with pytest.warns(TellingColumn, match="'note' is nearly unique") as told:
            act()
        assert [one.message.column for one in told] == ["note"]


def test_all_errors_are_coveys():
    for given in (5, None, object()):
        with pytest.raises(CoveyError):
            covey.anonymize(given, "k-anonymity(k=2)")
