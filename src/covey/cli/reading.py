"""The options with which data is read, derived from the kinds of data and added to each command that reads."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any

import typer

from covey.data.kinds import DATA_KINDS, ReadingOption, data_kinds

_PANEL = "Reading the data"


def _declared() -> dict[str, ReadingOption]:
    """Every reading option once, as the first kind that has it declares it."""
    found: dict[str, ReadingOption] = {}
    for option in (option for one in data_kinds() for option in one.options):
        found.setdefault(option.name, option)
    return found


def _options() -> dict[str, Any]:
    """The reading options as the command line has them."""
    says = f"{', '.join(DATA_KINDS)}: what the data contains; by default, what the method takes."
    found: dict[str, Any] = {"kind": Annotated[str | None, typer.Option("--kind", help=says, rich_help_panel=_PANEL)]}
    for option in _declared().values():
        flag = option.flag or f"--{option.name}"
        several = option.many or option.joins is not None
        kind: Any = bool | None if option.switch else list[str] | None if several else str | None
        found[option.name] = Annotated[kind, typer.Option(flag, help=option.says, rich_help_panel=_PANEL)]
    return found


def _together(name: str, given: Any) -> Any:
    """What an option says in all, if it may be given several times."""
    if not isinstance(given, list):
        return given
    option = _declared()[name]
    if len(given) == 1 and not option.file:
        return given[0]
    return given if option.joins is None else option.joins(given)


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the options with which data is read; it gets them as the dict `reading`.

    ``Source.of(data, **reading)`` is then all that the command needs to write.
    """
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for name, option in _options().items()
    ]
    own = inspect.signature(command, eval_str=True)
    kept = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in own.parameters.values()
        if parameter.name != "reading"
    ]

    @functools.wraps(command)
    def wrapper(**given: Any) -> None:
        reading = {parameter.name: _together(parameter.name, given.pop(parameter.name)) for parameter in added}
        command(**given, reading=reading)

    signature = own.replace(parameters=[*kept, *added])
    wrapper.__signature__ = signature  # type: ignore[attr-defined]
    wrapper.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    del wrapper.__wrapped__
    return wrapper
