"""Values of options mean what typer makes of them, and are refused in its words."""

from pathlib import Path
from typing import Annotated

import pytest
import typer

from covey.cli.values import spare_pydantic

DECLARED = {
    "text": (str, {}),
    "number": (int, {"min": 2, "max": 20}),
    "free": (int, {}),
    "share": (float, {"min": 0}),
    "path": (Path, {}),
    "there": (Path, {"exists": True}),
    "folder": (Path, {"file_okay": False}),
    "listed": (list[str], {}),
    "numbers": (list[int], {"max": 9}),
    "upper": (str, {"parser": str.upper}),
}
GIVEN = ["", "a", "7", "007", "-7", "+7", "1_0", "٧", "7.0", "1e1", "21", " 7", ".", "no such file", "nan", "9" * 30]


def outcome(name, words, plain):
    """What a command takes `words` for, or how it refuses them."""
    wanted, settings = DECLARED[name]
    app, seen = typer.Typer(), []

    def command(value=None):
        seen.append((type(value), str(value)))

    command.__annotations__["value"] = Annotated[wanted | None, typer.Option(**settings)]
    app.command()(command)
    made = typer.main.get_command(app)
    for param in made.params if plain else []:
        spare_pydantic(param)
        spare_pydantic(param)  # parameters are asked for more than once
    try:
        made.main(words, standalone_mode=False)
    except Exception as error:
        return type(error), error.format_message()
    return seen


@pytest.mark.parametrize("name", DECLARED)
def test_values_are_those_of_typer(name):
    for word in GIVEN:
        for words in (["--value", word], ["--value", "5", "--value", word]):
            assert outcome(name, words, plain=True) == outcome(name, words, plain=False), words
    assert outcome(name, [], plain=True) == outcome(name, [], plain=False)
