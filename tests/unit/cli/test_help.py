"""Every command says by example how it is called, and its help reads well."""

import re
import shlex

import pytest
import typer.main
from typer.testing import CliRunner

from covey.cli.app import COMMANDS as ALL
from covey.cli.app import app, stand_in, with_commands
from covey.cli.helping import EXAMPLES


def leaves(command, path=()):
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from leaves(below, (*path, name))
    else:
        yield path, command


COMMANDS = dict(leaves(typer.main.get_command(app)))


def test_the_list_of_commands_needs_none_of_them():
    real, listed = (
        CliRunner().invoke(with_commands(ALL, listed=listed), ["--help"]).output for listed in (False, True)
    )
    assert listed == real
    assert all(stand_in(*target) is not None for target in ALL.values())
    assert stand_in("covey.cli.app", "COMMANDS") is None


def test_every_command_has_an_example():
    assert {" ".join(path) for path in COMMANDS} == set(EXAMPLES)


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_its_examples_are_understood(path):
    for example in EXAMPLES[" ".join(path)]:
        words = shlex.split(example)
        assert tuple(words[1 : 1 + len(path)]) == path
        context = COMMANDS[path].make_context(path[-1], words[1 + len(path) :])
        assert not context.args


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_shows_it_and_gives_switches_no_type(path, covey_cli):
    code, out, _ = covey_cli(*path, "--help")
    assert code == 0
    assert "Example" in out
    assert "bool" not in out
    assert out.isascii() or not re.search("[\U0001f300-\U0001faff]", out), "a colon notation became a picture"


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
