"""The options with which `covey prepare` reads files; other commands answer them with the command to type."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from covey.data.kinds import ReadingOption, data_kinds
from covey.errors import ParameterError

_PANEL = "Reading the data"


def _declared() -> dict[str, ReadingOption]:
    """Every reading option by its flag, as the first kind that has it declares it, but arguments."""
    found: dict[str, ReadingOption] = {}
    for option in (option for one in data_kinds() for option in one.options):
        if option.name not in ("also", "person"):
            found.setdefault(option.flag or f"--{option.name}", option)
    return found


def _annotated(flag: str, option: ReadingOption) -> Any:
    """The option as a command has it."""
    several = option.many or option.joins is not None
    kind: Any = bool | None if option.switch else list[str] | None if several else str | None
    return Annotated[kind, typer.Option(flag, help=option.says, rich_help_panel=_PANEL)]


def _together(option: ReadingOption, given: Any) -> Any:
    """What an option says in all, if it may be given several times."""
    if not isinstance(given, list):
        return given
    if len(given) == 1 and not option.file:
        return given[0]
    return given if option.joins is None else option.joins(given)


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the options with which data is read; it gets them as the dict `reading`."""
    declared = {option.name: (flag, option) for flag, option in _declared().items()}
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=_annotated(flag, option))
        for name, (flag, option) in declared.items()
    ]
    own = inspect.signature(command, eval_str=True)
    kept = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in own.parameters.values()
        if parameter.name != "reading"
    ]

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        command(reading={name: _together(one, given.pop(name)) for name, (_, one) in declared.items()}, **given)

    signature = own.replace(parameters=[*kept, *added])
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    del wrapper.__wrapped__
    return wrapper


def refuse_moved(
    option: str, command: str, args: Sequence[str], parse: Callable[[list[str]], Mapping[str, Any]]
) -> None:
    """Raise with the `covey prepare` command to type if an option is one of its options.

    `parse` returns the values of the other options and arguments of the command, by name.
    """
    declared = _declared()
    if option not in declared:
        return
    moved, rest, words = list[str](), list[str](), iter(args)
    for word in words:
        flag = word.partition("=")[0]
        if flag in declared:
            moved += [word] if "=" in word or declared[flag].switch else [word, next(words, "")]
        else:
            rest.append(word)
    other = parse(rest)
    data = str(other.get("original") or other.get("data") or "FILE")
    for name in ("kind", "person", "sensitive"):
        given = other.get(name)
        for value in given if isinstance(given, list | tuple) else [given] if given is not None else []:
            moved += [f"--{name}", str(value)]
    made = f"{Path(data).name.split('.')[0]}.covey"
    raise ParameterError(
        f"{option} is an option of covey prepare, which reads a file once for all commands. Type: "
        f"{shlex.join(['covey', 'prepare', data, *moved, '-o', made])}  and then give {made} to covey {command}."
    )
