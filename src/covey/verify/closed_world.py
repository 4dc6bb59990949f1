"""Step 1: a release is exactly the files, tables, types and manifest entries that its kind declares.

The steps that follow are called from here: reproduction, and the guarantee.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from covey import __version__
from covey.counting import sizes
from covey.errors import CoveyError, ReleaseError, TamperedRelease
from covey.guarantees import guarantee
from covey.guarantees.base import Guarantee
from covey.parameters import Parameter
from covey.release.kinds import promise_in, release_kind
from covey.release.manifest import DOCUMENTS, Manifest, read_manifest
from covey.release.store import changed_files, read_tables
from covey.release.trace import digest_of
from covey.verdict import Check, Verdict
from covey.verify.checkers import check_release
from covey.verify.reproduction import bytes_compared, compared, unlike_documents, unlike_tables

if TYPE_CHECKING:
    from covey.release.tables import Tables


class Declared(Protocol):
    """What a method is known to do, which is all that a manifest may state of it."""

    @property
    def guarantees(self) -> tuple[str, ...]:
        """Names of the guarantees it can keep."""

    @property
    def recoding(self) -> str:
        """How it recodes the items of sets; "" where it makes none."""

    def parameters(self) -> tuple[Parameter, ...]:
        """Its options."""


#: What a method, by its name, declares for a kind of release; None when there is no such method.
Declarations = Callable[[str, str], Declared | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What was found in the files of a release."""

    #: Every check made from the files alone.
    verdict: Verdict
    #: What it states; None when that cannot be read.
    manifest: Manifest | None = None
    #: What is published; None where a check failed.
    release: Any = None
    #: What the release was compared with, if it was read for that.
    original: Any = None


class Reading:
    """How an engine reads a release, here: into memory; everything else about an examination is the same on all."""

    _tables: Tables

    def release(self, directory: Path, manifest: Manifest) -> Any:
        """What is published."""
        release, self._tables = read_tables(directory, manifest)
        return release

    def difference(self, directory: Path, manifest: Manifest, release: Any) -> str:
        """What is not as covey would write `release`, in words; nothing when all is."""
        return unlike_tables(self._tables, manifest, release)

    def check(self, promise: Guarantee, release: Any) -> Verdict:
        """Whether what is published keeps the guarantee."""
        return check_release(promise, release)


class _Failed(Exception):
    """A check that failed so that those after it have no point."""


def examine(directory: Path, declared: Declarations, reading: Reading | None = None) -> Examined:
    """Check a release from its files alone, as an engine reads it; None reads it into memory.

    What a method declares is all that a manifest may state of it.

    Raises
    ------
    ReleaseError
        The directory is not a release at all.
    """
    reading, checks, figures = reading or Reading(), list[Check](), dict[str, Any]()
    manifest = release = None

    def note(name: str, problem: str, detail: str) -> None:
        checks.append(Check(name=name, passed=not problem, detail=problem or detail))
        if problem:
            raise _Failed

    try:
        manifest = read_manifest(directory)
        changed = "; ".join(changed_files(directory, manifest))
        note("the files match the manifest", changed, f"{len(manifest.names) - 1} files and manifest.json")
        note("the manifest has only permitted entries", _misstated(manifest, declared), manifest.method)
        try:
            found = reading.release(directory, manifest)
        except TamperedRelease as error:
            note("the tables are of the declared kind", str(error), "")
        counts = found.counts()
        note("the tables are as large as the manifest says", _other_counts(manifest, counts), sizes(**counts))
        if not bytes_compared(manifest):
            figures["bytes_not_compared"] = compared(manifest)
        difference = reading.difference(directory, manifest, found)
        note("written again, the tables come out the same", difference, compared(manifest))
        unlike = unlike_documents(directory, manifest, found.named_columns())
        note("README and data package match the manifest", unlike, " and ".join(DOCUMENTS))
        kept = reading.check(guarantee(manifest.guarantee), found)
        checks += kept.checks
        counted = promise_in(manifest).counts
        figures |= {"fingerprint": manifest.fingerprint, **({"counts": counted} if counted else {}), **kept.figures}
        release = found if kept.holds else None
    except _Failed:
        pass
    except TamperedRelease as error:
        checks.append(Check.failed("the manifest is as it was written", str(error)))
    except ReleaseError:
        raise
    except Exception as error:  # a release that cannot be checked is not verified, whatever went wrong
        reason = (str(error).splitlines() or [""])[0][:300]
        checks.append(Check.failed("the release can be checked", f"{type(error).__name__}: {reason}"))
    stated = "unknown" if manifest is None else manifest.guarantee
    verdict = Verdict(guarantee=stated, checks=tuple(checks), figures=figures)
    return Examined(verdict=verdict, manifest=manifest, release=release)


def _misstated(manifest: Manifest, declared: Declarations) -> str:
    """What the manifest states that it may not, in words; nothing when all is well."""
    problem = _unknown(manifest, declared)
    if problem and _numbers(manifest.covey) > _numbers(__version__):
        problem += f"; it was made by covey {manifest.covey}, and this is {__version__}: update covey"
    return problem


def _unknown(manifest: Manifest, declared: Declarations) -> str:
    """What is not known of its kind, guarantee, method, counts, options and facts, in words."""
    try:
        kind, promise = release_kind(manifest.kind), guarantee(manifest.guarantee)
    except CoveyError as error:
        return str(error)
    if promise.text != manifest.guarantee:
        return f"the guarantee is written {manifest.guarantee!r} instead of {promise.text!r}"
    method = declared(manifest.method, kind.kind)
    if method is None:
        return f"covey has no method {manifest.method!r} for releases of the kind {kind.kind}"
    odd = sorted(set(manifest.counts) - set(kind.words.counts))
    if odd:
        return f"it counts {odd[0][:60]!r}, which releases of this kind do not have"
    return (
        _other_promise(manifest, promise, method)
        or _odd_options(manifest, method.parameters())
        or kind.problem(manifest)
    )


def _other_counts(manifest: Manifest, counts: Mapping[str, int]) -> str:
    """Which count the manifest and the tables do not agree on, in words."""
    wrong = sorted(name for name in {*counts, *manifest.counts} if counts.get(name) != manifest.counts.get(name))
    return f"{wrong[0]}: {counts.get(wrong[0])} instead of {manifest.counts.get(wrong[0])}" if wrong else ""


def _other_promise(manifest: Manifest, promise: Guarantee, declared: Declared) -> str:
    """What the method could not have kept or done to the items, in words."""
    if promise.name not in declared.guarantees:
        return f"covey's {manifest.method} cannot keep {promise.name}"
    recoding = manifest.facts.get("recoding", declared.recoding)
    if declared.recoding and recoding != declared.recoding:
        return f"the recoding is {str(recoding)[:60]!r}, but {manifest.method} makes it {declared.recoding!r}"
    return ""


def _odd_options(manifest: Manifest, declared: tuple[Parameter, ...]) -> str:
    """What an option or a note is that the method does not declare, in words."""
    known = {parameter.name: parameter for parameter in declared if parameter.name not in ("seed", "taxonomy")}
    for name, value in manifest.options.items():
        if name not in known:
            return f"it states the option {name[:60]!r}, which {manifest.method} does not have"
        if not known[name].accepts(value):
            return f"the option {name} is {str(value)[:60]!r}, but must be {known[name].wanted_instead_of(value)}"
    # What an earlier version does not state is an option that it did not have yet.
    current = _numbers(manifest.covey) >= _numbers(__version__)
    if current and set(manifest.options) != set(known):
        return f"it does not state the option {sorted(set(known) - set(manifest.options))[0]!r}"
    for note in manifest.notes:
        if note not in known or not known[note].cut_short:
            return f"it notes {note[:60]!r}, which is not a limit of {manifest.method}"
    return "it notes something twice" if len(set(manifest.notes)) < len(manifest.notes) else ""


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, to be compared.

    Examples
    --------
    >>> _numbers("0.10.0rc1") > _numbers("0.9.2")
    True
    """
    return tuple(map(int, re.findall(r"[0-9]+", version)[:3]))


def check_copy(found: Examined, copy: Examined) -> Check:
    """Whether what was found in a copy is what was found in the release, file formats apart."""
    name = "the copy in CSV has the same content"
    if found.release is None or found.manifest is None:
        return Check.failed(name, "the release itself fails its checks")
    if copy.release is None or copy.manifest is None:
        failed = copy.verdict.failures()[0]
        return Check.failed(name, f"in the copy: {failed.name}: {failed.detail}")
    if replace(copy.manifest, files={}) != replace(found.manifest, files={}):
        return Check.failed(name, "their manifests state different things")
    same = digest_of(copy.release) == digest_of(found.release)
    return Check(name=name, passed=same, detail="table by table" if same else "a table differs")
