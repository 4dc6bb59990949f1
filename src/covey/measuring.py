"""Measure data and releases: risk, what a release costs, what an attacker gains, and a report of it all."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from datetime import date as calendar
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from covey.errors import CoveyWarning, LeftOut, ParameterError, UnnamedPersons
from covey.explore.grid import explore_all
from covey.guarantees.base import Guarantee
from covey.io.source import Source
from covey.local import EngineName, Local, read_original, require_local
from covey.local import engine as choose_engine
from covey.measure.attacks import run_attacks
from covey.measure.attacks.composition import compose
from covey.measure.attacks.result import LIMIT
from covey.parameters import Place, as_paths, path
from covey.pipeline import Data, Reading, Tree, original_source, taxonomy_of, verb
from covey.progress import Progress, silent
from covey.release import read_release
from covey.release.archive import opened
from covey.release.base import Release
from covey.release.manifest import read_manifest
from covey.report.findings import Findings, examine_release
from covey.report.item_list import ItemList, list_items
from covey.report.page import MARKS
from covey.report.release_page import release_page
from covey.results import Attacks, Evaluation, Inspection
from covey.staging import require_free, write_whole
from covey.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd


@verb
def items(
    data: Data,
    match: str | Sequence[str] | None = None,
    *,
    taxonomy: Tree | None = None,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> ItemList:
    """List what can be marked as sensitive, with how often it occurs, and whether it is marked.

    Parameters
    ----------
    match
        Part of a name, ``glob:*TEST*``, ``re:EXPRESSION`` or ``under:NODE`` of the taxonomy; of several, any.

    Examples
    --------
    >>> import covey
    >>> [found.item for found in covey.items([["wine", "rice wine"], ["wine"]], match="glob:*wine").items]
    ['wine', 'rice wine']
    """
    source = Source.of(data, **reading)
    return list_items(source, match, taxonomy, progress=progress)


@verb
def inspect(
    data: Data,
    *,
    taxonomy: Tree | None = None,
    known: int = 4,
    samples: int = 20_000,
    seed: int = 0,
    engine: EngineName = "local",
    master: str | None = None,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> Inspection:
    """Return the shape of the data, and the risk that someone who knows a few things finds a person.

    Parameters
    ----------
    known
        Risk for 1 up to this many known things.
    samples, seed
        Cases drawn for each risk figure, and the seed for drawing them.

    Examples
    --------
    >>> import covey
    >>> found = covey.inspect([["wine"], ["wine", "beer"], ["tea"]], known=1)
    >>> found["transactions"], round(found["risk"][0]["risk"], 2)
    (3, 0.75)
    """
    source = Source.of(data, **reading)
    where = choose_engine(engine, master=master)
    figures = where.inspect(source, taxonomy=taxonomy, known=known, samples=samples, seed=seed, progress=progress)
    return Inspection(figures)


@verb
def evaluate(
    release: Place | Release,
    original: Data | None = None,
    *,
    taxonomy: Tree | None = None,
    trace: Place | Sequence[Place] = (),
    items: int = 4,
    queries: int = 100,
    known: int = 4,
    top: int = 100,
    seed: int = 0,
    engine: EngineName = "local",
    master: str | None = None,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> Evaluation:
    """Measure a release against its original: errors of estimates, information lost, what is learned of someone.

    Parameters
    ----------
    release, original, trace
        As for `verify`; the original is needed, and figures by person need the trace.
    items, queries
        Published items per query, and queries per workload.
    known
        Exposure for 1 up to this many known items.
    top
        How many frequent itemsets to look up.
    seed
        For drawing queries and cases.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    >>> covey.evaluate(covey.anonymize(baskets, "degree(p=2)", seed=1), baskets, items=1).to_frame().columns.tolist()
    ['measure', 'value']
    """
    source = Source.of(_needed(original), **reading)
    if isinstance(release, Release):
        require_local(engine)
    figures = choose_engine(engine, master=master).evaluate(
        release,
        source,
        taxonomy=taxonomy,
        trace=as_paths(trace),
        r=items,
        queries=queries,
        known=known,
        top=top,
        seed=seed,
        progress=progress,
    )
    return Evaluation(figures)


@verb
def attack(
    release: Place | Release,
    original: Data | None = None,
    *,
    with_: Place | Release | None = None,
    with_original: Data | None = None,
    trace: Place | Sequence[Place] = (),
    seed: int = 0,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> Attacks:
    """Attack a release in every way covey knows, and compare with the claim and with what needs no release.

    Parameters
    ----------
    release, original, trace
        As for `verify`; the original is needed: it tells whether a guess was right. Attacks on persons, and those with
        another release, need the trace (of both releases).
    with_
        Another release about the same people: measure what the two give away together, instead.
    with_original
        What the other release was made from, if not from the same original.
    seed
        For drawing targets.

    Examples
    --------
    >>> import covey
    >>> table = {"age": [30, 31, 50, 51], "city": ["a", "a", "b", "b"]}
    >>> release = covey.anonymize(covey.Table.of(table), "k-anonymity(k=2)", seed=1)
    >>> covey.attack(release, covey.Table.of(table)).to_frame()["attack"].tolist()
    ['linkage', 'inference']
    """
    source = Source.of(_needed(original), **reading)
    published = release if isinstance(release, Release) else read_release(path("attack", "release", release))
    data = read_original(source, published, progress, as_paths(trace))
    if with_ is None:
        if with_original is not None:
            raise ParameterError("Name the release that was made from it, too: --with (with_=).")
        return Attacks(published.guarantee, run_attacks(published, data, seed, progress=progress))
    second = with_ if isinstance(with_, Release) else read_release(path("attack", "with_", with_))
    theirs = source
    if with_original is not None:
        theirs = Source.of(with_original, **reading)
    other = read_original(theirs, second, progress, as_paths(trace))
    return Attacks(published.guarantee, compose(published, data, second, other, same_rows=with_original is None))


def _needed(original: Data | None) -> Data:
    if original is None:
        raise ParameterError("This needs the original: give the data that the release was made from.")
    return original


@verb
def explore(
    data: Data | Mapping[str, Data],
    guarantee: str | Guarantee | Sequence[str | Guarantee],
    method: str | Sequence[str] = (),
    *,
    strengths: Sequence[int] = (),
    seeds: int = 1,
    seed: int = 0,
    taxonomy: Tree | None = None,
    audit: float = LIMIT,
    output: Place | None = None,
    jobs: int | None = 1,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> pd.DataFrame:
    """Return what releases of datasets × guarantees × methods × seeds keep and risk; nothing is published.

    A row of the frame is one release; in its ``attrs`` are ``points``, the means over the seeds, and ``why``, the
    reasons for what is recommended.

    Parameters
    ----------
    data
        The original, or a dict of several by name.
    guarantee
        One or several, for example ``["degree(p=4)", "degree(p=10)"]``.
    method
        Which to try, with options where wanted; all that keep the guarantee when empty.
    strengths
        Values for the main parameter of each guarantee.
    seeds, seed
        How many seeds, and the first one.
    audit
        The highest lift that an attack may have for a release to be recommended.
    output
        A directory for the table, charts and finished trials. What it holds already is not measured again.
    jobs
        Processes; None takes every core. A script that asks for several must guard its main part with
        ``if __name__ == "__main__":``.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [30, 31, 40, 42, 50, 51], "city": ["a", "a", "b", "b", "c", "c"]})
    >>> found = covey.explore(people, "k-anonymity(k=2)", ["mondrian", "hilbert"], strengths=[2, 3])
    >>> found["method"].tolist(), len(found.columns), found["recommended"].sum()
    (['mondrian', 'hilbert', 'mondrian', 'hilbert'], 19, np.int64(2))
    """
    named = data if isinstance(data, dict) else {"data": data}
    found = explore_all(
        {name: Source.of(one, **reading) for name, one in named.items()},
        [guarantee] if isinstance(guarantee, str | Guarantee) else list(guarantee),
        [method] if isinstance(method, str) else list(method),
        strengths=strengths,
        seeds=seeds,
        seed=seed,
        taxonomy=taxonomy_of(taxonomy),
        limit=audit,
        out=None if output is None else Path(output),
        jobs=jobs,
        progress=progress,
    )
    frame = found.table.to_pandas()
    frame.attrs |= {key: value for key, value in found.to_dict().items() if key in ("points", "why", "measure")}
    return frame


@verb
def report(
    release: Place,
    original: Data | None = None,
    *,
    output: Place | None = None,
    taxonomy: Tree | None = None,
    trace: Place | Sequence[Place] = (),
    seed: int = 0,
    date: str | None = None,
    force: bool = False,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> Verdict:
    """Verify a release and write a report of it as one self-contained HTML file, whether it holds or not.

    Parameters
    ----------
    release, original, sensitive, taxonomy, trace
        As for `verify`. The original adds risk, utility and attacks, and makes the report confidential.
    output
        The file to write; RELEASE.html by default, or RELEASE.internal.html with an original.
    seed
        For everything that samples.
    date
        Printed in the report; None prints today's.
    force
        Replace any other file at `output`. An earlier page of covey's is always replaced; what the release is made of,
        and what is read here, never.
    """
    return write_report(
        release,
        original,
        output=output,
        taxonomy=taxonomy,
        trace=trace,
        seed=seed,
        date=date,
        force=force,
        progress=progress,
        **reading,
    ).verdict


def report_path(release: Place, original: Data | None) -> Path:
    """Return the default name of a report: what must stay inside never replaces what may be shared."""
    return Path(f"{Path(release).resolve()}{'' if original is None else '.internal'}.html")


def write_report(
    release: Place,
    original: Data | None = None,
    *,
    output: Place | None = None,
    taxonomy: Tree | None = None,
    trace: Place | Sequence[Place] = (),
    seed: int = 0,
    date: str | None = None,
    title: str = "",
    force: bool = False,
    progress: Progress = silent,
    **reading: Unpack[Reading],
) -> Findings:
    """Write a report as `report` does, and return everything that it states."""
    directory = path("report", "release", release)
    target = report_path(directory, original) if output is None else path("report", "output", output)
    tree = taxonomy_of(taxonomy)
    source = original_source(original, **reading)
    if source is not None:
        source = source.along(tree)
    read_here = [directory, taxonomy if isinstance(taxonomy, str | Path) else None, *(source.files() if source else ())]
    require_free(target, inputs=read_here, marks=MARKS, force=force)
    with opened(directory) as place:
        manifest = read_manifest(place.release)
        caught: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as caught:  # for the report, and for the caller
                warnings.simplefilter("always", CoveyWarning)
                found = Local().examine(place.release, source, taxonomy=tree, trace=as_paths(trace), progress=progress)
        finally:
            for one in caught:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        holds, messages = found.verdict.holds, [one.message for one in caught]
        findings = examine_release(
            place.release,
            manifest,
            found.verdict,
            found.release if holds else None,
            found.original,
            taxonomy=tree,
            seed=seed,
            cleaned=" ".join(str(one) for one in messages if isinstance(one, LeftOut)) if holds else "",
            warned=[str(one) for one in messages if isinstance(one, UnnamedPersons)],
            progress=progress,
        )
    page = release_page(findings, date=calendar.today().isoformat() if date is None else date, title=title)
    write_whole(target, page.encode(), marks=MARKS, force=force)
    return findings
