"""`covey prepare`: read files once, with all choices made, and save them as a dataset."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import command, new_app, reading_options, with_options
from covey.cli.options import KIND, PERSON, SENSITIVE, TAXONOMY, marks
from covey.cli.session import mode, show, warn, watched
from covey.data.kinds import ReadingOption
from covey.errors import ParameterError
from covey.io.prepare import prepare as run
from covey.io.preview import Proposal, propose
from covey.io.source import Source

app = new_app()
#: Options that say what a file is, and not what is in it.
ABOUT = {"format", "sheet", "separator", "encoding"}


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command the options with which data is read; it gets them as the dict `reading`."""
    declared = {option.name: (flag, option) for flag, option in reading_options().items()}

    @functools.wraps(command)
    def called(**given: Any) -> None:
        command(reading={name: _joined(one, given.pop(name)) for name, (_, one) in declared.items()}, **given)

    own = inspect.signature(command, eval_str=True).parameters.values()
    added = {name: (_annotated(flag, option), None) for name, (flag, option) in declared.items()}
    return with_options(called, [one for one in own if one.name != "reading"], added)


def _annotated(flag: str, option: ReadingOption) -> Any:
    """Return the type of an option, as typer reads it."""
    kind: Any = bool if option.switch else Literal[option.one_of] if option.one_of else str
    if option.many or option.joins is not None:
        kind = list[str]
    return Annotated[kind | None, typer.Option(flag, help=option.says, rich_help_panel="Reading the data")]


def _joined(option: ReadingOption, given: Any) -> Any:
    """Return what an option says in all, if it may be given several times."""
    if not isinstance(given, list):
        return given
    if len(given) == 1 and not option.file:
        return given[0]
    return given if option.joins is None else option.joins(given)


@command(
    app,
    "covey prepare export.xlsx --item StockCode --person CustomerID --missing drop -o shop.covey",
    "covey prepare people.csv --quasi age,zip,job --sensitive illness -o people.covey",
    "covey prepare next-month.xlsx --like shop.covey -o next-month.covey",
)
@reads
def prepare(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="The data: FIMI, CSV, Parquet, Excel, JSON Lines, SQLite, DuckDB; text also as .gz and .zst. Of "
            "several, --query makes one.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DATA.covey", help="The dataset to make; by default FILE.covey."),
    ] = None,
    sensitive: SENSITIVE = None,
    kind: KIND = None,
    person: PERSON = None,
    taxonomy: TAXONOMY = None,
    like: Annotated[
        Path | None,
        typer.Option("--like", metavar="EARLIER.covey", help="Repeat the choices that were made for this dataset."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing dataset; it is moved to DATA.covey.1.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Read a raw export as covey proposes.")] = False,
    *,
    reading: dict[str, Any],
) -> None:
    """Read data, clean it, name persons and sensitive items, and save it as a dataset that every command takes."""
    first, *also = files
    target = output or Path(f"{Path(first).name.split('.')[0]}.covey")
    source = Source.of(first, sensitive=marks(sensitive), kind=kind, person=person, also=also or None, **reading)
    given: dict[str, Any] = {"taxonomy": taxonomy, "like": like, "force": force}
    if like is None and kind is None and person is None and not also and not set(source.options) - ABOUT:
        found = watched(lambda _: propose(first, source.options))
        if found is not None:
            source = _proposed(source, found, target, sensitive or [], yes=yes)
            given["rows"] = found.rows
    made = watched(lambda stages: run(source, target, progress=stages, **given))
    show(made.to_dict(), made.lines())
    if not mode.json:
        for text in made.warned:
            warn(text)


def _proposed(source: Source, found: Proposal, target: Path, sensitive: list[str], *, yes: bool) -> Source:
    """Return the source with the options that are proposed, or print them and stop."""
    options = {**source.options, **found.options}
    words = ["covey", "prepare", str(source.data)]
    words += [word for name, value in options.items() for word in (f"--{name}", str(value))]
    words += [word for text in sensitive for word in ("--sensitive", text)]
    if found.persons:
        words += ["--person", "COLUMN"]
    typed = shlex.join([*words, "-o", str(target)])
    doubt = f"These columns all seem to name persons: {', '.join(found.persons)}. " if found.persons else ""
    if yes and not doubt:
        return Source.of(source.data, sensitive=source.sensitive, kind="baskets", **options)
    if yes or mode.json:
        raise ParameterError(f"{doubt or 'This looks like a raw export. '}Type: {typed}")
    show({}, _proposal(found, typed, certain=not doubt))
    if doubt:
        warn(f"{doubt}A wrong one voids the guarantee: choose the one that names who is to be protected.")
    raise typer.Exit(2)


def _proposal(found: Proposal, typed: str, *, certain: bool) -> Iterator[RenderableType]:
    yield Text("This looks like a raw export. Proposed:", "bold")
    for reason in found.reasons:
        yield f"  {reason}"
    yield f"\n{typed}"
    yield "Nothing was written." + (" --yes does this." if certain else "")
