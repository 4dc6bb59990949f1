"""The engine spark: reading, grouping, writing and verifying where the executors are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

from covey.errors import CoveyError, OutputError, ParameterError
from covey.io.source import Source
from covey.local import compared, with_fingerprint
from covey.pipeline import Plan, Published, require_holds, require_protected
from covey.progress import Progress, silent
from covey.registry import declared, methods
from covey.release.manifest import Manifest
from covey.release.store import seal
from covey.spark.reading import local_path, read
from covey.spark.session import require_spark, session, spark_errors
from covey.spark.sets import Sets
from covey.staging import staged
from covey.verify import Examined, examine

#: The kind of data that this engine reads.
READS = "baskets"


class Spark:
    """On Apache Spark.

    Parameters
    ----------
    master : str or None
        Where to run, such as ``local[2]``, when there is no Spark session yet.
    """

    name: ClassVar[str] = "spark"

    def __init__(self, master: str | None = None) -> None:
        self.master = master

    def publish(
        self,
        plan: Plan,
        out: str | Path,
        *,
        csv: bool = False,
        force: bool = False,
        lift: float | None = None,
        progress: Progress = silent,
    ) -> Published:
        """Anonymize and write the release to `out` as Parquet in parts, whole and verified or not at all.

        All executors must be able to write to `out`. The files are read back and checked by code that shares nothing
        with the method, from the files alone and against the original.
        """
        if csv:
            raise self.unable("write CSV")
        if lift is not None:
            raise self.unable("audit releases")
        if plan.like is not None:
            raise self.unable("keep people together as in an earlier release")
        make = self._maker(plan)
        target = _directory(out)
        with staged(target, force=force) as stage, self._sets(plan.source, progress) as sets:
            with spark_errors(_gave_up):
                summary = sets.by_person().summary()
                if summary.secrets:
                    require_protected(READS, plan.promise)
                plan.promise.require_feasible(summary)
                made = make(sets, plan, stage, progress)
            manifest = replace(made, about=plan.about.given())
            seal(stage, manifest, {})
            progress("verifying", 0.0)
            verdict = compared(self._examine(stage), lambda release: _checkers().compare(release, sets))
            require_holds(verdict)
            progress("verifying", 1.0)
        return Published(path=target, manifest=manifest, verdict=verdict)

    def examine(
        self,
        directory: str | Path,
        original: Source | None = None,
        *,
        sensitive: Any = None,
        taxonomy: Any = None,
        fingerprint: str | None = None,
        progress: Progress = silent,
    ) -> Examined:
        """Check a release in Parquet from its files alone and, given the original, that it is made of it."""
        if taxonomy is not None:
            raise self.unable("compare labels with a taxonomy")
        if sensitive is not None and original is None:
            raise ParameterError("On Spark the sensitive items are compared with those of the original; give it too.")
        path = Path(directory)
        _checkers().require_able(path, compared=original is not None)
        progress("verifying", 0.0)
        found = self._examine(path)
        verdict = found.verdict
        if original is not None and found.release is not None:
            wanted = original if sensitive is None else replace(original, sensitive=sensitive)
            with self._sets(wanted, progress) as sets:
                verdict = compared(found, lambda release: _checkers().compare(release, sets))
        if found.manifest is not None:
            verdict = with_fingerprint(verdict, found.manifest, fingerprint)
        progress("verifying", 1.0)
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
        """Shape of the data, and the risk that someone who knows a few items finds a person."""
        if taxonomy is not None:
            raise self.unable("show the shape of a taxonomy")
        with self._sets(source, progress) as sets, spark_errors(_gave_up):
            from covey.spark.measuring import inspect

            progress("measuring", 0.0)
            return inspect(sets, known=known, samples=samples, seed=seed, progress=progress)

    def evaluate(
        self,
        directory: str | Path,
        original: Source,
        *,
        taxonomy: Any = None,
        progress: Progress = silent,
        **extent: Any,
    ) -> dict[str, Any]:
        """Every metric of a release against its original, measured on the driver."""
        with self._sets(original, progress) as sets, spark_errors(_gave_up):
            from covey.spark.measuring import evaluate

            return evaluate(directory, sets, taxonomy=taxonomy, progress=progress, **extent)

    def unable(self, what: str) -> ParameterError:
        """Return the error for what this engine does not do."""
        return ParameterError(f"The engine {self.name} does not {what}. Use the engine local for that.")

    def _maker(self, plan: Plan) -> Callable[..., Manifest]:
        """What runs the method here."""
        entry = plan.entry
        if entry is not None and self.name in entry.elsewhere:
            return entry.maker(self.name)
        *able, last = (one.name for one in methods() if self.name in one.elsewhere)
        raise ParameterError(
            f"The method {plan.method.name} does not run on Spark; {', '.join(able)} and {last} do. "
            "Choose one of them, or the engine local."
        )

    @contextmanager
    def _sets(self, source: Source, progress: Progress) -> Iterator[Sets]:
        """The data of a source, kept in the executors' memory as long as the block runs."""
        kind = source.as_kind(READS).decided
        if kind.name != READS:
            raise self.unable(f"read {kind.name}")
        saved = source.directory is not None
        data = source.read() if saved else source.data() if callable(source.data) else source.data
        progress("reading", 0.0)
        sets = read(data, sensitive=source.sensitive, master=self.master, **source.options).persist()
        progress("reading", 1.0)
        try:
            yield sets
        finally:
            sets.unpersist()

    def _examine(self, directory: Path) -> Examined:
        return examine(directory, declared, _checkers().OnSpark(session(self.master)))


def _directory(out: str | Path) -> Path:
    """The directory to write to; refuses addresses that are not directories of a file system."""
    path = local_path(str(out))
    if path is None:
        raise OutputError(
            f"{out} is not a directory that can be renamed in one step, so a release there could be seen half written. "
            "Write to a directory that all executors share, and copy it."
        )
    return path


def _gave_up(reason: str) -> CoveyError:
    return CoveyError(f"Spark gave up: {reason}.")


def _checkers() -> ModuleType:
    """Return what verifies on Spark, which needs PySpark and is loaded when it is first used."""
    require_spark()
    from covey.spark.verify import checkers

    return checkers
