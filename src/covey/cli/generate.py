"""`covey generate`: synthetic data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from covey import synth
from covey.cli.command import command, new_app, with_options
from covey.cli.options import FORCE, option, require_files
from covey.cli.session import Stages, show, watched
from covey.counting import counted, sizes
from covey.data import Baskets, Ratings, Table
from covey.io import write
from covey.io.writing import write_ratings, write_table
from covey.staging import replacing

app = new_app("Make synthetic data.")

OUTPUT = option(Path, "File to write: .csv; baskets also .dat, .parquet.", "--output", "-o", metavar="FILE")
#: The options with a short name.
SHORT = {
    **dict.fromkeys(("transactions", "people", "rows", "respondents"), "-n"),
    **dict.fromkeys(("items", "titles", "issues"), "-d"),
}
#: What the other options are for.
HELP = {
    "issues": "All issues, the sensitive ones last.",
    "mean_length": "Mean items per transaction, or titles per person.",
    "patterns": "Number of patterns.",
    "pattern_length": "Mean items per pattern.",
    "correlation": "Share kept from the previous pattern.",
    "corruption": "Mean share lost from a pattern.",
    "longest": "Most titles of a person.",
    "tastes": "Number of latent tastes.",
    "focus": "Share drawn from a person's taste.",
    "customers": "Customers who come back; read them with --person person.",
    "sensitive": "How many of the issues are sensitive.",
    "levels": "Ratings go from 1 up to this number.",
    "profiles": "How many persuasions; with 0, people rate at random.",
    "noise": "Share of ratings that differ from the typical one.",
    "answered": "Share of ratings that are given.",
    "seed": "The same seed makes the same data.",
}


def register(make: Callable[..., Any], text: str, file: str, *beside: str, **defaults: int) -> None:
    """Register a command that writes what `make` returns, with the parameters of `make` as options.

    `beside` are the endings of further files. All files are written, or none.
    """

    def called(output: Path, force: bool, **given: Any) -> None:
        files = [output, *(output.parent / f"{output.name.split('.')[0]}.{ending}" for ending in beside)]
        require_files([(one, ()) for one in files], force=force)

        def work(stages: Stages) -> tuple[dict[str, Any], str]:
            stages("generating", 0.0)
            return _save(make(**given), files, force)

        counts, sentence = watched(work)
        names = [str(one) for one in files]
        show({"files": names, **counts}, [*names, sentence])

    added: dict[str, tuple[object, object]] = {"output": (OUTPUT, inspect.Parameter.empty)}
    for name, one in inspect.signature(make, eval_str=True).parameters.items():
        if name in SHORT or name in HELP:
            flags = [f"--{name.replace('_', '-')}", *([SHORT[name]] if name in SHORT else [])]
            kind = option(one.annotation, HELP.get(name, ""), *flags, min=0 if name == "seed" else None)
            added[name] = kind, defaults.get(name, one.default)
    called.__doc__, called.__name__ = text, make.__name__
    command(app, f"covey generate {make.__name__} -o {file} --seed 1")(
        with_options(called, (), {**added, "force": (FORCE, False)})
    )


def _save(made: Any, files: list[Path], force: bool) -> tuple[dict[str, Any], str]:
    """Write the data and what belongs beside it; return its counts, and the same in words."""
    beside: list[list[str]] = []
    if isinstance(made, synth.Shop):
        beside = [made.sensitive, ["child,parent", *(f'"{child}","{parent}"' for child, parent in made.taxonomy)]]
        made = made.baskets
    elif isinstance(made, Ratings):
        beside = [made.sensitive_issues()]
    output, *others = files
    with ExitStack() as stack:
        for file, lines in zip(others, beside, strict=True):
            new = stack.enter_context(replacing(file, force=force))
            new.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        save: Any = {Table: write_table, Ratings: write_ratings, Baskets: write}[type(made)]
        save(made, output, force=force)
    if isinstance(made, Table):
        names = [column.name for column in made.columns]
        return {"rows": made.n, "columns": names}, f"{counted(made.n, 'row')}: {', '.join(names)}"
    if isinstance(made, Ratings):
        counts = {"respondents": made.n, "issues": made.d, "ratings": made.entries}
        return {**counts, "scale": made.scale.text}, f"{sizes(**counts)} on {made.scale.text}"
    persons = {} if made.person is None else {"persons": made.persons}
    counts = {"transactions": made.n, **persons, "items": made.d, "entries": made.entries}
    return counts, sizes(**counts)


register(synth.quest, "Baskets after the IBM Quest generator, with numbers as items.", "baskets.dat")
register(
    synth.viewers,
    "Who has seen which titles: a popularity curve, latent tastes, and a few people with very many titles.",
    "ratings.csv",
)
register(
    synth.shop,
    """A shop's baskets with named goods; beside sales.csv, sales.sensitive.txt and sales.taxonomy.csv are written.

    With --customers, a column names the person of each basket. The names of the goods have blanks in them, so the file
    must be .csv, .tsv or .parquet.
    """,
    "sales.csv",
    "sensitive.txt",
    "taxonomy.csv",
)
register(
    synth.people,
    "A table of people: age, zip, sex and job, which others may know, and an illness.",
    "people.csv",
)
register(
    synth.survey,
    "Survey ratings, a line (user, issue, rating) each; beside survey.csv, survey.sensitive.txt is written.",
    "survey.csv",
    "sensitive.txt",
    respondents=1_000,
    issues=8,
    profiles=5,
)
