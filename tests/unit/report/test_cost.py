"""What a release of each kind has cost, said at once."""

import pytest

import covey
from covey.report.cost import cost_of_release


def said(data, guarantee, method=None, **options):
    release = covey.anonymize(data, guarantee, method, seed=0, **options)
    return cost_of_release(release, data, options.get("taxonomy"))


ROWS = [["wine", f"rare {i}"] for i in range(8)] + [["wine", "tea"]] * 8


def test_sets_say_items_occurrences_detail_and_what_would_keep_more():
    data = covey.Baskets.of(ROWS)
    cost = said(data, "km-anonymity(k=5, m=3)", "mhghs")
    assert str(cost) == "Kept: 2 of 10 items as they were, 75.0 % of all occurrences; 25.0 % of detail lost."
    assert cost.advice[0] == "a taxonomy of the items (`covey taxonomy suggest`)"
    assert "a smaller m" in cost.advice
    tree = covey.Taxonomy.from_nested({"*": {"rare": [f"rare {i}" for i in range(8)], "wine": {}, "tea": {}}})
    along = said(data, "km-anonymity(k=5, m=3)", "mhghs", taxonomy=tree)
    assert along.lost < cost.lost
    assert not any("taxonomy" in text for text in along.advice)
    assert said(data, "k-anonymity(k=2)").lost == pytest.approx(0.25)


def test_what_is_hardly_of_use_is_warned_of_with_what_would_keep_more(tmp_path):
    # One item that is rare and hangs below the root alone: aa, which may not suppress, publishes the root for all.
    tree = covey.Taxonomy.from_nested({"*": {"drinks": ["wine", "tea"], "test": {}}})
    data = covey.Baskets.of([["wine"], ["wine", "tea"], ["tea"]] * 4 + [["test"]])
    with pytest.warns(covey.errors.LittleKept, match=r"100 % of the detail .* by the method mhghs"):
        covey.publish(data, tmp_path / "aa", "km-anonymity(k=2, m=2)", "aa", taxonomy=tree)
    covey.publish(data, tmp_path / "mhghs", "km-anonymity(k=2, m=2)", "mhghs", taxonomy=tree)


def test_the_other_kinds_say_theirs():
    marked = covey.Baskets.of([*ROWS, ["wine", "test"]], sensitive=["test"])
    assert str(said(marked, "degree(p=4)")).startswith("Kept: all 10 ordinary items, exactly, and 1 sensitive one as")
    few = covey.Baskets.of([["wine"], ["tea"], ["wine"], ["tea", "test"]], sensitive=["test"])
    assert str(said(few, "degree(p=4)")) == (
        "Kept: both ordinary items, exactly, and 1 sensitive one as counts per group; groups that count any have 4 "
        "members."
    )
    people = covey.Table.of({"age": [20, 21, 40, 41], "job": ["a", "b", "c", "d"], "sex": ["f"] * 4})
    cost = said(people, "k-anonymity(k=2)", "mondrian")
    assert str(cost).startswith("Kept: 1 of 3 quasi-identifiers as they were; 'job' lost most")
    assert cost.advice == ("a hierarchy of 'job' (`covey hierarchy suggest`)",)
    ratings = covey.Ratings.of([{"a": 1}, {"a": 1}, {"b": 5}, {"c": 5}], scale="1:5")
    cost = said(ratings, "k-eps-l(k=2, epsilon=0)")
    assert str(cost).startswith("Kept: 4 of 4 records (2 of them without any rating), 50.0 % of the ratings")
    assert cost.advice == ()  # nothing was tried
    records = covey.Records.of({"age": [20, 21, 60, 61]}, [["ale"], ["ale", "rum"], ["tea"], ["tea"]])
    assert "of all occurrences; attributes lost" in str(said(records, "k-km-anonymity(k=2, m=2)"))


def test_the_command_line_prints_it(tmp_path, covey_cli):
    path = tmp_path / "sales.dat"
    path.write_text("\n".join(" ".join(item.replace(" ", "-") for item in row) for row in ROWS) + "\n")
    promise = ["-g", "km-anonymity(k=5, m=3)", "-m", "mm"]
    code, text, errors = covey_cli("anonymize", path, "-o", tmp_path / "out", *promise)
    assert code == 0, errors
    assert "Kept: 2 of 10 items as they were, 75.0 % of all occurrences; 25.0 % of detail lost." in text
    assert "More would be kept by a taxonomy of the items" in text
