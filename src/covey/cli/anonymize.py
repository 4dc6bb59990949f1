"""`covey anonymize`: from a file to a verified release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import Given, new_app, verb_command
from covey.cli.options import SEED, option
from covey.cli.session import check_lines, show, unprotected_lines, warn
from covey.counting import percent, sizes
from covey.errors import ParameterError
from covey.making import publish
from covey.parameters import scalar
from covey.pipeline import Published, cut_short
from covey.registry import METHODS
from covey.release.base import data_of
from covey.report.uniqueness import telling
from covey.tabular import Figures

app = new_app()


OPTIONS = {
    "output": option(Path, "Directory to write the release to.", "--output", "-o", metavar="RELEASE"),
    "method": option(
        str | None,
        "Which method; `covey methods` lists them. auto compares all.",
        "--method",
        "-m",
        metavar="METHOD",
        autocompletion=lambda: ["auto", *dict.fromkeys(entry.name for entry in METHODS)],
    ),
    "csv": option(bool, "Write CSV instead of Parquet.", "--csv"),
    "force": option(
        bool,
        "Replace an existing release, even a damaged one; it is moved to RELEASE.1, or the next free number.",
        "--force",
    ),
    "audit": option(
        float | None,
        "Run all attacks first; write nothing if one has a higher lift. See `covey attack`.",
        metavar="LIFT",
        min=1,
    ),
    "keep_at_least": option(
        float | None,
        "Write nothing that keeps less, such as 0.2: of the most frequent combinations with a sensitive item those "
        "whose count is right; for other kinds what `covey explore` measures.",
        metavar="SHARE",
        min=0,
        max=1,
    ),
    "like": option(
        Path | None,
        "An earlier release: people who are in both stay together, as far as the guarantee allows. Methods that make "
        "groups or classes only.",
        metavar="EARLIER",
    ),
    "like_trace": option(Path | None, "The trace of the earlier release, if DATA does not keep it.", metavar="FILE"),
    "trace": option(
        Path | None,
        "Write which row was published where, to verify and measure exactly; as secret as the data. A saved dataset "
        "keeps it without, unless FILE is none.",
        metavar="FILE",
    ),
    "seed": SEED,
}
MORE = {
    "settings": (
        option(
            list[str] | None,
            "An option of the method, such as alpha=5; may be repeated.",
            "--set",
            metavar="KEY=VALUE",
        ),
        None,
    ),
    "about": (
        option(
            list[str] | None,
            "What the release states about itself: title=…, license=… (a name such as CC-BY-4.0, or an address), "
            "contact=… (an e-mail or web address, or `Name <address>`). May be repeated.",
            metavar="KEY=TEXT",
        ),
        None,
    ),
}
EXAMPLES = (
    "covey anonymize sales.csv -g 'degree(p=10)' --sensitive secret.txt -o release",
    "covey anonymize people.covey -g 'k-anonymity(k=5)' -o release --csv",
)


def read_more(given: Given) -> dict[str, Any]:
    """Return the options of the method, and what the release says of itself."""
    trace = {"trace": False} if str(given["trace"]) == "none" else {}
    return {**_settings(given["settings"]), **_about(given["about"]), **trace}


@verb_command(app, publish, OPTIONS, *EXAMPLES, more=MORE, first=read_more)
def present(published: Published, given: Given) -> None:
    """Make a release that keeps a guarantee, verify it, and write it whole or not at all."""
    for note in cut_short(published.manifest):
        warn(note)
    show(published.to_dict(), _result(published, given["audit"]), _details(published))


def _result(published: Published, audit: float | None) -> Iterator[RenderableType]:
    """Yield what was made, that it holds, and what it cost."""
    manifest, verdict = published.manifest, published.verdict
    counts = dict(manifest.counts)
    if data_of(manifest.facts) == "records":  # each person's items together, not what was read
        counts.pop("transactions", None)
    yield Text(f"{published.path}: {sizes(**counts)}, by {manifest.method}", "bold")
    yield Text(f"{verdict.outcome}. {len(verdict.checks)} checks of the written files passed.", "green")
    if published.cost is not None:
        more = f" More would be kept by {', or by '.join(published.cost.advice)}." if published.cost.advice else ""
        yield f"{published.cost}{more}"
    if (found := telling(published.uniqueness)) is not None:
        if found.warns:
            warn(found.text)
        else:
            yield found.text
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
    for one in sorted(made, key=lambda one: not one["recommended"]):
        risk = "no attack" if one["risk"] is None else f"best attack right in {percent(one['risk'])}"
        kept = "" if one["kept"] is None else f"; {one['label']}: {one['kept']:.3g}"
        yield f"  {'→' if one['recommended'] else ' '} {one['method']}: {risk}{kept}"
    yield from (f"    {one['method']}: {one['problem']}" for one in compared if one["problem"])


def _pairs(option: str, given: list[str] | None, example: str) -> dict[str, str]:
    """Return what a repeated option ``key=value`` states; each key once."""
    pairs: dict[str, str] = {}
    for text in given or []:
        key, _, value = (part.strip() for part in text.partition("="))
        if not key or not value:
            raise ParameterError(f"{option} takes key=value, such as {option} {example}. Got {text!r} instead.")
        if key in pairs:
            raise ParameterError(f"{option} {key} is given twice: with {pairs[key]} and {value}.")
        pairs[key] = value
    return pairs


def _about(given: list[str] | None) -> dict[str, str]:
    """Return what a release states about itself."""
    about = _pairs("--about", given, "title='Sales of May'")
    if unknown := about.keys() - {"title", "license", "contact"}:
        raise ParameterError(f"--about takes title=…, license=… or contact=…. Got {unknown.pop()!r} instead.")
    return about


def _settings(given: list[str] | None) -> dict[str, Any]:
    """Return the options of the method."""
    settings = _pairs("--set", given, "alpha=5")
    if "seed" in settings:
        raise ParameterError("Give the seed with --seed, not with --set.")
    return {key: scalar(value) for key, value in settings.items()}
