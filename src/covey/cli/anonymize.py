"""`covey anonymize`: from a file to a verified release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from covey.cli.command import new_app, verb_command
from covey.cli.options import SEED
from covey.cli.session import said, show, warn
from covey.cli.verify import check_lines, unprotected_lines
from covey.counting import percent, sizes
from covey.errors import ParameterError
from covey.making import publish
from covey.parameters import Scalar, scalar
from covey.pipeline import Published, cut_short
from covey.registry import METHODS
from covey.release.persons import data_of
from covey.report.uniqueness import telling
from covey.tabular import Figures

app = new_app()


OPTIONS = {
    "output": Annotated[
        Path, typer.Option("--output", "-o", metavar="RELEASE", help="Directory to write the release to.")
    ],
    "method": Annotated[
        str | None,
        typer.Option(
            "--method",
            "-m",
            metavar="METHOD",
            help="Which method; `covey methods` lists them. auto compares all.",
            autocompletion=lambda: ["auto", *dict.fromkeys(entry.name for entry in METHODS)],
        ),
    ],
    "csv": Annotated[bool, typer.Option("--csv", help="Write CSV instead of Parquet.")],
    "force": Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace an existing release, even a damaged one; it is moved to RELEASE.1, or the next free number.",
        ),
    ],
    "audit": Annotated[
        float | None,
        typer.Option(
            "--audit",
            metavar="LIFT",
            min=1,
            help="Run all attacks first; write nothing if one has a higher lift. See `covey attack`.",
        ),
    ],
    "keep_at_least": Annotated[
        float | None,
        typer.Option(
            "--keep-at-least",
            metavar="SHARE",
            min=0,
            max=1,
            help="Write nothing that keeps less, such as 0.2: of the most frequent combinations with a sensitive item "
            "those whose count is right; for other kinds what `covey explore` measures.",
        ),
    ],
    "like": Annotated[
        Path | None,
        typer.Option(
            "--like",
            metavar="EARLIER",
            help="An earlier release: people who are in both stay together, as far as the guarantee "
            "allows. Methods that make groups or classes only.",
        ),
    ],
    "like_trace": Annotated[
        Path | None,
        typer.Option(
            "--like-trace", metavar="FILE", help="The trace of the earlier release, if DATA does not keep it."
        ),
    ],
    "trace": Annotated[
        Path | None,
        typer.Option(
            "--trace",
            metavar="FILE",
            help="Write which row was published where, to verify and measure exactly; as secret as the data. A saved "
            "dataset keeps it without, unless FILE is none.",
        ),
    ],
    "seed": SEED,
}
MORE = {
    "settings": Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="An option of the method, such as alpha=5; may be repeated."),
    ],
    "about": Annotated[
        list[str] | None,
        typer.Option(
            "--about",
            metavar="KEY=TEXT",
            help="What the release says of itself: title=…, license=… (a name such as CC-BY-4.0, or an address), "
            "contact=… (an e-mail or web address, or `Name <address>`). May be repeated.",
        ),
    ],
}
EXAMPLES = (
    "covey anonymize sales.csv -g 'degree(p=10)' --sensitive secret.txt -o release",
    "covey anonymize people.covey -g 'k-anonymity(k=5)' -o release --csv",
)


def read_more(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the method, and what the release says of itself."""
    trace = {"trace": False} if str(given["trace"]) == "none" else {}
    return {**_settings(given["settings"]), **_about(given["about"]), **trace}


@verb_command(app, publish, OPTIONS, *EXAMPLES, more=MORE, first=read_more)
def present(published: Published, given: Mapping[str, Any]) -> None:
    """Make a release that keeps a guarantee, verify it, and write it whole or not at all."""
    for note in cut_short(published.manifest):
        warn(note)
    show(published.to_dict(), _result(published, given["audit"]), _details(published))


def _result(published: Published, audit: float | None) -> Iterator[RenderableType]:
    """Yield what was made, that it holds, and what it cost."""
    manifest = published.manifest
    counts = dict(manifest.counts)
    if data_of(manifest.facts) == "records":  # each person's items together, not what was read
        counts.pop("transactions", None)
    yield said(f"{published.path}: {sizes(**counts)}, by {manifest.method}", "bold")
    checks = len(published.verdict.checks)
    yield said(f"{published.verdict.guarantee} holds. {checks} checks of the written files passed.", "green")
    if published.cost is not None:
        more = f" More would be kept by {', or by '.join(published.cost.advice)}." if published.cost.advice else ""
        yield f"{published.cost}{more}"
    if (told := telling(published.uniqueness)) is not None:
        if told.warns:
            warn(told.text)
        else:
            yield told.text
    if published.audit and audit is not None:
        worst = max(published.audit, key=lambda result: float(result.lift))
        yield (
            f"Audit: the highest lift is {worst.lift:.2f} ({worst.attack}); {audit:g} is allowed. "
            "`covey report` shows the figures."
        )
    if published.left_out:
        yield f"Not published, because no option names them: {', '.join(published.left_out)}."
    if published.spent is not None:
        yield (
            f"epsilon spent on each sensitive item by all releases from this dataset: {published.spent:g} (copies of "
            "it and later data about the same people are not counted)"
        )
    if published.compared:
        yield from _compared(published.compared)
    yield f"fingerprint {manifest.fingerprint}"


def _details(published: Published) -> Iterator[RenderableType]:
    """Yield every check, and what was not measured."""
    yield from check_lines(published.verdict.checks)
    if published.verdict.figures.get("counts"):
        yield str(published.verdict.figures["counts"])
    yield from unprotected_lines(name for name, _ in published.unprotected)
    if not published.audit:
        yield "Attacks were not measured: `covey attack` measures them. What it cost in all: `covey evaluate`."


def _compared(compared: Sequence[Figures]) -> Iterator[str]:
    """Yield what `--method auto` compared, the method that it took first, and what that cost."""
    made = [one for one in compared if not one["problem"]]
    seconds = sum(one["seconds"] for one in made)
    yield f"auto compared {len(made)} methods, which took {seconds:.2g} s of CPU time without their measurement:"
    for one in sorted(compared, key=lambda one: (bool(one["problem"]), not one.get("recommended"))):
        told = one["problem"]
        if not told:
            risk = "no attack" if one["risk"] is None else f"best attack right in {percent(one['risk'])}"
            told = f"{risk}; {one['label']}: {one['kept']:.3g}" if one["kept"] is not None else risk
        yield f"  {'→' if one.get('recommended') else ' '} {one['method']}: {told}"


def _about(given: list[str] | None) -> dict[str, str]:
    """Return what a release says of itself from repeated ``--about key=text``."""
    pairs = [text.partition("=")[::2] for text in given or []]
    for key, text in pairs:
        if key not in ("title", "license", "contact") or not text.strip():
            raise ParameterError(f"--about takes title=…, license=… or contact=…. Got {key + '=' + text!r} instead.")
    return dict(pairs)


def _settings(given: list[str] | None) -> dict[str, Any]:
    """Return method options from repeated ``--set key=value``."""
    settings: dict[str, Scalar] = {}
    for text in given or []:
        key, equals, value = text.partition("=")
        key = key.strip()
        if not equals or not key or not value.strip():
            raise ParameterError(f"--set takes key=value, such as --set alpha=5. Got {text!r} instead.")
        if key == "seed":
            raise ParameterError("Give the seed with --seed, not with --set.")
        if key in settings:
            raise ParameterError(f"--set {key} is given twice: with {settings[key]} and {value.strip()}.")
        settings[key] = scalar(value)
    return settings
