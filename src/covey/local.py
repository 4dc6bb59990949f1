"""The engines that run plans, and the local one: everything in this process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from covey.counting import counted
from covey.data import Ratings, Taxonomy
from covey.data.labels import twins
from covey.data.saved import spend
from covey.errors import (
    CoveyWarning,
    InputError,
    LittleKept,
    ParameterError,
    TamperedRelease,
    TellingColumn,
    UnnamedPersons,
)
from covey.guarantees import guarantee as parse_guarantee
from covey.io.sensitive import fitting, is_pattern, read_sensitive
from covey.io.source import Source
from covey.parameters import Place, choice, path
from covey.pipeline import Dataset, Marks, Plan, Published, Tree, require_holds, taxonomy_of
from covey.progress import Progress, silent
from covey.registry import declared, methods
from covey.release.base import Release, counts_persons
from covey.release.grouped import GroupedRelease
from covey.release.kinds import nearly_unique
from covey.release.manifest import Manifest
from covey.release.ratings import RatingsRelease
from covey.release.store import load, save
from covey.release.trace import find_trace, named, place_of, remember, write_trace
from covey.report.cost import HARDLY_OF_USE, cost_of_release
from covey.staging import staged
from covey.tabular import Figures
from covey.verdict import Check, Verdict
from covey.verify import Examined, check_release, compare, examine

if TYPE_CHECKING:
    from covey.measure.attacks.result import AttackResult
    from covey.spark.engine import Spark

EngineName = Literal["local", "spark"]


def engine(name: str = "local", *, master: str | None = None) -> Local | Spark:
    """Return the engine with a name; `master` is the address of Spark.

    Examples
    --------
    >>> engine("local").name
    'local'
    """
    choice("covey", "engine", name, get_args(EngineName))
    if name == "local":
        if master is not None:
            raise ParameterError("A master is the address of Spark; choose the engine spark with it.")
        return Local()
    spark: type[Spark] = import_module("covey.spark.engine").Spark  # which needs PySpark
    return spark(master)


def require_local(name: str, what: str = "A release in memory is measured here") -> None:
    """Raise `ParameterError` for another engine than the local one."""
    if name != Local.name:
        raise ParameterError(f"{what}: it needs the engine local.")


class Local:
    """In this process."""

    name: ClassVar[str] = "local"

    def anonymize(self, plan: Plan, *, progress: Progress = silent) -> Release:
        """Make a release in memory, check its guarantee, and audit it if the plan has limits."""
        original = plan.read(progress=progress)
        release = _made(plan, original, progress)
        remember(release, named(release, original))
        require_holds(check_release(plan.promise, release))
        _audited(release, original, plan, progress)
        warn_of_telling(release.unprotected())
        return release

    def publish(
        self,
        plan: Plan,
        out: Path,
        *,
        csv: bool = False,
        force: bool = False,
        trace: Place | Literal[False] | None = None,
        progress: Progress = silent,
    ) -> Published:
        """Anonymize and write the release to `out`, whole and verified or not at all.

        The files are written aside, read back and checked by code that shares nothing with the method: that the
        guarantee holds on the published files alone, and against the original that nothing was lost or invented. The
        limits of the plan are applied to what was read back. The trace is kept with the dataset that was read, and
        written to the file `trace` if one is named; not at all where it is False.
        """
        with staged(out, force=force) as stage:
            original = plan.read(progress=progress)
            release = _made(plan, original, progress)
            known = named(release, original)
            progress("writing", 0.0)
            manifest = save(release, stage, csv=csv, about=plan.about, progress=progress)
            del release
            progress("verifying", 0.0)
            found = examine(stage, declared)
            if found.release is not None:
                remember(found.release, known)
            taxonomy = getattr(plan.method, "taxonomy", None)
            verdict = compared(found, lambda release: compare(release, original, taxonomy))
            require_holds(verdict)
            progress("verifying", 1.0)
            audited = _audited(found.release, original, plan, progress)
            cost = cost_of_release(found.release, original, taxonomy)
            if cost is not None and cost.lost is not None and cost.lost > HARDLY_OF_USE:
                warnings.warn(LittleKept(cost.lost, cost.advice), stacklevel=2)
            as_they_were = tuple(found.release.unprotected())
            warn_of_telling(as_they_were)
            if trace and known is not None:
                write_trace(Path(trace), known, found.release, force=force)
        home, item = getattr(original, "directory", None), manifest.facts.get("epsilon_item")
        if trace is not False and home is not None and known is not None:
            write_trace(place_of(home, found.release), known, found.release, force=True)
        uniqueness: Figures = {}
        if isinstance(found.release, RatingsRelease) and isinstance(original, Ratings):
            from covey.measure.uniqueness import before_and_after

            uniqueness = before_and_after(found.release, original)
        return Published(
            path=out,
            manifest=manifest,
            spent=spend(home, manifest.fingerprint, item) if home and item else None,
            verdict=verdict,
            unprotected=as_they_were,
            uniqueness=uniqueness,
            audit=audited,
            cost=cost,
            compared=tuple(getattr(plan.method, "compared", ())),
            left_out=getattr(original, "left_out", ()),
        )

    def examine(
        self,
        release: Place | Release,
        original: Source | None = None,
        *,
        sensitive: Marks | None = None,
        taxonomy: Tree | None = None,
        fingerprint: str | None = None,
        trace: Sequence[Path] = (),
        progress: Progress = silent,
    ) -> Examined:
        """Check a release from its files alone and, given the original, that it is faithful to it.

        Of a release in memory the guarantee is checked.
        """
        progress("verifying", 0.0)
        if isinstance(release, Release):
            found = Examined(verdict=check_release(parse_guarantee(release.guarantee), release), release=release)
        else:
            found = examine(Path(release), declared)
        found = _against(found, original, sensitive, taxonomy_of(taxonomy), trace, progress)
        verdict = found.verdict
        if not isinstance(release, Release) and found.release is not None:
            as_they_were = tuple(found.release.unprotected())
            warn_of_telling(as_they_were)
            if as_they_were:
                columns = [{"column": name, "distinct": share} for name, share in as_they_were]
                verdict = replace(verdict, figures={**verdict.figures, "unprotected": columns})
        return replace(found, verdict=with_fingerprint(verdict, found.manifest, fingerprint))

    def inspect(self, source: Source, *, taxonomy: Tree | None = None, **extent: Any) -> dict[str, Any]:
        """Return the shape of the data, and the risk that someone who knows a few things finds a person."""
        from covey.io.ratings import warn_of_ratings
        from covey.io.roles import ROLE_OPTIONS, guessed
        from covey.measure.inspection import inspect_data

        wanted = source.as_kind()
        if taxonomy is not None and not wanted.decided.uses_taxonomy:
            raise ParameterError(f"A taxonomy is about items of baskets; this data is read as {wanted.decided.name}.")
        tree = taxonomy_of(taxonomy)
        wanted = wanted.along(tree)
        recognised = wanted.recognise()
        about: dict[str, object] = {}
        if recognised is not None:
            about = {"format": recognised.format, "recognised": recognised.describe()}
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CoveyWarning)
            if source.known_kind is None and recognised is not None and recognised.layout == "long":
                # Nobody has said that it is baskets.
                warn_of_ratings(recognised.columns, (recognised.transaction, recognised.item))
            data = wanted.read(progress=extent.get("progress", silent))
        for one in caught:
            warnings.warn(one.message, stacklevel=2)
            if isinstance(one.message, CoveyWarning) and one.message.json_key is not None:
                about[one.message.json_key] = one.message.to_dict()
        if wanted.decided.has_columns and not set(ROLE_OPTIONS) & set(wanted.options):
            # Whoever has named roles needs no guesses.
            about["guesses"] = [one.to_dict() for one in guessed(data.columns)]
        able = list(dict.fromkeys(name for one in methods(data=data.kind) for name in one.guarantees))
        return {**about, **inspect_data(data, taxonomy=tree, guarantees=able, **extent)}

    def evaluate(
        self,
        released: Place | Release,
        original: Source,
        *,
        taxonomy: Tree | None = None,
        trace: Sequence[Path] = (),
        progress: Progress = silent,
        **extent: int,
    ) -> dict[str, Any]:
        """Return every metric of a release against its original."""
        from covey.measure.evaluation import evaluate

        release = released if isinstance(released, Release) else load(path("evaluate", "release", released))
        tree = taxonomy_of(taxonomy)
        data = read_original(original.along(tree), release, progress, trace)
        return evaluate(release, data, taxonomy=tree, progress=progress, **extent)


def _against(
    found: Examined,
    source: Source | None,
    sensitive: Marks | None,
    tree: Any,
    trace: Sequence[Path],
    progress: Progress,
) -> Examined:
    """Return what was found, with the release compared with its original or with what is named as sensitive."""
    if source is None:
        if sensitive is None or found.release is None:
            return found
        apart = _kept_apart(found.release, sensitive, tree)
        return replace(found, verdict=replace(found.verdict, checks=(*found.verdict.checks, apart)))
    wanted = (source if sensitive is None else replace(source, sensitive=sensitive)).along(tree)
    read: list[Dataset] = []

    def with_original(release: Release) -> Iterable[Check]:
        read.append(read_original(wanted, release, progress, trace))
        return compare(release, read[0], tree)

    verdict = compared(found, with_original)
    return replace(found, verdict=verdict, original=read[0] if read else None)


def _made(plan: Plan, original: Dataset, progress: Progress) -> Release:
    """Return the release that a plan describes, with people in their earlier groups if it names an earlier release."""
    given: dict[str, Any] = {}
    if plan.like is not None:
        from covey.measure.attacks.composition import earlier_homes

        earlier = plan.like if isinstance(plan.like, Release) else load(path("anonymize", "like", plan.like))
        find_trace(earlier, original, () if plan.like_trace is None else (Path(plan.like_trace),))
        before = parse_guarantee(earlier.guarantee)
        if before.name == plan.promise.name and before.text != plan.promise.text:
            text = (
                f"The earlier release keeps {before.text}, and this one {plan.promise.text}. People who are in both "
                "are protected at most as well as by the weaker one: use one strength for both."
            )
            warnings.warn(CoveyWarning(text), stacklevel=2)
        given["before"] = earlier_homes(original, earlier)
    made: Release = plan.method.anonymize(original, plan.promise, progress=progress, **given)
    return made


def _audited(release: Release, original: Dataset, plan: Plan, progress: Progress) -> tuple[AttackResult, ...]:
    """Raise `AuditFailed` if a release exceeds the limits of its plan; return what attacks achieve if they were run.

    Figures are those that `covey explore` finds with the same seed.
    """
    if plan.audit is None and plan.keep_at_least is None:
        return ()
    if release.kind == "model":
        raise ParameterError(
            "--audit and --keep-at-least (audit=, keep_at_least=) decide by the exact data whether something is "
            f"published, which {plan.promise.name} forbids. Leave them out, measure the release afterwards, and keep "
            "the figures to yourself."
        )
    seed = plan.method.seed or 0
    if plan.keep_at_least is not None:
        from covey.measure.kept import require_kept

        progress("measuring", 0.0)
        tree = getattr(plan.method, "taxonomy", None)
        require_kept(release, original, plan.keep_at_least, seed=seed, taxonomy=tree)
    if plan.audit is None:
        return ()
    from covey.measure.attacks.audit import audit

    best = methods(guarantee=plan.promise.name, data=release.made_from)[0].name
    return audit(release, original, plan.audit, recommended=best, seed=seed, progress=progress)


def read_original(source: Source, release: Release, progress: Progress = silent, trace: Sequence[Path] = ()) -> Dataset:
    """The original of a release, read as the kind of data and with the options that the release states.

    The trace of the release is looked for in the given files, and beside the original if that is a saved dataset.
    """
    wanted = source.as_kind(release.made_from)
    if wanted.decided.name != release.made_from:
        raise ParameterError(
            f"This release was made from {release.made_from}, and the original is given as {wanted.decided.name}."
        )
    hints = release.reading_options()
    hinted = wanted.with_hints(hints) if hints else wanted
    with warnings.catch_warnings():
        if counts_persons(release.facts()):  # then someone must name the persons, and rows are not counted
            warnings.simplefilter("error", UnnamedPersons)
        try:
            original = _read_hinted(wanted, hinted, progress)
        except UnnamedPersons as warning:
            raise ParameterError(
                "This release counts persons. Name the column of the original that has them, perhaps --person "
                f"'{warning.column}' (person=)."
            ) from None
    find_trace(release, original, tuple(trace))
    return original


def _read_hinted(wanted: Source, hinted: Source, progress: Progress) -> Dataset:
    """Read the original with the options that the release states; they are false where it can be read without only."""
    try:
        original: Dataset = hinted.read(progress=progress)
        return original
    except (InputError, ParameterError) as error:
        if hinted is wanted:
            raise
        wanted.read(progress=progress)  # raises where the original itself is at fault
        raise TamperedRelease(f"The release makes a false statement about its original: {error}") from None


def _kept_apart(release: Release, sensitive: Marks, taxonomy: Taxonomy | None) -> Check:
    """Whether no item that someone names as sensitive is published in single transactions."""
    if not isinstance(release, GroupedRelease):
        raise ParameterError("Sensitive items can be compared with a grouped release only; give the original too.")
    there = list(dict.fromkeys([*release.transactions.items, *release.sensitive_items]))
    named = [
        name
        for text in read_sensitive(sensitive)
        for name in (fitting(text, there, taxonomy) if is_pattern(text) and text not in there else [text])
    ]
    columns = () if release.attributes is None else (column.name for column in release.attributes.columns)
    published = twins((*release.transactions.items, *columns), named)
    unknown = [name for name in named if name not in {*release.sensitive_items, *release.secret_columns}]
    detail = counted(len(named), "named item")
    if published:
        detail = f"{published[0][0]!r} is published in single transactions"
    elif unknown:
        detail = f"{unknown[0]!r} does not occur in the release; check the spelling"
    return Check(name="the items named as sensitive are counts only", passed=not (published or unknown), detail=detail)


def warn_of_telling(columns: Iterable[tuple[str, float]]) -> None:
    """Warn of the columns, published as they were, that tell people apart by themselves."""
    for name, distinct in columns:
        if nearly_unique(distinct):
            warnings.warn(TellingColumn(name, distinct), stacklevel=3)


def compared(found: Examined, compare: Callable[[Release], Iterable[Check]]) -> Verdict:
    """The verdict with the comparison with the original added, if there is a release worth comparing."""
    if found.release is None:
        return found.verdict
    try:
        checks = tuple(compare(found.release))
    except (InputError, ParameterError):  # something else is needed for the comparison
        raise
    except Exception as error:  # a release that cannot be compared is not verified
        reason = (str(error).splitlines() or [""])[0][:300]
        detail = reason if isinstance(error, TamperedRelease) else f"{type(error).__name__}: {reason}"
        checks = (Check(name="the release can be compared with the original", passed=False, detail=detail),)
    return replace(found.verdict, checks=(*found.verdict.checks, *checks))


def with_fingerprint(verdict: Verdict, manifest: Manifest | None, fingerprint: str | None) -> Verdict:
    """The verdict with a check before all others that the fingerprint is the one someone noted, if they give it."""
    if fingerprint is None or manifest is None:
        return verdict
    short = len(fingerprint) < 8
    same = not short and manifest.fingerprint.startswith(fingerprint.lower())
    detail = manifest.fingerprint if same else f"given {fingerprint}, found {manifest.fingerprint}"
    detail += "; give at least 8 characters" if short else ""
    check = Check(name="the fingerprint matches", passed=same, detail=detail)
    return replace(verdict, checks=(check, *verdict.checks))
