"""The local engine: everything in this process."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from covey.counting import counted
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
from covey.io.patterns import fitting, is_pattern
from covey.io.sensitive import read_sensitive
from covey.io.source import Source
from covey.parameters import number
from covey.pipeline import Plan, Published, require_holds, taxonomy_of
from covey.progress import Progress, silent
from covey.registry import declared, methods
from covey.release.base import Release
from covey.release.grouped import GroupedRelease
from covey.release.kinds import nearly_unique
from covey.release.manifest import Manifest
from covey.release.persons import counts_persons
from covey.release.ratings import RatingsRelease
from covey.release.store import load as read_release
from covey.release.store import save
from covey.release.trace import find_trace, named, place_of, remember, write_trace
from covey.report.cost import HARDLY_OF_USE, cost_of_release
from covey.staging import staged
from covey.verdict import Check, Verdict
from covey.verify import Examined, check_release, compare, examine


class Local:
    """In this process."""

    name: ClassVar[str] = "local"

    def anonymize(
        self, plan: Plan, *, lift: float | None = None, keep: float | None = None, progress: Progress = silent
    ) -> Any:
        """Make a release in memory, check its guarantee and, given a `lift` or a share to `keep`, audit it."""
        original = plan.read(progress=progress)
        release = _made(plan, original, progress)
        remember(release, named(release, original))
        require_holds(check_release(plan.promise, release))
        _require_kept(release, original, keep, plan, progress)
        _audited(release, original, lift, plan, progress)
        warn_of_telling(release.unprotected())
        return release

    def publish(
        self,
        plan: Plan,
        out: str | Path,
        *,
        csv: bool = False,
        force: bool = False,
        lift: float | None = None,
        trace: str | Path | None = None,
        keep_trace: bool = True,
        keep: float | None = None,
        progress: Progress = silent,
    ) -> Published:
        """Anonymize and write the release to `out`, whole and verified or not at all.

        The files are written aside, read back and checked by code that shares nothing with the method: that the
        guarantee holds on the published files alone, and against the original that nothing was lost or invented. Given
        a `lift`, all attacks are run on what was read back, and one that gains more stops the release; given a share to
        `keep`, so does one that keeps less. The trace is kept with the dataset that was read, unless `keep_trace` is
        false, and written to the file `trace` if one is named.
        """
        target = Path(out)
        with staged(target, force=force) as stage:
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
            _require_kept(found.release, original, keep, plan, progress)
            audited = _audited(found.release, original, lift, plan, progress)
            cost = cost_of_release(found.release, original, taxonomy)
            if cost is not None and cost.lost is not None and cost.lost > HARDLY_OF_USE:
                warnings.warn(LittleKept(cost.lost, cost.advice), stacklevel=2)
            as_they_were = tuple(found.release.unprotected())
            warn_of_telling(as_they_were)
            if trace is not None and known is not None:
                write_trace(Path(trace), known, found.release, force=force)
        home, item = getattr(original, "directory", None), manifest.facts.get("epsilon_item")
        if keep_trace and home is not None and known is not None:
            write_trace(place_of(home, found.release), known, found.release, force=True)
        return Published(
            path=target,
            manifest=manifest,
            spent=spend(home, manifest.fingerprint, item) if home and item else None,
            verdict=verdict,
            unprotected=as_they_were,
            uniqueness=_uniqueness(found.release, original),
            audit=audited,
            cost=cost,
            compared=tuple(getattr(plan.method, "compared", ())),
            left_out=getattr(original, "left_out", ()),
        )

    def examine(
        self,
        directory: str | Path,
        original: Source | None = None,
        *,
        sensitive: Any = None,
        taxonomy: Any = None,
        fingerprint: str | None = None,
        trace: Sequence[str | Path] = (),
        progress: Progress = silent,
    ) -> Examined:
        """Read a release and check it from its files alone and, given the original, that it is faithful to it."""
        progress("verifying", 0.0)
        found = examine(Path(directory), declared)
        tree, verdict = taxonomy_of(taxonomy), found.verdict
        if original is not None:
            wanted = (original if sensitive is None else replace(original, sensitive=sensitive)).along(tree)
            read: list[Any] = []

            def against(release: Any) -> Iterable[Check]:
                read.append(read_original(wanted, release, progress, trace))
                return compare(release, read[0], tree)

            verdict = compared(found, against)
            found = replace(found, original=read[0] if read else None)
        elif sensitive is not None and found.release is not None:
            verdict = replace(verdict, checks=(*verdict.checks, _kept_apart(found.release, sensitive, tree)))
        as_they_were = () if found.release is None else tuple(found.release.unprotected())
        if as_they_were:
            warn_of_telling(as_they_were)
            columns = [{"column": name, "distinct": share} for name, share in as_they_were]
            verdict = replace(verdict, figures={**verdict.figures, "unprotected": columns})
        if found.manifest is not None:
            verdict = with_fingerprint(verdict, found.manifest, fingerprint)
        return replace(found, verdict=verdict)

    def inspect(
        self,
        source: Source,
        *,
        taxonomy: Any = None,
        known: int,
        samples: int,
        seed: int,
        progress: Progress = silent,
    ) -> dict[str, Any]:
        """Shape of the data, and the risk that someone who knows a few things finds a person."""
        from covey.io.ratings.layout import warn_of_ratings
        from covey.measure.inspection import inspect_data

        wanted = source.as_kind()
        if taxonomy is not None and not wanted.decided.uses_taxonomy:
            raise ParameterError(f"A taxonomy is about items of baskets; this data is read as {wanted.decided.name}.")
        tree = taxonomy_of(taxonomy)
        wanted = wanted.along(tree)
        recognised = wanted.recognise()
        about: dict[str, Any] = (
            {} if recognised is None else {"format": recognised.format, "recognised": recognised.describe()}
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", CoveyWarning)
            if source.known_kind is None and recognised is not None and recognised.layout == "long":
                # Nobody has said that it is baskets.
                warn_of_ratings(recognised.columns, (recognised.transaction, recognised.item))
            data = wanted.read(progress=progress)
        for told in caught:
            warnings.warn(told.message, stacklevel=2)
            if isinstance(told.message, CoveyWarning) and told.message.told_as is not None:
                about[told.message.told_as] = told.message.to_dict()
        from covey.io.table.roles import ROLE_OPTIONS, guessed

        if wanted.decided.has_columns and not set(ROLE_OPTIONS) & set(wanted.options):
            # Whoever has named roles needs no guesses.
            about["guesses"] = [one.to_dict() for one in guessed(data.columns)]
        able = list(dict.fromkeys(name for one in methods(data=data.kind) for name in one.guarantees))
        extent = {"known": known, "samples": samples, "seed": seed}
        found = inspect_data(data, taxonomy=tree, guarantees=able, progress=progress, **extent)
        return {**about, **found}

    def evaluate(
        self,
        directory: str | Path,
        original: Source,
        *,
        taxonomy: Any = None,
        trace: Sequence[str | Path] = (),
        progress: Progress = silent,
        **extent: Any,
    ) -> dict[str, Any]:
        """Every metric of a release against its original."""
        from covey.measure.evaluation import evaluate

        release = read_release(directory)
        tree = taxonomy_of(taxonomy)
        data = read_original(original.along(tree), release, progress, trace)
        return evaluate(release, data, taxonomy=tree, progress=progress, **extent)


def _uniqueness(release: Release, original: Any) -> dict[str, Any]:
    """How well exact ratings, which the promise does not cover, tell people apart before and after."""
    if not isinstance(release, RatingsRelease):
        return {}
    from covey.measure.uniqueness import before_and_after

    return before_and_after(release, original)


def _made(plan: Plan, original: Any, progress: Progress) -> Any:
    """The release that a plan asks for, its people in the company of an earlier release if one is named."""
    if plan.like is None:
        return plan.method.anonymize(original, plan.promise, progress=progress)
    from covey.measure.attacks.company import earlier_homes

    earlier = plan.like.release if isinstance(plan.like.release, Release) else read_release(plan.like.release)
    find_trace(earlier, original, () if plan.like.trace is None else (Path(plan.like.trace),))
    _warn_of_another_strength(plan.promise, earlier)
    before = earlier_homes(original, earlier)
    return plan.method.anonymize(original, plan.promise, before=before, progress=progress)


def _warn_of_another_strength(promise: Any, earlier: Any) -> None:
    """Say that people who are in both releases have the weaker promise only."""
    before = parse_guarantee(earlier.guarantee)
    if before.name != promise.name or before.text == promise.text:
        return
    strong, weak = getattr(before, before.strength), getattr(promise, promise.strength)
    which = "this one" if weak < strong else "the earlier one" if weak > strong else "the weaker one"
    warnings.warn(
        CoveyWarning(
            f"The earlier release promises {before.text}, and this one {promise.text}. Together they protect people "
            f"who are in both at most as well as {which} alone: two releases of one strength protect more."
        ),
        stacklevel=2,
    )


def _audited(release: Any, original: Any, lift: float | None, plan: Plan, progress: Progress) -> tuple[Any, ...]:
    """What attacks achieve, if a lift is given that none may exceed; as `covey explore` finds with the seed."""
    if lift is None:
        return ()
    _require_free_choice(release, "be audited first")
    from covey.measure.attacks.audit import audit

    best = methods(guarantee=plan.promise.name, data=release.made_from)[0].name
    return audit(release, original, lift, recommended=best, seed=plan.method.seed or 0, progress=progress)


def _require_free_choice(release: Any, what: str) -> None:
    """Raise where whether a release is published must not depend on exact figures."""
    if release.kind == "model":
        raise ParameterError(
            f"A release with label-dp cannot {what}: whether it is published would depend on the sensitive items, and "
            "so tell something about them. Measure it afterwards, and keep the figures to yourself."
        )


def _require_kept(release: Any, original: Any, keep: float | None, plan: Plan, progress: Progress) -> None:
    """Raise `AuditFailed` if a share is to be kept and less is."""
    if keep is not None:
        _require_free_choice(release, "be kept back by what it keeps")
        number("anonymize", "keep_at_least", keep, minimum=0, maximum=1)
        from covey.measure.kept import EXACT, require_kept

        if plan.promise.name in EXACT:
            raise ParameterError(
                f"--keep-at-least (keep_at_least=) decides by the exact data whether something is published, which "
                f"{plan.promise.name} forbids. Leave it out."
            )
        progress("measuring", 0.0)
        require_kept(
            release, original, keep, seed=plan.method.seed or 0, taxonomy=getattr(plan.method, "taxonomy", None)
        )


def read_original(source: Source, release: Any, progress: Progress = silent, trace: Sequence[str | Path] = ()) -> Any:
    """The original of a release, read as the kind of data and with the options that the release states.

    The trace of the release is looked for in the given files, and beside the original if that is a saved dataset.
    """
    with warnings.catch_warnings():
        if counts_persons(release.facts()):
            # Nobody needs to be warned that rows are counted, which they are not; but somebody must say who is who.
            warnings.simplefilter("error", UnnamedPersons)
        try:
            original = _read_original(source, release, progress)
        except UnnamedPersons as told:
            raise ParameterError(
                "This release counts persons. Say which column of the original names them, perhaps --person "
                f"'{told.column}' (person=)."
            ) from None
    find_trace(release, original, tuple(map(Path, trace)))
    return original


def _read_original(source: Source, release: Any, progress: Progress) -> Any:
    """As `read_original`."""
    wanted = source.as_kind(release.made_from)
    if wanted.decided.name != release.made_from:
        raise ParameterError(
            f"This release was made from {release.made_from}, and the original is given as {wanted.decided.name}."
        )
    hints = release.reading_options()
    hinted = wanted.with_hints(hints) if hints else wanted
    try:
        return hinted.read(progress=progress)
    except (InputError, ParameterError) as error:
        if hinted is wanted:
            raise
        wanted.read(progress=progress)  # raises where the original itself is at fault
        raise TamperedRelease(f"The release makes a false statement about its original: {error}") from None


def _kept_apart(release: Any, sensitive: Any, taxonomy: Any) -> Check:
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


def compared(found: Examined, compare: Callable[[Any], Iterable[Check]]) -> Verdict:
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


def with_fingerprint(verdict: Verdict, manifest: Manifest, fingerprint: str | None) -> Verdict:
    """The verdict with a check before all others that the fingerprint is the one someone noted, if they give it."""
    if fingerprint is None:
        return verdict
    short = len(fingerprint) < 8
    same = not short and manifest.fingerprint.startswith(fingerprint.lower())
    detail = manifest.fingerprint if same else f"given {fingerprint}, found {manifest.fingerprint}"
    detail += "; give at least 8 characters" if short else ""
    check = Check(name="the fingerprint matches", passed=same, detail=detail)
    return replace(verdict, checks=(check, *verdict.checks))
