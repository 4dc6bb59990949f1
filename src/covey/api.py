"""The verbs of covey, as Python, the command line and the page call them.

Every one makes a `covey.io.source.Source` or a `covey.pipeline.Plan` of what it is given, and hands it to an engine.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from datetime import date as calendar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from covey.data.kinds import data_kinds
from covey.engines import engine as choose_engine
from covey.engines.local import Local, read_original
from covey.errors import CleanedRows, CoveyWarning
from covey.guarantees import guarantee as parse_guarantee
from covey.io.archive import opened
from covey.io.source import Source
from covey.pipeline import Plan, Published, plan, taxonomy_of
from covey.progress import Progress, silent
from covey.registry import declared_parameters
from covey.release.about import About
from covey.release.base import Release
from covey.release.manifest import read_manifest
from covey.report.item_list import ItemList, list_items
from covey.verdict import Verdict
from covey.verify import check_data, check_release, examine, kinds_checked
from covey.verify.copies import check_copy

if TYPE_CHECKING:
    from covey.results import Attacks, Evaluation, Exploration, Inspection


def anonymize(
    data: Any,
    guarantee: Any,
    method: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    seed: int | None = None,
    audit: float | None = None,
    like: Any = None,
    like_original: Any = None,
    progress: Progress = silent,
    **options: Any,
) -> Any:
    """Make a release in memory and check its guarantee.

    Parameters
    ----------
    data : Source, path, frame or data
        The original: anything `covey.read` and its like take, or a function without arguments that returns it.
    guarantee : str or guarantee
        For example ``"degree(p=10)"``.
    method : str, method or None
        None chooses the recommended method for the guarantee.
    sensitive : path, comma list, collection or None
        Marks what is sensitive; None keeps the marks that `data` has.
    taxonomy : Taxonomy, path or None
        How items may be generalized.
    seed : int or None
        Makes the release reproducible; None draws from the system's entropy.
    audit : float or None
        The highest lift that an attack may have (`covey.attacks.AttackResult.lift`); None runs no attacks.
    like : path, Release or None
        An earlier release: people who are in both stay together, as far as the promise allows.
    like_original : Source, path, frame, data or None
        What the earlier release was made from, read like `data`; None where it is `data` itself.
    progress : callable
        Told of the stages.
    **options
        Options of the method, for example ``alpha=5``, and how to read `data`, for example ``item="Product"``.

    Returns
    -------
    Release

    Raises
    ------
    Infeasible
        No release of this data keeps the guarantee.
    AuditFailed
        An attack gains more from the release than `audit` allows.

    Examples
    --------
    >>> import covey
    >>> baskets = covey.Baskets.of([["wine", "test"], ["wine"], ["meat"], ["meat"]], sensitive=["test"])
    >>> covey.anonymize(baskets, "degree(p=4)").groups
    1
    """
    options |= {"like": like, "like_original": like_original}
    made = _plan(data, guarantee, method, sensitive=sensitive, taxonomy=taxonomy, seed=seed, options=options)
    return Local().anonymize(made, lift=audit, progress=progress)


def publish(
    data: Any,
    out: str | Path,
    guarantee: Any,
    method: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    csv: bool = False,
    force: bool = False,
    seed: int | None = None,
    audit: float | None = None,
    like: Any = None,
    like_original: Any = None,
    title: str | None = None,
    license: str | None = None,
    contact: str | None = None,
    engine: Any = "local",
    master: str | None = None,
    progress: Progress = silent,
    **options: Any,
) -> Published:
    """Anonymize `data` and write the release to `out`, whole and verified or not at all.

    Parameters
    ----------
    data, guarantee, method, sensitive, taxonomy, seed, audit, like, like_original, progress, **options
        As for `anonymize`.
    out : path
        The directory to make.
    csv : bool
        Write CSV instead of Parquet.
    force : bool
        Replace an existing release.
    title, license, contact : str or None
        What the release says of itself, in its README and data package: what it is called, under which licence it may
        be used (``"CC-BY-4.0"`` or a web address), and whom to ask (an e-mail or web address, or ``"Name <address>"``).
    engine : {"local", "spark"}
        Where to work.
    master : str or None
        Where Spark runs.
    """
    options |= {"like": like, "like_original": like_original}
    about = About(title=title, license=license, contact=contact)
    made = _plan(
        data, guarantee, method, sensitive=sensitive, taxonomy=taxonomy, seed=seed, options=options, about=about
    )
    where = choose_engine(engine, master=master)
    return where.publish(made, out, csv=csv, force=force, lift=audit, progress=progress)


def _plan(
    data: Any,
    guarantee: Any,
    method: Any,
    *,
    sensitive: Any,
    taxonomy: Any,
    seed: int | None,
    options: dict[str, Any],
    about: About | None = None,
) -> Plan:
    """The plan, with reading options told from the method's by their names."""
    names = {name for kind in data_kinds() for name in kind.option_names()} | {"kind"}
    reading = {name: options.pop(name) for name in list(options) if name in names}
    source = Source.of(data, sensitive=sensitive, **reading)
    return plan(source, guarantee, method, taxonomy=taxonomy, seed=seed, about=about, **options)


def items(
    data: Any,
    match: str | None = None,
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
    match : str or None
        Part of a name, ``glob:*TEST*``, ``re:EXPRESSION`` or ``under:NODE``; None lists everything.
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


def check(data: Any, guarantee: Any, *, sensitive: Any = None, progress: Progress = silent, **reading: Any) -> Verdict:
    """Say whether data as it stands, or a release in memory, keeps a guarantee.

    Parameters
    ----------
    data : Source, path, frame, data or Release
        What is asked; a release on disk is for `verify`.
    guarantee : str or guarantee
        For example ``"k-anonymity(k=5)"``.
    sensitive : path, comma list, collection or None
        Marks what is sensitive; None keeps the marks that `data` has.
    progress : callable
        Told of the stages.
    **reading
        How to read `data`.

    Examples
    --------
    >>> import covey
    >>> covey.check([["wine"], ["wine"], ["beer"]], "k-anonymity(k=2)").holds
    False
    """
    promise = parse_guarantee(guarantee)
    if isinstance(data, Release):
        return check_release(promise, data)
    source = Source.of(data, sensitive=sensitive, **reading).as_kind(kinds_checked(promise.name)[0])
    return check_data(promise, source.read(progress=progress), progress=progress)


def verify(
    directory: str | Path,
    original: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    fingerprint: str | None = None,
    engine: Any = "local",
    master: str | None = None,
    progress: Progress = silent,
    **reading: Any,
) -> Verdict:
    """Check a release from its files alone and, given the original, that it is a faithful release of it.

    Parameters
    ----------
    directory : path
        The release, or a ZIP file of one.
    original : Source, path, frame, data or None
        What the release was made from.
    sensitive : path, comma list, collection or None
        What had to be treated as sensitive; None takes the release's word for it.
    taxonomy : Taxonomy, path or None
        What labels were generalized along; with the original, the labels are then checked too.
    fingerprint : str or None
        The fingerprint noted when the release was made, or its beginning.
    engine, master
        As for `publish`.
    **reading
        How to read the original.

    Returns
    -------
    Verdict
        With every check made; it is not an exception when a check fails.
    """
    source = None if original is None else Source.of(original, **reading)
    where = choose_engine(engine, master=master)
    with opened(directory) as place:
        verdict = where.verify(
            place.release, source, sensitive=sensitive, taxonomy=taxonomy, fingerprint=fingerprint, progress=progress
        )
        checks = [replace(check, detail=place.told(check.detail)) for check in verdict.checks]
        if place.copy is not None:
            found = (examine(one, declared_parameters) for one in (place.release, place.copy))
            checks.append(check_copy(place.release, *found))
    return replace(verdict, checks=tuple(checks))


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
    """Shape of the data, and the risk that somebody who knows a few things finds a person.

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
    from covey.results import Inspection

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
    engine: Any = "local",
    master: str | None = None,
    progress: Progress = silent,
    **reading: Any,
) -> Evaluation:
    """Measure a release against its original: errors of estimates, information lost, what is learned of somebody.

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
    from covey.results import Evaluation

    source = Source.of(original, **reading)
    extent = {"seed": seed, "r": r, "queries": queries, "known": known, "top": top}
    if isinstance(release, Release):
        from covey.metrics import evaluate as measure

        data = read_original(source, release, progress)
        return Evaluation(measure(release, data, taxonomy=taxonomy_of(taxonomy), progress=progress, **extent))
    where = choose_engine(engine, master=master)
    return Evaluation(where.evaluate(release, source, taxonomy=taxonomy, progress=progress, **extent))


def attack(
    release: Any,
    original: Any,
    *,
    beside: Any = None,
    beside_original: Any = None,
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
    from covey.attacks import run_attacks
    from covey.attacks.composition import compose
    from covey.release import read_release
    from covey.results import Attacks

    source = Source.of(original, **reading)
    published = release if isinstance(release, Release) else read_release(release)
    data = read_original(source, published, progress)
    if beside is None:
        return Attacks(published.guarantee, run_attacks(published, data, seed, progress=progress))
    second = beside if isinstance(beside, Release) else read_release(beside)
    shared = beside_original is None
    theirs = read_original(source if shared else Source.of(beside_original, **reading), second, progress)
    return Attacks(published.guarantee, compose(published, data, second, theirs, same_rows=shared))


def explore(
    data: Any,
    guarantee: Any,
    methods: Sequence[str] = (),
    *,
    strengths: Sequence[int] | str | None = None,
    sensitive: Any = None,
    taxonomy: Any = None,
    audit: float | None = None,
    seed: int = 0,
    jobs: int | None = 1,
    progress: Progress = silent,
    **reading: Any,
) -> Exploration:
    """Try several strengths and methods, and set what each release keeps against what it risks.

    Parameters
    ----------
    data : Source, path, frame or data
        The original.
    guarantee : str or guarantee
        The promise that is wanted, for example ``"degree(p=10)"``.
    methods : sequence of str
        Which to try, with options where wanted; the first two of the registry when empty.
    strengths : sequence of int, str or None
        Values of the guarantee's main parameter, or of another as ``"m=1,2,3"``; None takes a ladder that the data
        allows.
    sensitive, taxonomy
        As for `anonymize`.
    audit : float or None
        The highest lift that an attack may have for a release to be recommended.
    seed : int
        For methods, queries and attacks.
    jobs : int or None
        Processes; None takes every core. A script that asks for several must guard its main part with
        ``if __name__ == "__main__":``.
    progress : callable
        Told how many are done.
    **reading
        How to read `data`.

    Examples
    --------
    >>> import covey
    >>> people = covey.Table.of({"age": [30, 31, 40, 42, 50, 51], "city": ["a", "a", "b", "b", "c", "c"]})
    >>> found = covey.explore(people, "k-anonymity(k=2)", ["mondrian"], strengths=[2, 3])
    >>> found["measure"]["label"], len(found["points"])
    ('detail of the quasi-identifiers kept', 2)
    """
    from covey.compare.explore import explore_data
    from covey.results import Exploration

    source = Source.of(data, sensitive=sensitive, **reading)
    given = {"strengths": strengths, "taxonomy": taxonomy, "lift": audit, "seed": seed, "jobs": jobs}
    return Exploration(explore_data(source, guarantee, methods, progress=progress, **given))


def report(
    directory: str | Path,
    out: str | Path,
    original: Any = None,
    *,
    sensitive: Any = None,
    taxonomy: Any = None,
    seed: int = 0,
    date: str | None = None,
    progress: Progress = silent,
    **reading: Any,
) -> Verdict:
    """Verify a release and write a report of it as one self-contained HTML file.

    Parameters
    ----------
    directory : path
        The release, or a ZIP file of one.
    out : path
        The file to write, replaced whole.
    original : Source, path, frame, data or None
        What the release was made from: adds risk, utility and attacks, and makes the report confidential.
    sensitive : path, comma list, collection or None
        What is sensitive in the original; None takes the release's word for it.
    taxonomy : Taxonomy, path or None
        What the labels of sets were generalized along.
    seed : int
        For everything that samples.
    date : str or None
        Printed in the report; None prints today's.
    **reading
        How to read the original.

    Returns
    -------
    Verdict
        As from `verify`; the report is written whether it holds or not.
    """
    from covey.release.writing import write_whole
    from covey.report.findings import examine_release
    from covey.report.release_page import release_page
    from covey.report.signing import origin_of

    tree = taxonomy_of(taxonomy)
    source = None if original is None else Source.of(original, sensitive=sensitive, **reading).along(tree)
    with opened(directory) as place:
        manifest = read_manifest(place.release)
        found = Local().examine(place.release, source, taxonomy=tree, progress=progress)
        data, cleaned = None, ""
        if source is not None and found.verdict.holds:
            with warnings.catch_warnings(record=True) as told:  # they were said when the release was examined
                warnings.simplefilter("always", CoveyWarning)
                data = read_original(source, found.release, progress)
            cleaned = " ".join(str(one.message) for one in told if isinstance(one.message, CleanedRows))
        findings = examine_release(
            place.release,
            manifest,
            found.verdict,
            found.release if found.verdict.holds else None,
            data,
            taxonomy=tree,
            seed=seed,
            cleaned=cleaned,
            origin=None if source is None else origin_of(source.data),
            progress=progress,
        )
    page = release_page(findings, date=calendar.today().isoformat() if date is None else date)
    write_whole(Path(out), page.encode())
    return found.verdict
