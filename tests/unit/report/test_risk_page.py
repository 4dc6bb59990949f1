import pytest
from rich.console import Console

import covey
from covey.measure.inspection import inspect_data
from covey.report.inspection import DESCRIPTIONS, risk_page

TREE = covey.Taxonomy.from_nested({"drinks": {"beer": ["ale", "stout"], "hot": ["tea", "a<b"]}})
BASKETS = covey.Baskets.of([["ale", "tea", "a<b"], ["ale", "tea"], ["ale"], []], sensitive=["a<b"])
RATINGS = covey.Ratings.of([[5, 1, None], [5, 2, 3]], issues=["x", "[y]", "z"], scale="1:5", sensitive=["z"])
TABLE = covey.Table.of({"age": [30, 30, 40], "ill": ["flu", "gout", "flu"]}, sensitive=["ill"])


def printed(body):
    console = Console(width=160)
    described = DESCRIPTIONS[body["kind"]](body)
    with console.capture() as caught:
        for part in (*described.shape, *described.details):
            console.print(part)
    return " ".join(caught.get().split())


@pytest.mark.parametrize("data", [BASKETS, RATINGS, TABLE], ids=lambda data: data.kind)
def test_terminal_and_page_tell_the_same(data):
    body = inspect_data(data, known=2, samples=50)
    page = risk_page("x", body)
    described = DESCRIPTIONS[data.kind](body)
    text = printed(body)
    for part in (*described.shape, *described.details):
        for row in part.rows:
            for cell in filter(None, row):
                assert cell in text
                assert f">{cell.replace('<', '&lt;')}<" in page
    for number, what in described.tiles:
        assert f"<b>{number}</b><span>{what}</span>" in page


def test_baskets_in_words():
    text = printed(inspect_data(BASKETS, known=1))
    assert "4 baskets, 4 items, 6 entries" not in text  # stout does not occur, so there are three items
    assert "4 baskets, 3 items, 6 entries (50 % of the matrix)" in text
    assert "1 of the baskets are empty" in text
    assert "degree(p) is feasible up to p = 4." in text


def test_ratings_and_tables_in_words():
    assert "2 respondents, 3 issues, 5 ratings on 1:5 (83 % of the matrix)" in printed(inspect_data(RATINGS, known=1))
    assert "[y] 2" in printed(inspect_data(RATINGS, known=1))  # a label is no markup
    assert "3 rows; 33 % of the rows are unique by all quasi-identifiers" in printed(inspect_data(TABLE, known=1))


def test_the_page_escapes_labels_and_gives_the_risk():
    page = risk_page("sales & more.csv", inspect_data(BASKETS, known=2))
    assert "sales &amp; more.csv" in page
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert "Someone who knows 2 items of a basket finds that basket with a chance of 50 %" in page
    assert "Internal use only" in page


def test_nobody_long_enough_and_nothing_sensitive_leave_their_sections_out():
    page = risk_page("x", inspect_data(covey.Baskets.of([[], []]), known=1))
    assert "If it were published" not in page
    assert "Sensitive items" not in page


def test_a_taxonomy_is_described_with_what_it_lacks():
    body = inspect_data(covey.Baskets.of([["ale", "rum"], ["beer"]]), known=1, taxonomy=TREE)
    assert (body["taxonomy"]["items_missing"], body["taxonomy"]["items_not_leaves"]) == (["rum"], ["beer"])
    text = printed(body)
    assert "below 'drinks': 7 nodes, 4 leaves nodes by depth 1 → 2 → 4" in text
    assert "1 item not in it: rum" in text
    assert "1 item in it, but not as leaves: beer" in text
    assert "1 item not in it: rum" in risk_page("x", body)


@pytest.mark.parametrize("data", [RATINGS, TABLE], ids=lambda data: data.kind)
def test_other_kinds_have_no_use_for_a_taxonomy(data):
    with pytest.raises(covey.CoveyError, match=f"this was read as {data.kind}"):
        inspect_data(data, taxonomy=TREE)
