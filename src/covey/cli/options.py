"""Options that several commands share, declared once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from covey.data.kinds import DATA_KINDS
from covey.errors import OutputError
from covey.guarantees import GUARANTEES
from covey.io.sensitive import Choice
from covey.staging import require_free

if TYPE_CHECKING:
    Kind = str
else:
    Kind = Literal[tuple(DATA_KINDS)]

DATA = Annotated[
    str,
    typer.Argument(metavar="DATA", help="A dataset made by `covey prepare`, or a file whose layout is recognized."),
]
RELEASE = Annotated[
    Path, typer.Argument(metavar="RELEASE", help="The directory that `covey anonymize` wrote, or a ZIP file of it.")
]
GUARANTEE = Annotated[
    str,
    typer.Option(
        "--guarantee",
        "-g",
        metavar="GUARANTEE",
        help=f"Such as 'degree(p=10)' or 'k-anonymity(k=5)'; one of {', '.join(GUARANTEES)}.",
        autocompletion=lambda: [f"{name}(" for name in GUARANTEES],
    ),
]
SENSITIVE = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        "-s",
        metavar="ITEMS",
        help="Sensitive items: a file with one per line, @FILE, or a comma-separated list; also `glob:*TEST*`, "
        "`re:REGEX`, and `under:NODE` of the taxonomy. May be repeated.",
    ),
]
KIND = Annotated[Kind | None, typer.Option("--kind", help="What a file contains; by default, what the method takes.")]
PERSON = Annotated[
    str | None,
    typer.Option(
        "--person", metavar="COLUMN", help="Column of a file that names the person, who may have several rows."
    ),
]
TAXONOMY = Annotated[
    str | None,
    typer.Option(
        "--taxonomy",
        "-t",
        metavar="FILE",
        help="How items may be generalized: child,parent lines, item,level2,level1 columns, "
        "leaf;parent;* lines or JSON.",
    ),
]
JOBS = Annotated[
    int | None, typer.Option("--jobs", "-j", min=1, help="How many processes to use; by default, all cores.")
]
FORCE = Annotated[
    bool,
    typer.Option("--force", help="Replace files that exist, whoever wrote them; never those that are read here."),
]


def option(kind: Any, help: str, *flags: str, **more: Any) -> Any:
    """Return the type of an option as typer reads it; without `flags` it has the name of its parameter."""
    return Annotated[kind, typer.Option(*flags, help=help, **more)]


ORIGINAL = option(str, "The data that the release was made from.", metavar="DATA")
SEED = option(int | None, "Make the result reproducible. Keep the seed secret: it can undo the shuffle.", min=0)
#: The shared options by the name of the parameter.
SHARED = {
    "data": DATA,
    "release": RELEASE,
    "original": option(
        str | None,
        "The data that the release was made from; what this adds is for you alone.",
        metavar="DATA",
    ),
    "guarantee": GUARANTEE,
    "sensitive": SENSITIVE,
    "kind": KIND,
    "person": PERSON,
    "taxonomy": TAXONOMY,
    "trace": option(
        list[Path] | None,
        "The trace of the release, which `covey anonymize --trace` wrote; a saved dataset has it. Repeatable.",
        metavar="FILE",
    ),
    "engine": option(Literal["local", "spark"], "Where to run: in this process, or on Apache Spark."),
    "master": option(str | None, "Spark's master, such as local[2]; only with --engine spark.", metavar="URL"),
    "seed": option(int, "For everything that is drawn at random.", min=0),
}


def marks(given: list[str] | None) -> str | Choice | None:
    """Return what several ``--sensitive`` name together; None if there is none."""
    return None if not given else given[0] if len(given) == 1 else Choice(tuple(given))


def split_labels(given: list[str] | None, known: tuple[str, ...]) -> list[str]:
    """Return labels from repeated options and comma lists; a known label with a comma in it is kept whole."""
    labels: list[str] = []
    for text in given or []:
        labels += [text] if text in known else [part.strip() for part in text.split(",") if part.strip()]
    return labels


def require_files(
    wanted: Iterable[tuple[Path | None, tuple[bytes, ...]]], *, inputs: Iterable[Any] = (), force: bool = False
) -> None:
    """Refuse to write where something would be lost, before any work is done; see `require_free`.

    `wanted` are files, each with the marks of earlier ones of the same kind, or None; `inputs` may name files.
    """
    read_here = list(inputs)
    before: set[str] = set()
    for file, kept in wanted:
        if file is None:
            continue
        place = os.path.realpath(file)
        if place in before:
            raise OutputError(f"{file} is the name of another file that will be written there. Choose another name.")
        before.add(place)
        require_free(file, inputs=read_here, marks=kept, force=force)
