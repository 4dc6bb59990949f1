"""`covey generate`: synthetic data."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from covey import synth
from covey.cli.command import command, new_app
from covey.cli.options import FORCE, require_files
from covey.cli.session import Stages, show, watched
from covey.counting import counted, sizes
from covey.io import write
from covey.io.writing import write_ratings, write_table
from covey.staging import replacing

app = new_app("Make synthetic data.")

#: What was made: its counts, and the same in a sentence.
Made = tuple[dict[str, Any], str]
#: What an option is for, by its name, and its short name.
SAYS = {
    "transactions": ("", "-n"),
    "people": ("", "-n"),
    "rows": ("", "-n"),
    "respondents": ("", "-n"),
    "items": ("", "-d"),
    "titles": ("", "-d"),
    "issues": ("All issues, the sensitive ones last.", "-d"),
    "mean_length": ("Mean items per transaction, or titles per person.",),
    "patterns": ("Number of patterns.",),
    "pattern_length": ("Mean items per pattern.",),
    "correlation": ("Share kept from the previous pattern.",),
    "corruption": ("Mean share lost from a pattern.",),
    "longest": ("Most titles of a person.",),
    "tastes": ("Number of latent tastes.",),
    "focus": ("Share drawn from a person's taste.",),
    "customers": ("Customers who come back; read them with --person person.",),
    "sensitive": ("How many of the issues are sensitive.",),
    "levels": ("Ratings go from 1 up to this number.",),
    "profiles": ("How many persuasions; with 0, people rate at random.",),
    "noise": ("Share of ratings that differ from the typical one.",),
    "answered": ("Share of ratings that are given.",),
    "seed": ("The same seed makes the same data.",),
}


def generator(
    make: Callable[..., Any], file: str, *beside: str, **defaults: int
) -> Callable[[Callable[[Any, Path, list[Path], bool], Made]], None]:
    """Register a command that draws data with `make`, whose parameters are its options, and writes it.

    The decorated function writes what was made to the output and to the files `beside` it: all of them, or none.
    """
    drawn = {one.name: one for one in inspect.signature(make, eval_str=True).parameters.values() if one.name in SAYS}
    output = Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="File to write: .csv; baskets also .dat, .parquet."),
    ]

    def register(save: Callable[[Any, Path, list[Path], bool], Made]) -> None:
        def called(output: Path, force: bool, **given: Any) -> None:
            files = [output.parent / f"{output.name.split('.')[0]}.{ending}" for ending in beside]
            require_files([(one, ()) for one in (output, *files)], force=force)

            def work(stages: Stages) -> Made:
                stages("generating", 0.0)
                return save(make(**given), output, files, force)

            counts, sentence = watched(work)
            names = [str(one) for one in (output, *files)]
            show({"files": names, **counts}, [*names, sentence])

        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [inspect.Parameter("output", keyword, annotation=output)]
        for name, one in drawn.items():
            says, *short = SAYS[name]
            flag = f"--{name.replace('_', '-')}"
            option = typer.Option(flag, *short, help=says or None, min=0 if name == "seed" else None)
            default = defaults.get(name, one.default)
            parameters.append(one.replace(annotation=Annotated[one.annotation, option], default=default))
        parameters.append(inspect.Parameter("force", keyword, annotation=FORCE, default=False))
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__doc__, called.__name__ = save.__doc__, make.__name__
        command(app, f"covey generate {make.__name__} -o {file} --seed 1")(called)

    return register


@generator(synth.quest, "baskets.dat")
def save_quest(baskets: Any, output: Path, files: list[Path], force: bool) -> Made:
    """Baskets after the IBM Quest generator, with numbers as items."""
    return _write(baskets, output, force)


@generator(synth.viewers, "ratings.csv")
def save_viewers(baskets: Any, output: Path, files: list[Path], force: bool) -> Made:
    """Who has seen which titles: a popularity curve, latent tastes, and a few people with very many titles."""
    return _write(baskets, output, force)


@generator(synth.shop, "sales.csv", "sensitive.txt", "taxonomy.csv")
def save_shop(made: Any, output: Path, files: list[Path], force: bool) -> Made:
    """A shop's baskets with named goods; beside sales.csv, sales.sensitive.txt and sales.taxonomy.csv are written.

    With --customers, a column names the person of each basket. The names of the goods have blanks in them, so the file
    must be .csv, .tsv or .parquet.
    """
    sensitive, taxonomy = files
    with replacing(sensitive, force=force) as listed, replacing(taxonomy, force=force) as tree:
        _write_lines(listed, made.sensitive)
        _write_lines(tree, ["child,parent", *(f'"{child}","{parent}"' for child, parent in made.taxonomy)])
        return _write(made.baskets, output, force)


@generator(synth.people, "people.csv")
def save_people(table: Any, output: Path, files: list[Path], force: bool) -> Made:
    """A table of people: age, zip, sex and job, which others may know, and an illness."""
    write_table(table, output, force=force)
    names = [column.name for column in table.columns]
    return {"rows": table.n, "columns": names}, f"{counted(table.n, 'row')}: {', '.join(names)}"


@generator(synth.survey, "survey.csv", "sensitive.txt", respondents=1_000, issues=8, profiles=5)
def save_survey(ratings: Any, output: Path, files: list[Path], force: bool) -> Made:
    """Survey ratings, a line (user, issue, rating) each; beside survey.csv, survey.sensitive.txt is written."""
    with replacing(files[0], force=force) as listed:
        _write_lines(listed, ratings.sensitive_issues())
        write_ratings(ratings, output, force=force)
    counts = {"respondents": ratings.n, "issues": ratings.d, "ratings": ratings.entries}
    return {**counts, "scale": ratings.scale.text}, f"{sizes(**counts)} on {ratings.scale.text}"


def _write_lines(file: Path, lines: Iterable[str]) -> None:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write(baskets: Any, output: Path, force: bool) -> Made:
    write(baskets, output, force=force)
    counts = {"transactions": baskets.n, "items": baskets.d, "entries": baskets.entries}
    whose = ""
    if baskets.person is not None:
        counts = {"transactions": baskets.n, "persons": baskets.persons, **counts}
        whose = f" of {counted(baskets.persons, 'person')}"
    return counts, f"{counted(baskets.n, 'transaction')}{whose}, {sizes(items=baskets.d, entries=baskets.entries)}"
