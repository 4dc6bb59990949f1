"""What can be chosen: everything that the registry has, with fields that know their limits."""

import pytest

import covey
from covey.data.kinds import data_kinds
from covey.errors import ParameterError
from covey.guarantees import guarantee_class
from covey.parameters import call_text
from covey.registry import METHODS
from covey.web.server.choices import checked_request, guarantee_choices, method_choices, price
from covey.web.server.parameters import fields_of, suggested_guarantees
from covey.web.server.reading import checked_options, reading_options


def test_every_guarantee_of_the_registry_is_a_choice_with_fields():
    offered = {
        (kind, choice.name)
        for kind in ("baskets", "ratings", "table", "records")
        for choice in guarantee_choices(kind, {}, sensitive=False, taxonomy=False)
    }
    assert offered == {(entry.data, name) for entry in METHODS for name in entry.guarantees}
    for kind, name in offered:
        found = method_choices(kind, name, taxonomy=True)
        assert [method.recommended for method in found] == [True] + [False] * (len(found) - 1)
        # What is suggested is accepted, and every parameter has words.
        covey.guarantee(call_text(name, suggested_guarantees(kind)[name]))
        fields = fields_of(guarantee_class(name))
        assert all(field.help and field.type for field in fields)


def test_fields_know_their_types_and_limits():
    by_name = {
        (choice.name, field.name): field
        for choice in guarantee_choices("baskets", {}, sensitive=True, taxonomy=False)
        for field in choice.fields
    }
    assert (by_name["degree", "p"].type, by_name["degree", "p"].minimum) == ("integer", 2)
    assert by_name["km-anonymity", "m"].infinite
    assert (by_name["coherence", "h"].type, by_name["coherence", "h"].maximum) == ("number", 1)
    [_, cahd, *_] = method_choices("baskets", "degree(p=3)", taxonomy=False)
    fields = {field.name: field for field in cahd.fields}
    assert fields["order"].choices == ["rcm", "gray", "none", "random"]
    assert "seed" not in fields


def test_reading_options_are_those_of_the_command_line():
    for kind in data_kinds():
        assert set(reading_options(kind.name)) == set(kind.option_names()) - {"hierarchies", "baskets", "names"}


def test_a_visitor_names_no_file_of_the_server():
    with pytest.raises(covey.CoveyError, match="no reading option 'baskets'"):
        checked_options("records", {"baskets": "/etc/passwd", "person": "customer"})
    with pytest.raises(covey.CoveyError, match="no reading option 'names'"):
        checked_options("baskets", {"names": "/etc/passwd"})


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("table", "degree(p=3)", None, {}), "No method keeps degree for table"),
        (("baskets", "degree(p=1)", None, {}), ">= 2"),
        (("baskets", "degree(p=3)", "cadh", {}), "Did you mean 'cahd'"),
        (("baskets", "degree(p=3)", "cahd", {"alpha": 0}), "'alpha'"),
        (("baskets", "degree(p=3)", "cahd", {"beta": 1}), "no parameter 'beta'"),
        (("baskets", "degree(p=3)", "cahd", {"seed": 1}), "seed"),
        (("baskets", "k-anonymity(k=3)", None, {}), "treats all items alike"),
        (("baskets", "nonsense", None, {}), "no guarantee"),
    ],
)
def test_a_request_is_checked_before_anything_starts(asked, words):
    kind, guarantee, method, options = asked
    with pytest.raises(ParameterError, match=words):
        checked_request(kind, guarantee, method, options, None, sensitive=True)


def test_texts_of_a_form_become_values():
    checked = checked_request("baskets", "degree(10)", None, {"likely": "0.5", "typical": ""}, 7, sensitive=True)
    assert checked == ("degree(p=10)", "matched", {"likely": 0.5})


def test_the_price_of_p_is_told_before_anything_is_released():
    limits = {"degree": {"admissible_up_to": [2, 3, 5, 12, 40]}}
    told = price("degree(p=10)", limits)
    assert "The price of p = 10: of the 5 most frequent pairs" in told
    assert "2 can be kept (3 at p = 4; 5 at p = 2)" in told
    assert price("degree(p=2)", limits) is None
    assert price("k-anonymity(k=5)", {}) is None
