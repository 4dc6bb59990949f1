"""An option that was removed is answered with what to use instead."""

import json

import pytest

from covey.cli.removed import OPTIONS


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "sales.dat"
    path.write_text("a s\na\nb\nb c\n")
    return path


@pytest.mark.parametrize("command", ["inspect", "items", "taxonomy suggest"])
@pytest.mark.parametrize("option", OPTIONS)
def test_names_the_replacement(command, option, data, covey_cli):
    code, out, errors = covey_cli(*command.split(), data, option)
    assert (code, out) == (2, "")
    assert " ".join(errors.split()) == f"covey: {option} was removed. {OPTIONS[option]}"


def test_answers_in_json(data, covey_cli):
    code, out, errors = covey_cli("items", data, "--json", "--names=names.csv")
    assert (code, errors) == (2, "")
    assert json.loads(out)["error"]["message"] == f"--names was removed. {OPTIONS['--names']}"


def test_other_unknown_options_stay_unknown(data, covey_cli):
    code, _, errors = covey_cli("items", data, "--nmes", "names.csv")
    assert code == 2
    assert "No such option: --nmes" in errors
    assert "removed" not in errors


def test_takes_it_as_a_value_where_one_is_expected(data, covey_cli):
    assert "'--names'" in covey_cli("items", data, "--match", "--names")[2]
