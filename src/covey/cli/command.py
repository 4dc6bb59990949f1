"""What every command has: examples, the options of its output, and answers to options that moved or were removed."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, TypeVar, get_args

import typer
from typer.core import TyperCommand, TyperOption

from covey.cli.app import refuse_removed
from covey.cli.options import SHARED, marks
from covey.cli.session import mode, watched
from covey.data.kinds import ReadingOption, data_kinds
from covey.errors import ParameterError

F = TypeVar("F", bound=Callable[..., None])
T = TypeVar("T")

#: What a command was given: values by the names of its parameters.
Given = Mapping[str, Any]
#: What says how a file is read.
READING = ("sensitive", "kind", "person")
#: The options with which a command's output is chosen; every command has them.
OUTPUT = {
    "json": Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")],
    "verbose": Annotated[bool, typer.Option("--verbose", "-v", help="Print all checks, tables and explanations, too.")],
    "quiet": Annotated[bool, typer.Option("--quiet", "-q", help="Print errors and warnings only.")],
}


def new_app(says: str | None = None) -> typer.Typer:
    """Return what holds a command or, with a help text, a group of commands."""
    return typer.Typer(help=says, no_args_is_help=says is not None, add_completion=False, rich_markup_mode="markdown")


def command(app: typer.Typer, *examples: str, name: str | None = None, also: Sequence[str] = ()) -> Callable[[F], F]:
    """Register a command with its examples, and paragraphs that its help shows after them."""
    epilog = ["Examples:" if len(examples) > 1 else "Example:", *(f"`{example}`" for example in examples), *also]

    def register(function: F) -> F:
        @functools.wraps(function)
        def called(**given: Any) -> None:
            for option in OUTPUT:
                setattr(mode, option, given.pop(option))
            function(**given)

        own = inspect.signature(function, eval_str=True).parameters.values()
        with_options(called, own, {option: (kind, False) for option, kind in OUTPUT.items()})
        app.command(name, cls=Command, epilog="\n\n".join(epilog))(called)
        return function

    return register


def with_options(
    function: Callable[..., None], own: Iterable[inspect.Parameter], added: Mapping[str, tuple[object, object]]
) -> Callable[..., None]:
    """Give a function its `own` parameters and others by name, each with its type as typer reads it and its default."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [one.replace(kind=keyword) for one in own]
    for name, (kind, default) in added.items():
        parameters.append(inspect.Parameter(name, keyword, annotation=kind, default=default))
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {one.name: one.annotation for one in parameters}
    function.__dict__.pop("__wrapped__", None)
    return function


def verb_command(
    app: typer.Typer,
    verb: Callable[..., T],
    options: Mapping[str, object],
    *examples: str,
    name: str = "",
    more: Mapping[str, tuple[object, object]] = MappingProxyType({}),
    first: Callable[[Given], Given] = lambda given: {},
) -> Callable[[Callable[[T, Given], None]], None]:
    """Register a command that calls a function of `covey` and shows what it returns.

    The command has the name and the function's parameters as options, those in `options` and the shared ones; another
    `name` can be given.
    The function does not get `more` options, but what `first` makes of what is given; `first` may also refuse it.
    """

    def register(present: Callable[[T, Given], None]) -> None:
        own = inspect.signature(verb).parameters
        declared = {**SHARED, **options}

        def called(**given: Any) -> None:
            further = first(given)
            read = {name: value for name, value in given.items() if name not in more and value is not None}
            if "sensitive" in read:
                read["sensitive"] = marks(given["sensitive"])
            present(watched(lambda stages: verb(**{**read, **further}, progress=stages)), given)

        added: dict[str, tuple[object, object]] = {}
        for parameter in dict.fromkeys([*own, *READING]):
            if parameter in declared:
                kind = declared[parameter]
                default = own[parameter].default if parameter in own else None
                if default is None and type(None) not in get_args(get_args(kind)[0]):
                    default = inspect.Parameter.empty  # the option is required
                elif default == ():
                    default = None
                added[parameter] = kind, default
        called.__doc__, called.__name__ = present.__doc__, name or verb.__name__
        command(app, *examples)(with_options(called, (), {**added, **more}))

    return register


class Command(TyperCommand):
    """A command whose switches have no type, and whose options are not given twice if they take one value."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, for help and for parsing."""
        params = super().get_params(ctx)
        for param in params:
            if getattr(param, "is_flag", False) and param.metavar is None:
                param.metavar = ""  # a type would read as if the switch took a value
        return params

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; refuse what would be lost without a word, and what moved or was removed."""
        if not ctx.resilient_parsing:
            try:
                *_, order = self.make_parser(ctx).parse_args(args=list(args))
            except Exception as error:
                option = str(getattr(error, "option_name", ""))
                refuse_removed(option)
                name = ctx.command_path.partition(" ")[2]
                refuse_moved(option, name, args, lambda rest: self.make_parser(ctx).parse_args(args=rest)[0])
                raise
            single = [one for one in order if isinstance(one, TyperOption) and not (one.multiple or one.is_flag)]
            twice = next((one for place, one in enumerate(single) if one in single[:place]), None)
            if twice is not None:
                raise typer.BadParameter("it takes one value, and is given twice.", ctx=ctx, param=twice)
        return super().parse_args(ctx, args)


def reading_options() -> dict[str, ReadingOption]:
    """Return every reading option of `covey prepare` by its flag, as the first kind that has it declares it."""
    found: dict[str, ReadingOption] = {}
    for option in (option for one in data_kinds() for option in one.options):
        if option.name not in ("also", "person"):
            found.setdefault(option.flag, option)
    return found


def refuse_moved(option: str, command: str, args: Sequence[str], parse: Callable[[list[str]], Given]) -> None:
    """Raise with the `covey prepare` command to type if an option is one of its options.

    `parse` returns the values of the other options and arguments of the command, by name.
    """
    declared = reading_options()
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
