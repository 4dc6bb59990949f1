"""Measure data and releases: risk, what a release costs, what an attacker gains, and a report of it all."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import date as calendar
from pathlib import Path
from typing import Any

from covey.engine import engine as choose_engine
from covey.errors import CoveyWarning, LeftOut, UnnamedPersons
from covey.explore.grid import explore_all
from covey.io.archive import opened
from covey.io.source import Source
from covey.local import Local, read_original
from covey.measure.attacks import run_attacks
from covey.measure.attacks.composition import compose
from covey.measure.attacks.result import LIMIT
from covey.measure.evaluation import evaluate as measure
from covey.parameters import as_paths, path
from covey.pipeline import taxonomy_of
from covey.progress import Progress, silent
from covey.release import read_release
from covey.release.base import Release
from covey.release.manifest import read_manifest
from covey.report.findings import Findings, examine_release
from covey.report.item_list import ItemList, list_items
from covey.report.page import MARKS
from covey.report.release_page import release_page
from covey.results import Attacks, Evaluation, Inspection
from covey.staging import require_free, write_whole
from covey.verdict import Verdict


def items(
    data: Any,
    match: str | Sequence[str] | None = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    progress: Progress = silent,
    **reading: Any,
) -> ItemList:
    """List what can be marked as sensitive, with how often it occurs, and whether it is marked.

    Parameters
    ----------
    data : Source, path, frame or data
        The original.
    match : str, sequence of str or None
        Part of a name, ``glob:*TEST*``, ``re:EXPRESSION`` or ``under:NODE``; of several, any. None lists everything.
    sensitive : path, comma list, collection or None
        Marks what is sensitive; see `covey.read`.
    taxonomy : Taxonomy, path or None
        Where the nodes of ``under:`` are.
    **reading
        How to read `data`.

    Examples
    --------
    >>> import covey
    >>> [found.item for found in covey.items([["wine", "rice wine"], ["wine"]], match="glob:*wine").items]
    ['wine', 'rice wine']
    """
    return list_items(Source.of(data, sensitive=sensitive, **reading), match, taxonomy, progress=progress)


def inspect(
    data: Any,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    known: int = 4,
    samples: int = 20_000,
    seed: int = 0,
    engine: Any = "local",
    master: str | None = None,
    progress: Progress = silent,
    **reading: Any,
) -> Inspection:
    """Shape of the data, and the risk that someone who knows a few things finds a person.

    Parameters
    ----------
    data : Source, path, frame or data
        What to look at.
    sensitive : path, comma list, collection or None
        Marks what is sensitive.
    taxonomy : Taxonomy, path or None
        How items could be generalized.
    known : int
        Risk for 1 up to this many known things.
    samples, seed : int
        Cases drawn for each risk figure, and the seed for drawing them.
    engine, master, progress
        As for `publish`.
    **reading
        How to read `data`.

    Examples
    --------
    >>> import covey
    >>> found = covey.inspect([["wine"], ["wine", "beer"], ["tea"]], known=1)
    >>> found["transactions"], round(found["risk"][0]["risk"], 2)
    (3, 0.75)
    """
    source = Source.of(data, sensitive=sensitive, **reading)
    where = choose_engine(engine, master=master)
    return Inspection(
        where.inspect(source, taxonomy=taxonomy, known=known, samples=samples, seed=seed, progress=progress)
    )


def evaluate(
    release: Any,
    original: Any,
    *,
    taxonomy: Any = None,
    seed: int = 0,
    r: int = 4,
    queries: int = 100,
    known: int = 4,
    top: int = 100,
    trace: str | Path | Sequence[str | Path] = (),
    engine: Any = "local",
    master: str | None = None,
    progress: Progress = silent,
    **reading: Any,
) -> Evaluation:
    """Measure a release against its original: errors of estimates, information lost, what is learned of someone.

    Parameters
    ----------
    release : path or Release
        A directory, or a release in memory.
    original : Source, path, frame or data
        What the release was made from.
    taxonomy : Taxonomy, path or None
        What labels were generalized along.
    seed : int
        For drawing queries and cases.
    r, queries, known, top : int
        Items per query, queries per workload, known items at most, and frequent itemsets to look up.
    trace
        As for `verify`; figures by person need it.
    engine, master, progress
        As for `publish`; a release in memory is measured here.
    **reading
        How to read the original.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    >>> covey.evaluate(covey.anonymize(baskets, "degree(p=2)", seed=1), baskets, r=1).to_frame().columns.tolist()
    ['measure', 'value']
    """
    source = Source.of(original, **reading)
    extent: dict[str, Any] = {"seed": seed, "r": r, "queries": queries, "known": known, "top": top}
    if isinstance(release, Release):
        data = read_original(source, release, progress, as_paths(trace))
        return Evaluation(measure(release, data, taxonomy=taxonomy_of(taxonomy), progress=progress, **extent))
    where = choose_engine(engine, master=master)
    extent |= {"trace": as_paths(trace)} if trace else {}
    return Evaluation(where.evaluate(release, source, taxonomy=taxonomy, progress=progress, **extent))


def attack(
    release: Any,
    original: Any,
    *,
    beside: Any = None,
    beside_original: Any = None,
    trace: str | Path | Sequence[str | Path] = (),
    seed: int = 0,
    progress: Progress = silent,
    **reading: Any,
) -> Attacks:
    """Attack a release in every way covey knows, and compare with the claim and with what needs no release.

    Parameters
    ----------
    release : path or Release
        A directory, or a release in memory.
    original : Source, path, frame or data
        What the release was made from; it tells whether a guess was right.
    beside : path, Release or None
        Another release about the same people: tells what the two give away together, instead.
    beside_original : Source, path, frame, data or None
        What the other release was made from, if not from the same original.
    trace
        As for `verify`; attacks on persons, and those with another release, need it (of both releases).
    seed : int
        For drawing targets.
    progress : callable
        Told of the stages.
    **reading
        How to read the original.

    Examples
    --------
    >>> import covey
    >>> table = {"age": [30, 31, 50, 51], "city": ["a", "a", "b", "b"]}
    >>> release = covey.anonymize(covey.Table.of(table), "k-anonymity(k=2)", seed=1)
    >>> covey.attack(release, covey.Table.of(table)).to_frame()["attack"].tolist()
    ['linkage', 'inference']
    """
    source = Source.of(original, **reading)
    published = release if isinstance(release, Release) else read_release(release)
    data = read_original(source, published, progress, as_paths(trace))
    if beside is None:
        return Attacks(published.guarantee, run_attacks(published, data, seed, progress=progress))
    second = beside if isinstance(beside, Release) else read_release(beside)
    shared = beside_original is None
    theirs = read_original(
        source if shared else Source.of(beside_original, **reading), second, progress, as_paths(trace)
    )
    return Attacks(published.guarantee, compose(published, data, second, theirs, same_rows=shared))


def explore(
    data: Any,
    guarantees: Any,
    methods: Sequence[str] | str = (),
    *,
    strengths: Sequence[int] = (),
    seeds: int = 1,
    seed: int = 0,
    sensitive: Any = None,
    taxonomy: Any = None,
    audit: float = LIMIT,
    out: str | Path | None = None,
    jobs: int | None = 1,
    progress: Progress = silent,
    **reading: Any,
) -> Any:
    """Return what releases of datasets × guarantees × methods × seeds keep and risk, as a pandas DataFrame.

    Nothing is published. A row of the frame is one release; in its ``attrs`` are ``points``, the means over the seeds,
    and ``why``, the reasons for what is recommended.

    Parameters
    ----------
    data : Source, path, frame or data, or a dict of them
        The originals, by name.
    guarantees : str, guarantee, or a list of them
        For example ``["degree(p=4)", "degree(p=10)"]``.
    methods : sequence of str
        Which to try, with options where wanted; all that keep the guarantee when empty.
    strengths : sequence of int
        Values for the main parameter of each guarantee.
    seeds, seed : int
        How many seeds, and the first one.
    sensitive, taxonomy
        As for `anonymize`, for all datasets.
    audit : float
        The highest lift that an attack may have for a release to be recommended.
    out : path or None
        A directory for the table, charts and finished trials. What it holds already is not measured again.
    jobs : int or None
        Processes; None takes every core. A script that asks for several must guard its main part with
        ``if __name__ == "__main__":``.
    **reading
        How to read the data.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [30, 31, 40, 42, 50, 51], "city": ["a", "a", "b", "b", "c", "c"]})
    >>> found = covey.explore(people, "k-anonymity(k=2)", ["mondrian", "hilbert"], strengths=[2, 3])
    >>> found["method"].tolist(), len(found.columns), found["recommended"].sum()
    (['mondrian', 'hilbert', 'mondrian', 'hilbert'], 19, np.int64(2))
    """
    named = data if isinstance(data, dict) else {"data": data}
    sources = {name: Source.of(one, sensitive=sensitive, **reading) for name, one in named.items()}
    found = explore_all(
        sources,
        guarantees if isinstance(guarantees, list | tuple) else [guarantees],
        [methods] if isinstance(methods, str) else list(methods),
        strengths=strengths,
        seeds=seeds,
        seed=seed,
        taxonomy=taxonomy_of(taxonomy),
        limit=audit,
        out=None if out is None else Path(out),
        jobs=jobs,
        progress=progress,
    )
    frame = found.table().to_pandas()
    frame.attrs |= {key: value for key, value in found.to_dict().items() if key in ("points", "why", "measure")}
    return frame


def report(
    directory: str | Path,
    out: str | Path,
    original: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    trace: str | Path | Sequence[str | Path] = (),
    seed: int = 0,
    date: str | None = None,
    force: bool = False,
    progress: Progress = silent,
    **reading: Any,
) -> Verdict:
    """Verify a release and write a report of it as one self-contained HTML file.

    Parameters
    ----------
    directory : path
        The release, or a ZIP file of one.
    out : path
        The file to write. An earlier page of covey's is replaced whole; what the release is made of, and what is read
        here, never.
    original : Source, path, frame, data or None
        What the release was made from: adds risk, utility and attacks, and makes the report confidential.
    sensitive : path, comma list, collection or None
        What is sensitive in the original; None takes the release's word for it.
    taxonomy : Taxonomy, path or None
        What the labels of sets were generalized along.
    trace
        As for `verify`.
    seed : int
        For everything that samples.
    date : str or None
        Printed in the report; None prints today's.
    force : bool
        Replace any other file at `out`.
    **reading
        How to read the original.

    Returns
    -------
    Verdict
        As from `verify`; the report is written whether it holds or not.
    """
    findings = write_report(
        directory,
        out,
        original,
        sensitive=sensitive,
        taxonomy=taxonomy,
        trace=trace,
        seed=seed,
        date=date,
        force=force,
        progress=progress,
        **reading,
    )
    return findings.verdict


def write_report(
    directory: str | Path,
    out: str | Path,
    original: object = None,
    *,
    sensitive: object = None,
    taxonomy: object = None,
    trace: str | Path | Sequence[str | Path] = (),
    seed: int = 0,
    date: str | None = None,
    force: bool = False,
    progress: Progress = silent,
    **reading: Any,
) -> Findings:
    """Write a report as `report` does, and return everything that it states."""
    directory, out = path("report", "directory", directory), path("report", "out", out)
    tree = taxonomy_of(taxonomy)
    source = None if original is None else Source.of(original, sensitive=sensitive, **reading).along(tree)
    read_here = [directory, taxonomy if isinstance(taxonomy, str | Path) else None, *(source.files() if source else ())]
    require_free(out, inputs=read_here, marks=MARKS, force=force)
    with opened(directory) as place:
        manifest = read_manifest(place.release)
        told: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as told:  # for the report, and for whoever asked for it
                warnings.simplefilter("always", CoveyWarning)
                given: dict[str, Any] = {"taxonomy": tree, "trace": as_paths(trace)}
                found = Local().examine(place.release, source, progress=progress, **given)
        finally:
            for one in told:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        holds, said = found.verdict.holds, [one.message for one in told]
        findings = examine_release(
            place.release,
            manifest,
            found.verdict,
            found.release if holds else None,
            found.original,
            taxonomy=tree,
            seed=seed,
            cleaned=" ".join(str(one) for one in said if isinstance(one, LeftOut)) if holds else "",
            warned=[str(one) for one in said if isinstance(one, UnnamedPersons)],
            progress=progress,
        )
    page = release_page(findings, date=calendar.today().isoformat() if date is None else date)
    write_whole(out, page.encode(), marks=MARKS, force=force)
    return findings
