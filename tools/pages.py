"""Write the generated parts of README and docs: figures from kept results, and references from the code.

    python tools/pages.py            write them
    python tools/pages.py --check    list the pages that differ; exit code 1 if there are any (a test does this, too)

A generated part stands between `<!-- generated: NAME ARGUMENT -->` and `<!-- end -->`; `PARTS` has the function of each
name. `table FILE` shows docs/experiments/FILE.csv: `table attacks; columns: data | method; p: 10` its columns data and
method in the rows with this p; `errors: no` leaves out standard errors.
"""

from __future__ import annotations

import csv
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from covey.cli.app import COMMANDS, load
from covey.cli.command import OUTPUT
from covey.guarantees import GUARANTEES
from covey.guarantees.words import card
from covey.registry import METHODS, methods
from covey.report import charts

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FIGURES = ROOT / "benchmarks" / "figures"
PART = re.compile(r"(<!-- generated: (\w+)(?: ([^\n]+))? -->\n).*?(<!-- end -->\n)", re.DOTALL)
#: An option that so many commands have in the same words is described once.
SHARED = 3
#: The steps that docs/performance.md shows; all others are only checked against their bounds.
WAITING = ("prepare", "cahd", "matched", "label-dp", "k-anonymity(k=20)", "verify", "evaluate", "attack", "report")

Figures = dict[str, dict[str, Any]]


def written(page: str) -> str:
    """Return a page with all its generated parts anew."""
    return PART.sub(lambda found: found[1] + PARTS[found[2]](found[3] or "") + found[4], page)


def rows_of(heads: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table; columns of numbers are aligned to the right."""
    cells = [list(map(str, row)) for row in (heads, *rows)]
    numbers = (all(re.match(r"[-*\d]|$", cell) for cell in column) for column in zip(*cells[1:], strict=True))
    lines = [f"| {' | '.join(row)} |\n" for row in cells]
    lines.insert(1, f"|{'|'.join('---:' if number else '---' for number in numbers)}|\n")
    return "".join(lines)


def table(argument: str) -> str:
    """Return the table of an experiment, or some columns and rows of it."""
    name, *choices = argument.split("; ")
    wanted = {key: values.split(" | ") for key, _, values in (choice.partition(": ") for choice in choices)}
    with (DOCS / "experiments" / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        heads, *rows = csv.reader(stream)
    columns = [heads.index(head) for head in wanted.pop("columns", heads)]
    is_short = wanted.pop("errors", ["yes"]) == ["no"]
    filters = {heads.index(head): values for head, values in wanted.items()}
    chosen = [row for row in rows if all(row[at] in values for at, values in filters.items())]
    if not chosen:
        raise SystemExit(f"docs/experiments/{name}.csv has no rows with {wanted}.")
    cells = [[row[at].partition(" ± ")[0] if is_short else row[at] for at in columns] for row in chosen]
    return rows_of([heads[at] for at in columns], cells)


def method_list(_: str) -> str:
    """Return all methods with their guarantees, from the registry."""
    rows, seen = [], set()
    for target in dict.fromkeys(entry.target for entry in METHODS):
        entries = [entry for entry in METHODS if entry.target == target]
        method, kinds = entries[0], ", ".join(entry.data for entry in entries)
        anchor = f"{method.name}-for-{method.data}s" if method.name in seen else method.name
        seen.add(method.name)
        guarantees = ", ".join(f"`{guarantee}`" for guarantee in method.guarantees)
        rows.append((f"[`{method.name}`](#{anchor})", guarantees, kinds, method.summary))
    return rows_of(("method", "keeps", "data", "what it does"), rows)


def guarantee_list(_: str) -> str:
    """Return what each guarantee is for, in the words of page and command line."""
    rows = []
    for name, guarantee in GUARANTEES.items():
        words = card(guarantee)
        data = " or ".join(dict.fromkeys(entry.data for entry in methods(guarantee=name)))
        of_tables = " ([tables](guarantees/k-anonymity.md#tables))" if name == "k-anonymity" else ""
        link = f"[`{name}`](guarantees/{name}.md){of_tables}: {words.title.lower()}"
        rows.append((data, words.knows, words.usable, link))
    return rows_of(("you have", "someone outside may know", "must stay usable", "promise"), rows)


def command_list(_: str) -> str:
    """Return the options of several commands, and a section for each command."""
    commands = dict(one for group in COMMANDS.values() for n in group for one in _commands(load(n), ["covey", n]))
    uses = Counter(_row(option) for command in commands.values() for option in _options(command))
    shared = {row for row, count in uses.items() if count >= SHARED}
    return (
        "| | |\n|---|---|\n"
        + "".join(sorted(shared))
        + "".join(_section(path, command, shared) for path, command in commands.items())
    )


def _commands(command: Any, path: list[str]) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name, one in command.commands.items():
        yield from _commands(one, [*path, name])


def _section(path: str, command: Any, shared: set[str]) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    names = [a.metavar or a.name.upper() for a in arguments]
    text = " ".join((command.help or "").split())
    lines = [f"\n## {path}\n\n", f"    {' '.join([path, *names, '[OPTIONS]'])}\n\n", f"{text}\n"]
    examples = re.findall("`(covey [^`]*)`", command.epilog.split("Which guarantee")[0])
    lines += ["\nFor example:\n\n", *(f"    {example}\n" for example in examples)]
    rows = [f"| `{name}` | {getattr(a, 'help', '') or ''} |\n" for name, a in zip(names, arguments, strict=True)]
    rows += [row for option in _options(command) if (row := _row(option)) not in shared]
    lines += ["\n| | |\n|---|---|\n", *rows] if rows else []
    also = [f"`{option.opts[0]}`" for option in _options(command) if _row(option) in shared]
    lines += [f"\nAlso {', '.join(also)}.\n"] if also else []
    return "".join(lines)


def _options(command: Any) -> list[Any]:
    return [p for p in command.params if p.param_type_name == "option" and p.name not in OUTPUT]


def _row(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    text = option.help or ""
    if option.required:
        text += " Required."
    elif option.default not in (None, False, ()) and not callable(option.default):
        text += f" Default: `{option.default}`."
    return f"| {names} | {text.strip()} |\n"


def kept() -> Figures:
    """Return the kept figures of each part of the benchmarks."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FIGURES.glob("*.json"))}


def waits(_: str) -> str:
    """Return what each command takes by number of baskets, and its peak memory at the largest size."""
    if "commands" not in kept():
        return "Not measured since the commands changed.\n"
    part = kept()["commands"]
    steps = [step for step in part["steps"] if step["name"].removeprefix("anonymize, ") in WAITING]
    sizes = [size["rows"] for size in steps[0]["sizes"]]
    memory = {f["name"].partition(":")[0]: f for f in part["figures"] if "peak memory" in f["name"]}
    rows = []
    for step in steps:
        times = [f"{_seconds(size['wall'])} ({_seconds(size['cpu'])})" for size in step["sizes"]]
        growth = _exponent([(size["rows"], size["wall"]) for size in step["sizes"]])
        rows.append((step["name"], *times, growth, _bounded(part, memory[step["name"]])))
    shown = [_rows(size, "baskets") for size in sizes]
    return rows_of(("command", *shown, "growth", f"memory at {shown[-1]}"), rows)


def growth(_: str) -> str:
    """Return the CPU time of each task by size beside rivals, and what no program could do without."""
    rows = []
    for task in (task for part in kept().values() for task in part["tasks"]):
        took = dict(map(tuple, task["sizes"]))
        rivals = {f"{name} ({_rows(n)})": _times(spent / took[n]) for name, (n, spent) in task["rivals"].items()}
        shown = "<br>".join(f"{_seconds(spent)} at {_rows(n)}" for n, spent in took.items())
        limit = _times(task["sizes"][-1][1] / max(task["limit"], 1e-6))
        cells = (_exponent(task["sizes"]), limit, "<br>".join(rivals) or "none", "<br>".join(rivals.values()))
        rows.append((task["name"], shown, *cells))
    return rows_of(("task", "covey", "growth", "limit", "rival", "its time over covey's"), rows)


def bounds(only: str) -> str:
    """Return of each part, or of each group of commands of one part, what misses its bound or else is nearest to it."""
    groups: dict[str, list[tuple[bool, dict[str, Any], str]]] = {}
    for name, part in kept().items():
        for figure in part["figures"] if only in (name, "") else ():
            if figure["least"] is not None or figure["most"] is not None:
                group = " ".join(figure["name"].split()[:2]) if only else name
                groups.setdefault(group, []).append((figure["name"] in part["missed"], figure, _bounded(part, figure)))
    rows = []
    for group, found in groups.items():
        found.sort(key=lambda one: _slack(one[1]))
        missed = [one for one in found if one[0]]
        rows += [(group, len(found), len(missed), figure["name"], shown) for _, figure, shown in missed or found[:1]]
    return rows_of(("part", "figures", "missed", "figure", "measured"), rows)


def figures(part: str) -> str:
    """Return the figures of a part, a row for each kind with its range over data sets and settings."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for figure in kept()[part]["figures"]:
        kinds.setdefault(figure["name"].partition(": ")[2] or figure["name"], []).append(figure)
    rows = []
    for kind, found in kinds.items():
        values = sorted(figure["value"] for figure in found)
        ends = dict.fromkeys(_times(value) for value in (values[0], values[-1]))
        rows.append((kind, len(found), f"{' to '.join(ends)}{found[0]['unit'].replace('x', '')}"))
    return rows_of(("figure", "settings", "measured"), rows)


def shop(_: str) -> str:
    """Return what a telltale item shows in the largest generated shop."""
    with (DOCS / "experiments" / "label_dp-shop.csv").open(newline="", encoding="utf-8") as stream:
        cells = list(csv.DictReader(stream))[-1]
    both = "`folic acid` and `pregnancy test`"
    lines = [f"On a generated shop of {int(cells['baskets']):,} baskets, {cells['truth']} have both {both}."]
    for name in ("degree(p=10)", "label-dp(epsilon=1)"):
        right, baseline = (cells[f"{name}: {what} in %"] for what in ("best attack right", "baseline"))
        known = f"{baseline} % are possible without a release"
        lines.append(
            f"`{name}` estimates {cells[name]}; its best attack is right for {right} % of the holders ({known})."
        )
    return "\n".join(lines) + "\n"


def origin(_: str) -> str:
    """Return when, where and on which commits the figures were measured."""
    parts = kept()
    days = sorted({part["date"] for part in parts.values()})
    cores, load = (max(part.get(what, 0) for part in parts.values()) for what in ("cores", "load"))
    lines = [f"Measured {' to '.join(dict.fromkeys((days[0], days[-1])))} on {cores} cores"]
    lines.append(f" with a load of at most {load:.0f} when a part began.\n")
    by_commit: dict[str, list[str]] = {}
    for name, part in parts.items():
        by_commit.setdefault(part["commit"], []).append(name)
    for commit, names in by_commit.items():
        unclean = " with uncommitted changes" if commit.endswith("-dirty") else ""
        lines.append(f"\n- Commit {commit.removesuffix('-dirty')}{unclean}: {', '.join(names)}.")
    return "".join(lines) + "\n"


def _bounded(part: dict[str, Any], figure: dict[str, Any]) -> str:
    """Return a figure beside its bound, bold if it misses it."""
    mark, unit = "**" if figure["name"] in part["missed"] else "", figure["unit"].replace("x", "")
    bound = f"at least {figure['least']:g}" if figure["least"] is not None else f"at most {figure['most']:g}"
    return f"{mark}{_times(figure['value'])}{unit}{mark} ({bound}{unit})"


def _slack(figure: dict[str, Any]) -> float:
    """Return how far a figure is from its bound; below 1 it misses it."""
    value = float(figure["value"])
    return value / figure["least"] if figure["least"] is not None else figure["most"] / max(value, 1e-9)


def _exponent(sizes: list[tuple[int, float]]) -> str:
    """Return the exponent of the time between the two largest sizes, if there are two.

    Examples
    --------
    >>> _exponent([(10, 9.0), (100, 1.0), (1_000, 10.0)])
    '1.00'
    """
    if len(sizes) < 2:
        return ""
    (rows, took), (more_rows, took_more) = sizes[-2:]
    return f"{math.log(took_more / took) / math.log(more_rows / rows):.2f}"


def _rows(rows: int, noun: str = "rows") -> str:
    return f"{rows / 1e6:g} million {noun}" if rows >= 1_000_000 else f"{rows:,} {noun}"


def _seconds(took: float) -> str:
    return f"{took:.3g} s" if took >= 1 else f"{1000 * took:.3g} ms"


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.3g}"


PARTS: dict[str, Callable[[str], str]] = {
    "table": table,
    "methods": method_list,
    "guarantees": guarantee_list,
    "commands": command_list,
    "waits": waits,
    "growth": growth,
    "bounds": bounds,
    "figures": figures,
    "shop": shop,
    "origin": origin,
}


def draw() -> None:
    """Draw the time of the tasks by rows."""
    figure, ((panel,),) = charts.new_figure(1, 1, width=8.4, height=4.6)
    with charts.styled():
        for number, task in enumerate(task for part in kept().values() for task in part["tasks"]):
            rows, took = zip(*task["sizes"], strict=True)
            colour = charts.COLOURS[number % len(charts.COLOURS)]
            marker = charts.MARKERS[number // len(charts.COLOURS) % len(charts.MARKERS)]
            panel.plot(rows, took, label=task["name"], color=colour, marker=marker)
        panel.set(xscale="log", yscale="log", xlabel="rows", ylabel="CPU seconds")
        figure.legend(loc="outside right center")
    charts.save_plot(figure, DOCS / "img" / "growth.svg", force=True)


def main() -> int:
    """Write the pages, or list those that differ."""
    check, outdated = "--check" in sys.argv, False
    for path in sorted([ROOT / "README.md", *DOCS.rglob("*.md")]):
        page = path.read_text(encoding="utf-8")
        if (now := written(page)) != page:
            outdated = True
            print(f"{path.relative_to(ROOT)} {'differs' if check else 'is written'}")
            if not check:
                path.write_text(now, encoding="utf-8")
    if not check:
        draw()
    return 1 if check and outdated else 0


if __name__ == "__main__":
    sys.exit(main())
