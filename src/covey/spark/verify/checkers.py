"""What Spark can verify, in tables: a pair that no engine can check fails, one that only Spark cannot is refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from covey.errors import CoveyError, ParameterError, TamperedRelease
from covey.guarantees import guarantee
from covey.guarantees.base import Guarantee
from covey.release.manifest import Manifest, read_manifest
from covey.release.store import changed_files
from covey.spark.sets import Sets
from covey.spark.tables import digests
from covey.spark.verify.fidelity import compare_groups, compare_sets
from covey.spark.verify.guarantees import check_degree, check_k_anonymity
from covey.spark.verify.releases import KINDS, Opened, open_release
from covey.verdict import Check, Verdict
from covey.verify.checkers import CHECKS as ANYWHERE
from covey.verify.checkers import cannot_keep

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: (guarantee, kind of release) → ``check(promise, release) -> Verdict``.
CHECKS: dict[tuple[str, str], Callable[..., Verdict]] = {
    ("degree", "grouped"): check_degree,
    ("k-anonymity", "sets"): check_k_anonymity,
}

#: Kind of release → ``compare(release, original) -> checks``.
FIDELITY: dict[str, Callable[..., list[Check]]] = {
    "grouped": compare_groups,
    "sets": compare_sets,
}


class OnSpark:
    """Reads releases where the executors are; for `covey.verify.examine`."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def changed_files(self, directory: Path, manifest: Manifest) -> list[str]:
        """What differs between the files in `directory` and what its manifest vouches for."""
        return changed_files(directory, manifest, partial(digests, self.spark))

    def release(self, directory: Path, manifest: Manifest) -> Opened:
        """What is published, every file looked at."""
        return open_release(self.spark, directory, manifest)

    def difference(self, directory: Path, manifest: Manifest, release: Opened) -> str:
        """What the tables say that does not fit together, in words; nothing when all does."""
        return release.difference()

    def check(self, promise: Guarantee, release: Opened) -> Verdict:
        """Whether what is published keeps the promise."""
        if (promise.name, release.kind) not in CHECKS:
            return cannot_keep(promise, release.kind)
        return CHECKS[promise.name, release.kind](promise, release)


def compare(release: Opened, original: Sets) -> list[Check]:
    """Check that a release is made of this original, all of it and nothing else."""
    return FIDELITY[release.kind](release, original)


def require_able(directory: Path, *, compared: bool) -> None:
    """Raise when Spark cannot verify such a release at all, though the local engine can.

    What the manifest claims decides this. A manifest that cannot be read, or a promise that no release of this kind can
    keep, is for the examination to complain of.
    """
    try:
        manifest = read_manifest(directory)
    except TamperedRelease:
        return
    try:
        promise = guarantee(manifest.guarantee)
    except CoveyError:
        return
    pair = promise.name, manifest.kind
    what = ""
    if manifest.kind not in KINDS or (pair in ANYWHERE and pair not in CHECKS):
        what = f"verify {promise.name} of a {manifest.kind} release"
    elif any(name.endswith(".csv") for name in manifest.files):
        what = "verify releases written as CSV"
    elif compared and manifest.facts.get("recoding", "suppressed") != "suppressed":
        what = "compare generalized sets with their original"
    if what:
        raise ParameterError(f"The engine spark does not {what}. Use the engine local for that.")
