"""The engine spark: reading, grouping, writing and verifying where the executors are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from covey.errors import CoveyError, OutputError, ParameterError
from covey.guarantees.degree import Degree
from covey.io.source import Source
from covey.local import Local, compared, with_fingerprint
from covey.parameters import Place, path
from covey.pipeline import Plan, Published, require_holds, require_protected
from covey.progress import Progress, silent
from covey.registry import declared, methods
from covey.release.base import Release
from covey.release.manifest import Manifest
from covey.release.store import load, seal
from covey.release.trace import place_of, write_trace
from covey.spark import measuring
from covey.spark.parts import Out
from covey.spark.reading import local_path, read
from covey.spark.session import session, spark_errors
from covey.spark.sets import Sets
from covey.spark.trace import find_trace, local_trace, require_named, seal_trace
from covey.spark.verify.checks import OnSpark, compare, require_able
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
        trace: Place | bool | None = None,
        progress: Progress = silent,
    ) -> Published:
        """Anonymize and write the release to `out` as Parquet in parts, whole and verified or not at all.

        All executors must be able to write to `out`, and to the directory `trace`. The files are read back and checked
        by code that shares nothing with the method, from the files alone and against the original, exactly for rows
        that have an id: these have a trace, which a saved dataset keeps unless `trace` is false.
        """
        if csv:
            raise self.unable("write CSV")
        if plan.audit is not None or plan.keep_at_least is not None:
            raise self.unable("audit or measure releases")
        if plan.like is not None:
            raise self.unable("keep people together as in an earlier release")
        make = self._maker(plan)
        target = _directory(out)
        with ExitStack() as stack:
            stage = stack.enter_context(staged(target, force=force))
            traces = stage.with_name("trace")
            if isinstance(trace, bool) or trace is None:
                traces.mkdir()
            else:
                traces = stack.enter_context(staged(_directory(trace), force=force, what="trace", private=True))
            sets = stack.enter_context(self._sets(plan.source, progress))
            with spark_errors(_gave_up):
                people = sets.by_person()
                named = (sets if isinstance(plan.promise, Degree) else people).named
                if trace:
                    require_named(named)
                summary = people.summary()
                if summary.secrets:
                    require_protected(READS, plan.promise)
                plan.promise.require_feasible(summary)
                made = make(sets, plan, Out(release=stage, trace=traces if named else None), progress)
            manifest = replace(made, about=plan.about.given())
            seal(stage, manifest, {})
            progress("verifying", 0.0)
            found = self._examine(stage)
            if found.release is not None:
                seal_trace(traces, found.release.digest)
            verdict = compared(found, lambda release: compare(release, sets, traces if named else None))
            require_holds(verdict)
            progress("verifying", 1.0)
            home, known = plan.source.directory, None
            if home is not None and trace is not False:  # its rows are on the driver anyway
                data, release = plan.source.read(), load(stage)
                rows = data.n if release.kind == "grouped" else data.by_person().n
                known = local_trace(traces, release, data, pa.array(map(str, range(rows)), pa.string()))
        if home is not None and known is not None:
            write_trace(place_of(home, release), known, release, force=True)
        return Published(path=target, manifest=manifest, verdict=verdict)

    def examine(
        self,
        directory: str | Path,
        original: Source | None = None,
        *,
        sensitive: Any = None,
        taxonomy: Any = None,
        fingerprint: str | None = None,
        trace: Sequence[Path] = (),
        progress: Progress = silent,
    ) -> Examined:
        """Check a release in Parquet from its files alone and, given the original, that it is made of it."""
        if taxonomy is not None:
            raise self.unable("compare labels with a taxonomy")
        if sensitive is not None and original is None:
            raise ParameterError("On Spark the sensitive items are compared with those of the original; give it too.")
        place = Path(directory)
        require_able(place, compared=original is not None)
        if original is not None and original.directory is not None:  # it is on the driver anyway
            given = {"sensitive": sensitive, "fingerprint": fingerprint, "trace": trace, "progress": progress}
            return Local().examine(place, original, **given)
        progress("verifying", 0.0)
        found = self._examine(place)
        verdict = found.verdict
        if original is not None and found.release is not None:
            where = find_trace(trace, found.release.digest)
            wanted = original if sensitive is None else replace(original, sensitive=sensitive)
            with self._sets(wanted, progress) as sets:
                if where is not None:
                    require_named(sets.named if found.release.kind == "grouped" else sets.by_person().named)
                verdict = compared(found, lambda release: compare(release, sets, where))
        if found.manifest is not None:
            verdict = with_fingerprint(verdict, found.manifest, fingerprint)
        progress("verifying", 1.0)
        return replace(found, verdict=verdict)

    def inspect(self, source: Source, *, taxonomy: Any = None, **extent: Any) -> dict[str, Any]:
        """Shape of the data, and the risk that someone who knows a few items finds a person."""
        if source.directory is not None:
            return Local().inspect(source, taxonomy=taxonomy, **extent)
        if taxonomy is not None:
            raise self.unable("show the shape of a taxonomy")
        progress: Progress = extent.get("progress", silent)
        with self._sets(source, progress) as sets, spark_errors(_gave_up):
            progress("measuring", 0.0)
            return measuring.inspect(sets, **extent)

    def evaluate(
        self, released: Place | Release, original: Source, *, trace: Sequence[Path] = (), **extent: Any
    ) -> dict[str, Any]:
        """Every metric of a release against its original, measured on the driver."""
        if original.directory is not None:
            return Local().evaluate(released, original, trace=trace, **extent)
        directory = path("evaluate", "release", released)
        with self._sets(original, extent.get("progress", silent)) as sets, spark_errors(_gave_up):
            return measuring.evaluate(directory, sets, find_trace(trace), **extent)

    def unable(self, what: str) -> ParameterError:
        """Return the error for what this engine does not do."""
        return ParameterError(f"The engine {self.name} does not {what}. Use the engine local for that.")

    def _maker(self, plan: Plan) -> Callable[..., Manifest]:
        """What runs the method here."""
        if plan.entry is not None and self.name in plan.entry.elsewhere:
            return plan.entry.maker(self.name)
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
        return examine(directory, declared, OnSpark(session(self.master)))


def _directory(out: Place) -> Path:
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
