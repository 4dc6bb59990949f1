"""Only `covey prepare` has reading options; another command answers them with the command to type."""

import json
import re
import shlex

import pytest

import covey


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},w{i % 5},{item}\n" for i in range(20) for item in ("ale", "tea", "" if i % 9 else "test"))
    (tmp_path / "my sales.csv").write_text("visit,who,thing\n" + rows)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "inspect 'my sales.csv' --item thing --missing drop --person who -s test --known 1",
        "anonymize 'my sales.csv' -g 'degree(p=2)' -o out --item=thing --person who --missing=drop --sensitive test",
        "verify nowhere --original 'my sales.csv' --person who --item thing --missing drop -s test --json",
    ],
)
def test_answers_a_moved_option_with_the_command_to_type(words, folder, covey_cli):
    code, text, errors = covey_cli(*shlex.split(words))
    told = json.loads(text)["error"]["message"] if "--json" in words else " ".join(errors.split())
    assert (code, "--item is an option of covey prepare" in told) == (2, True)
    command = re.search(r"Type: (covey prepare .*)  ?and then give", told)[1]
    code, _, errors = covey_cli(*shlex.split(command)[1:])
    assert code == 0, errors
    made = covey.load("my sales.covey")
    assert (made.items, made.sensitive_items(), made.persons) == (("ale", "tea", "test"), ["test"], 5)


def test_names_the_file_where_none_is_given(covey_cli):
    code, _, errors = covey_cli("verify", "release", "--row-is-person")
    assert (code, "covey prepare FILE --row-is-person -o FILE.covey" in " ".join(errors.split())) == (2, True)
