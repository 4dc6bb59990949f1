"""`covey generate`: synthetic data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from covey import synth
from covey.cli.options import JSON
from covey.cli.outputs import FORCE, require_outputs
from covey.cli.session import Stages, emit, out, watched
from covey.counting import counted, sizes
from covey.io import write
from covey.io.writing import write_ratings, write_table
from covey.staging import replacing

app = typer.Typer(help="Make synthetic data.", no_args_is_help=True)

OUTPUT = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE", help="File to write: .dat, .csv, .tsv or .parquet, also .gz, .zst."),
]
CSV_OUTPUT = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="File to write: .csv, also .csv.gz, .csv.zst.")
]
SEED = Annotated[int | None, typer.Option("--seed", min=0, help="The same seed makes the same data.")]

#: What was made: its counts, and the same in a sentence.
Told = tuple[dict[str, Any], str]


@app.command()
def quest(
    output: OUTPUT,
    transactions: Annotated[int, typer.Option("--transactions", "-n")] = 10_000,
    items: Annotated[int, typer.Option("--items", "-d")] = 1_000,
    mean_length: Annotated[float, typer.Option("--mean-length", help="Mean items per transaction.")] = 10.0,
    patterns: Annotated[int, typer.Option("--patterns", help="Number of patterns.")] = 1_000,
    pattern_length: Annotated[float, typer.Option("--pattern-length", help="Mean items per pattern.")] = 4.0,
    correlation: Annotated[float, typer.Option("--correlation", help="Share kept from the previous pattern.")] = 0.5,
    corruption: Annotated[float, typer.Option("--corruption", help="Mean share lost from a pattern.")] = 0.5,
    seed: SEED = None,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """Baskets after the IBM Quest generator, with numbers as items."""
    _make_sets(synth.quest, **locals())


@app.command()
def viewers(
    output: OUTPUT,
    people: Annotated[int, typer.Option("--people", "-n")] = 410_201,
    titles: Annotated[int, typer.Option("--titles", "-d")] = 4_496,
    mean_length: Annotated[float, typer.Option("--mean-length", help="Mean titles per person.")] = 13.4,
    longest: Annotated[int, typer.Option("--longest", help="Most titles of a person.")] = 2_060,
    tastes: Annotated[int, typer.Option("--tastes", help="Number of latent tastes.")] = 40,
    focus: Annotated[float, typer.Option("--focus", help="Share drawn from a person's taste.")] = 0.7,
    seed: SEED = None,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """Who has seen which titles: a popularity curve, latent tastes, and a few people with very many titles."""
    _make_sets(synth.viewers, **locals())


@app.command()
def shop(
    output: OUTPUT,
    transactions: Annotated[int, typer.Option("--transactions", "-n")] = 5_000,
    customers: Annotated[
        int | None,
        typer.Option("--customers", min=1, help="Customers who come back; read them with --person person."),
    ] = None,
    seed: SEED = None,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """A shop's baskets with named goods; beside sales.csv, sales.sensitive.txt and sales.taxonomy.csv are written.

    With --customers, a column names the person of each basket. The names of the goods have blanks in them, so the file
    must be .csv, .tsv or .parquet.
    """
    sensitive, taxonomy = _companion(output, "sensitive.txt"), _companion(output, "taxonomy.csv")

    def work(stages: Stages) -> Told:
        stages("generating", 0.0)
        made = synth.shop(transactions=transactions, customers=customers, seed=seed)
        with (
            replacing(sensitive, force=force) as listed,
            replacing(taxonomy, force=force) as tree,
        ):  # all three files, or none
            _write_lines(listed, made.sensitive)
            _write_lines(tree, ["child,parent", *(f'"{child}","{parent}"' for child, parent in made.taxonomy)])
            return _write(made.baskets, output, stages, force)

    _make([output, sensitive, taxonomy], force, as_json, work)


@app.command()
def people(
    output: CSV_OUTPUT,
    rows: Annotated[int, typer.Option("--rows", "-n")] = 2_000,
    seed: SEED = None,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """A table of people: age, zip, sex and job, which others may know, and an illness."""

    def work(stages: Stages) -> Told:
        stages("generating", 0.0)
        table = synth.people(rows=rows, seed=seed)
        write_table(table, output, force=force)
        names = [column.name for column in table.columns]
        return {"rows": table.n, "columns": names}, f"{counted(table.n, 'row')}: {', '.join(names)}"

    _make([output], force, as_json, work)


@app.command()
def survey(
    output: CSV_OUTPUT,
    respondents: Annotated[int, typer.Option("--respondents", "-n")] = 1_000,
    issues: Annotated[int, typer.Option("--issues", "-d", help="All issues, the sensitive ones last.")] = 8,
    sensitive: Annotated[int, typer.Option("--sensitive", help="How many of them are sensitive.")] = 1,
    levels: Annotated[int, typer.Option("--levels", help="Ratings go from 1 up to this number.")] = 6,
    profiles: Annotated[
        int, typer.Option("--profiles", help="How many persuasions; with 0, people rate at random.")
    ] = 5,
    noise: Annotated[float, typer.Option("--noise", help="Share of ratings that differ from the typical one.")] = 0.3,
    answered: Annotated[float, typer.Option("--answered", help="Share of ratings that are given.")] = 1.0,
    seed: SEED = None,
    force: FORCE = False,
    as_json: JSON = False,
) -> None:
    """Survey ratings, a line (user, issue, rating) each; beside survey.csv, survey.sensitive.txt is written."""
    marked = _companion(output, "sensitive.txt")

    def work(stages: Stages) -> Told:
        ratings = synth.survey(
            respondents=respondents,
            issues=issues,
            sensitive=sensitive,
            levels=levels,
            profiles=profiles,
            noise=noise,
            answered=answered,
            seed=seed,
            progress=stages,
        )
        stages("writing", 0.0)
        with replacing(marked, force=force) as listed:  # both files, or none
            _write_lines(listed, ratings.sensitive_issues())
            write_ratings(ratings, output, force=force)
        n, d, entries, scale = ratings.n, ratings.d, ratings.entries, ratings.scale.text
        counts = {"respondents": n, "issues": d, "ratings": entries, "scale": scale}
        return counts, f"{sizes(respondents=n, issues=d, ratings=entries)} on {scale}"

    _make([output, marked], force, as_json, work)


def _make_sets(make: Callable[..., Any], output: Path, force: bool, as_json: bool, **parameters: Any) -> None:
    """Draw baskets, write them to one file and tell what they are; `parameters` are the other options of a command."""
    _make([output], force, as_json, lambda stages: _write(make(**parameters, progress=stages), output, stages, force))


def _make(files: list[Path], force: bool, as_json: bool, work: Callable[[Stages], Told]) -> None:
    """Write `files`, unless one is in the way, and tell what is in them."""
    require_outputs([(file, ()) for file in files], force=force)
    counts, sentence = watched(work)
    if as_json:
        emit({"files": [str(file) for file in files], **counts})
        return
    for file in files:
        out.print(str(file), markup=False)
    out.print(sentence)


def _companion(output: Path, ending: str) -> Path:
    """The file that goes with `output`: beside sales.csv.gz, sales.sensitive.txt."""
    return output.parent / f"{output.name.split('.')[0]}.{ending}"


def _write_lines(file: Path, lines: Iterable[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write(baskets: Any, output: Path, stages: Stages, force: bool) -> Told:
    stages("writing", 0.0)
    write(baskets, output, force=force)
    counts = {"transactions": baskets.n, "items": baskets.d, "entries": baskets.entries}
    whose = ""
    if baskets.person is not None:
        counts = {"transactions": baskets.n, "persons": baskets.persons, **counts}
        whose = f" of {counted(baskets.persons, 'person')}"
    return counts, f"{counted(baskets.n, 'transaction')}{whose}, {sizes(items=baskets.d, entries=baskets.entries)}"
