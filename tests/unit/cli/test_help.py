"""Every command says by example how it is called, and its help reads well."""

import re
import shlex

import pytest

import covey
from covey.cli.app import COMMANDS as GROUPS
from covey.cli.app import REMOVED, load


def leaves(command, path):
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from leaves(below, (*path, name))
    else:
        yield path, command


COMMANDS = {path: one for group in GROUPS.values() for name in group for path, one in leaves(load(name), (name,))}
#: What every command has that reads something, and what every command has that prints something.
SHARED = {"kind", "person", "sensitive", "trace", "json", "verbose", "quiet", "help"}


def test_the_list_of_commands_is_in_groups(covey_cli):
    assert covey_cli("--version")[1].strip() == f"covey {covey.__version__}"
    code, out, _ = covey_cli("--help")
    assert code == 0
    assert all(word in out for group in GROUPS for word in (group, *GROUPS[group]))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_its_examples_are_understood(path):
    examples = re.findall("`(covey [^`]*)`", COMMANDS[path].epilog)
    assert examples
    for example in examples:
        words = shlex.split(example)
        if words[1 : 1 + len(path)] == list(path):
            assert not COMMANDS[path].make_context(path[-1], words[1 + len(path) :]).args


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_shows_it_and_gives_switches_no_type(path, covey_cli):
    code, out, _ = covey_cli(*path, "--help")
    assert code == 0
    assert "Example" in out
    assert "bool" not in out
    assert out.isascii() or not re.search("[\U0001f300-\U0001faff]", out), "a colon notation became a picture"


def test_no_command_but_prepare_has_more_than_15_options():
    numbers = {path: len({one.name for one in command.params} - SHARED) for path, command in COMMANDS.items()}
    arguments = {path: sum(one.param_type_name == "argument" for one in c.params) for path, c in COMMANDS.items()}
    assert {path for path, number in numbers.items() if number - arguments[path] > 15} == {("prepare",)}


def test_original_and_guarantee_are_required(covey_cli):
    assert "Missing option '--original'" in covey_cli("attack", "release")[2]
    assert "Missing option '--original'" in covey_cli("evaluate", "release")[2]
    assert "Missing option '--guarantee'" in covey_cli("check", "sales.csv")[2]


@pytest.mark.parametrize("command", ["inspect", "items", "taxonomy suggest"])
@pytest.mark.parametrize("option", [word for word in REMOVED if word.startswith("--")])
def test_a_removed_option_is_answered_with_its_replacement(command, option, covey_cli):
    code, out, errors = covey_cli(*command.split(), "sales.csv", option)
    assert (code, out) == (2, "")
    assert " ".join(errors.split()) == f"covey: {option} was removed. {REMOVED[option]}"


def test_removed_options_are_told_in_json_and_others_stay_unknown(covey_cli):
    code, out, errors = covey_cli("items", "sales.csv", "--json", "--names=names.csv")
    assert (code, errors, "--names was removed" in out) == (2, "", True)
    code, _, errors = covey_cli("items", "sales.csv", "--nmes", "names.csv")
    assert (code, "No such option: --nmes" in errors, "removed" in errors) == (2, True, False)
    assert "there is no such file" in covey_cli("items", "sales.csv", "--match", "--names")[2]  # a value, then


def test_a_bar_shows_percentage_and_time_left():
    from rich.console import Console

    from covey.cli import session

    stages = session.Stages()
    stages._bar.disable = False
    stages("grouping", 0.0)
    stages("grouping", 0.25)
    screen = Console(width=120, force_terminal=True, color_system=None, record=True)
    with screen.capture() as shown:
        screen.print(stages._bar.get_renderable())
    stages.close(complete=False)
    assert re.search(r"Forming groups .* 25% .*\d:\d\d", shown.get())
