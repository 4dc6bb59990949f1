"""`covey inspect`: what is in the data, and how exposed the people in it are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import Given, new_app, verb_command
from covey.cli.options import FORCE, option, require_files
from covey.cli.session import mode, show
from covey.counting import counted
from covey.data.kinds import data_kind
from covey.errors import ParameterError
from covey.measuring import inspect
from covey.report import charts
from covey.report.inspection import DESCRIPTIONS, risk_page
from covey.report.page import MARKS as PAGES
from covey.results import Inspection
from covey.staging import write_whole
from covey.tabular import Figures

app = new_app()


OPTIONS = {
    "known": option(int, "Risk for 1 up to this many known items.", min=1, max=16),
    "samples": option(int, "Cases drawn for each risk figure.", min=1),
}
FILES = {
    "plot": (option(Path | None, "Also draw the risk, as .png or .svg.", metavar="FILE"), None),
    "html": (option(Path | None, "Also write everything as one HTML file.", metavar="FILE"), None),
    "mark": (
        option(
            Path | None,
            "Also write the sensitive items and the companions that are listed, one per line, for --sensitive.",
            metavar="FILE",
        ),
        None,
    ),
    "force": (FORCE, False),
}


def require_writable(given: Given) -> Given:
    """Refuse files that cannot be written, before any work is done."""
    if given["plot"] is not None:
        charts.require_format(given["plot"])
    wanted = [(given["plot"], charts.MARKS), (given["html"], PAGES), (given["mark"], ())]
    require_files(wanted, inputs=[given[name] for name in ("data", "sensitive", "taxonomy")], force=given["force"])
    return {}


@verb_command(
    app,
    inspect,
    OPTIONS,
    "covey inspect shop.covey",
    "covey inspect sales.csv -s secret.txt",
    more=FILES,
    first=require_writable,
)
def present(found: Inspection, given: Given) -> None:
    """Show shape, sparsity and supports, and the risk that someone who knows a few things finds a person.

    DATA is read as baskets, unless --kind says ratings or table, or roles of columns are named.
    """
    data, plot, html, mark, force = (given[name] for name in ("data", *FILES))
    if plot is not None:
        charts.save_plot(found.plot(), plot, force=force)
    if html is not None:
        page = risk_page(Path(data).name, found, date=date.today().isoformat())
        write_whole(html, page.encode(), marks=PAGES, force=force)
    if mark is not None:
        write_marks(found, mark, force=force)
    written = [str(file) for file in (plot, html, mark) if file is not None]
    recognised = f" ({found['recognised'].rstrip('.')})" if "recognised" in found else ""
    described = DESCRIPTIONS[found["kind"]](found)
    result: list[RenderableType] = [Text(f"{data}{recognised}", "bold"), *described.shape]
    result += [*_risk(found), *_better(found), *written]
    if described.details and not mode.verbose:
        result.append(Text("--verbose adds what is sensitive, what gives it away, and the price of guarantees.", "dim"))
    show({"data": data, **found, "files": written}, result, described.details)


def write_marks(body: Figures, file: Path, *, force: bool = False) -> None:
    """Write what is sensitive and what gives it away as a list for ``--sensitive``."""
    listed = body.get("associations", {}).get("companions", [])
    if not listed:
        raise ParameterError("No ordinary item gives a sensitive one away, or none is sensitive: leave --mark out.")
    items = dict.fromkeys([*(one["item"] for one in body["sensitive"]), *(one["item"] for one in listed)])
    write_whole(file, "".join(f"{item}\n" for item in items).encode(), force=force)


def _risk(found: Inspection) -> Iterator[RenderableType]:
    """Yield the risk for each number of known things."""
    yield f"\n{found.title}"
    for risk in found["risk"]:
        if not risk["eligible"]:
            yield Text(f"  {risk['known']:>2}  nobody has that many {data_kind(found['kind']).things}", "dim")
            continue
        bar = "█" * round(40 * risk["risk"]) or "▏"
        interval = f" ± {50 * (risk['high'] - risk['low']):.1f} %" if risk["samples"] else ""
        alone = (f"  {100 * risk['unique']:.1f} % unique", "dim")
        chance = f" {100 * risk['risk']:5.1f} %{interval}"
        yield Text.assemble(f"  {risk['known']:>2}  ", (f"{bar:<40}", "red"), chance, alone)


def _better(found: Inspection) -> Iterator[str]:
    """Yield for which sensitive items noise will serve estimates better than groups."""
    if "better" not in found:
        return
    noisy = [one["item"] for one in found["better"] if one["better"] == "label-dp"]
    named = f": {', '.join(noisy[:5])}{' …' if len(noisy) > 5 else ''}" if noisy else ""
    many = f"{len(noisy)} of {counted(len(found['better']), 'sensitive item')}{named}"
    yield (
        f"Noise (label-dp, epsilon 1) will serve estimates better than groups (degree, p 10) for {many}. This "
        "follows from exact counts: for you alone."
    )
