"""Options that several commands share, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from covey.data.kinds import DATA_KINDS
from covey.engine import ENGINES
from covey.errors import ParameterError
from covey.parameters import scalar

DATA = Annotated[
    str,
    typer.Argument(metavar="DATA", help="A dataset made by `covey prepare`, or a file whose layout is recognized."),
]
RELEASE = Annotated[Path, typer.Argument(metavar="OUT", help="A release: the directory `covey anonymize` wrote.")]
ORIGINAL = Annotated[str, typer.Option("--original", help="The data the release was made from.")]
PACKED = Annotated[
    Path, typer.Argument(metavar="OUT", help="A release: the directory `covey anonymize` wrote, or a ZIP file of it.")
]
TRACE = Annotated[
    list[Path] | None,
    typer.Option(
        "--trace",
        metavar="FILE",
        help="The trace of the release, which `covey anonymize --trace` wrote; a saved dataset has it. Repeatable.",
    ),
]
JSON = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
SENSITIVE = Annotated[
    list[str] | None,
    typer.Option(
        "--sensitive",
        "-s",
        help="Sensitive items: a file with one per line, @FILE, or a comma-separated list; also `glob:*TEST*`, "
        "`re:REGEX`, and `under:NODE` of the taxonomy. May be repeated.",
    ),
]
KIND = Annotated[
    str | None,
    typer.Option(
        "--kind", metavar="|".join(DATA_KINDS), help="What a file contains; by default, what the method takes."
    ),
]
PERSON = Annotated[
    str | None, typer.Option("--person", help="Column of a file that names the person, who may have several rows.")
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
SEED = Annotated[
    int | None,
    typer.Option("--seed", min=0, help="Make the result reproducible. Keep the seed secret: it can undo the shuffle."),
]
ENGINE = Annotated[
    str,
    typer.Option("--engine", metavar="|".join(ENGINES), help="Where to run: in this process, or on Apache Spark."),
]
MASTER = Annotated[
    str | None,
    typer.Option("--master", metavar="URL", help="Spark's master, such as local[2]; only with --engine spark."),
]


def marks(given: list[str] | None) -> Any:
    """What several ``--sensitive`` name together; None if there is none."""
    from covey.io.sensitive import Choice

    return None if not given else given[0] if len(given) == 1 else Choice(tuple(given))


def split_labels(given: list[str] | None, known: tuple[str, ...]) -> list[str]:
    """Labels from repeated options and comma lists; a known label with a comma in it is kept whole."""
    labels: list[str] = []
    for text in given or []:
        labels += [text] if text in known else [part.strip() for part in text.split(",") if part.strip()]
    return labels


def parse_about(given: list[str] | None) -> dict[str, str]:
    """What a release says of itself from repeated ``--about key=text``."""
    pairs = [text.partition("=")[::2] for text in given or []]
    for key, text in pairs:
        if key not in ("title", "license", "contact") or not text.strip():
            raise ParameterError(f"--about takes title=…, license=… or contact=…. Got {key + '=' + text!r} instead.")
    return dict(pairs)


def parse_settings(given: list[str] | None) -> dict[str, Any]:
    """Method options from repeated ``--set key=value``."""
    settings: dict[str, Any] = {}
    for text in given or []:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise ParameterError(f"--set takes key=value, such as --set alpha=5. Got {text!r} instead.")
        if key.strip() == "seed":
            raise ParameterError("Give the seed with --seed, not with --set.")
        if key.strip() in settings:
            raise ParameterError(
                f"--set {key.strip()} is given twice: with {settings[key.strip()]} and {value.strip()}."
            )
        settings[key.strip()] = scalar(value)
    return settings
