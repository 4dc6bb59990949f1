"""A file of ratings that is taken for baskets is not passed over in silence."""

import pytest

RATED = "user,item,rating\n" + "".join(f"{i % 9},m{i % 7},{i % 5 + 1}\n" for i in range(63))


def test_inspect_hints_at_ratings(tmp_path, covey_cli):
    (tmp_path / "films.csv").write_text(RATED)
    code, _, errors = covey_cli("inspect", tmp_path / "films.csv")
    assert code == 0, errors
    said = " ".join(errors.split())
    assert "The column 'rating' is not used" in said
    assert "give --kind ratings" in said


@pytest.mark.parametrize("given", [["--kind", "baskets"], ["--kind", "ratings"]])
def test_nothing_is_said_to_those_who_have_said_what_it_is(tmp_path, covey_cli, given):
    (tmp_path / "films.csv").write_text(RATED)
    code, _, errors = covey_cli("inspect", tmp_path / "films.csv", *given)
    assert (code, "is not used" in errors) == (0, False), errors


def test_nothing_is_said_of_sales(tmp_path, covey_cli):
    (tmp_path / "sales.csv").write_text(RATED.replace("user", "order").replace("rating", "price"))
    code, _, errors = covey_cli("inspect", tmp_path / "sales.csv")
    assert (code, "is not used" in errors) == (0, False), errors
