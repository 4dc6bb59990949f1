"""Releases of the page: the job that makes one, what came of it, and looking into it."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import shutil
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from covey.api.checking import verify
from covey.io.archive import COPY, pack
from covey.pipeline import require_holds
from covey.registry import find
from covey.release import read_release
from covey.release.about import About
from covey.release.manifest import read_manifest
from covey.release.store import save
from covey.web.choices import Asked
from covey.web.data import MARKS, Dataset, Datasets
from covey.web.folders import size_of
from covey.web.jobs import Job, Jobs, shown
from covey.web.problems import Conflict, NotFound
from covey.web.reading import steps_of
from covey.web.settings import Settings

#: In the directory of a job: the release, the same as archives, and the reports.
RELEASE, ARCHIVE, BOTH = "release", "release.zip", "release-with-csv.zip"
REPORT, SHARED = "report.html", "report-to-share.html"
#: The trace with which the internal report is made; it is never handed out.
TRACE = "trace.npz"


@dataclass(frozen=True)
class Release:
    """A job that makes a release, and what is known of that."""

    job: Job

    @property
    def id(self) -> str:
        """The id of the job."""
        return self.job.id

    @property
    def asked(self) -> Asked:
        """What was asked for."""
        return Asked(**self.job.asked["asked"])

    @property
    def name(self) -> str:
        """The name of the file that it is made of."""
        return str(self.job.asked["name"])

    @property
    def kind(self) -> str:
        """The kind of data that it is made of."""
        return str(self.job.asked["kind"])

    @property
    def dataset(self) -> str:
        """The id of the dataset that it is made of, which may have been removed."""
        return str(self.job.asked["dataset"])

    @property
    def holds(self) -> bool:
        """Whether a verified release is in place."""
        return bool(self.job.answers) and self.directory.is_dir()

    @property
    def state(self) -> str:
        """The state of the job; a verified release is ``done``, whatever becomes of measuring it."""
        return "done" if self.holds else self.job.state

    @property
    def verdict(self) -> Mapping[str, Any]:
        """What `covey anonymize` states."""
        return self.job.answers[0] if self.job.answers else {}

    @property
    def found(self) -> Mapping[str, Any] | None:
        """What was measured; None as long as it was not."""
        return self.job.answers[1]["found"] if len(self.job.answers) > 1 else None

    @property
    def note(self) -> str:
        """Why it was not measured; empty if it was, or is being."""
        if not self.holds or self.found is not None or self.job.active:
            return ""
        why = {"interrupted": "the server was stopped.", "cancelled": "that was cancelled."}
        return f"Utility and attacks were not measured: {why.get(self.job.state, self.job.error)}"

    @property
    def directory(self) -> Path:
        """Where the files are."""
        return self.job.path / RELEASE

    @property
    def command(self) -> str:
        """The commands that made it, with each option on a line of its own."""
        _, folder, file, *words = self.job.steps[0]
        commands = []
        for command in steps_of(Path(folder), file, [word for word in words if word != "--json"]):
            lines: list[list[str]] = [["covey"]]
            for word in command:
                if word.startswith("--") or word == "-o":
                    lines.append([])
                lines[-1].append(word)
            commands.append(" \\\n    ".join(shlex.join(line) for line in lines))
        return shown("\n".join(commands), self.job.asked)

    def require(self) -> None:
        """Raise `Conflict` unless it holds."""
        if not self.holds:
            state = "is not ready yet" if self.job.active else f"was not made: the job is {self.job.state}"
            raise Conflict(f"The release {state}. {self.job.error}".strip())


class Releases:
    """The releases of a server."""

    def __init__(self, settings: Settings, jobs: Jobs, datasets: Datasets) -> None:
        self._jobs, self._datasets = jobs, datasets
        self._folder = settings.data / "jobs"
        self._folder.mkdir(parents=True, exist_ok=True)
        jobs.resume(sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime))

    def all(self) -> list[Release]:
        """Return all of them, the newest first."""
        found = []
        for path in self._folder.iterdir():
            with contextlib.suppress(NotFound):
                found.append(Release(self._jobs.get(path)))
        return sorted(found, key=lambda one: -one.job.created)

    def get(self, id: str) -> Release:
        """Return one of them."""
        if not id.isalnum():
            raise NotFound("There is no such release; it may have been removed.")
        return Release(self._jobs.get(self._folder / id))

    def start(self, data: Dataset, asked: Asked) -> Release:
        """Begin to make one: `covey anonymize`, then `covey report` with and without the original."""
        data.require_ready()
        path = self._folder / secrets.token_hex(6)
        try:
            words = self._datasets.marked(data, path, taxonomy=find(asked.method, data=data.kind).takes_taxonomy)
            all_words = self._datasets.marked(data, path)
            out, run = str(path / RELEASE), ["covey.web.reading", str(path), data.choices.path]
            trace = ["--trace", str(path / TRACE)]
            steps = [
                [*run, "anonymize", *words, "-o", out, *asked.words(), *trace, "--json"],
                [*run, "report", out, "--original", *all_words, *trace, "-o", str(path / REPORT), "--json"],
                ["covey", "report", out, "-o", str(path / SHARED), "--json"],
            ]
            body = {"asked": asdict(asked), "dataset": data.id, "name": data.name, "kind": data.kind}
            names = self._datasets.names(data.choices) | {f"{path}/": ""}
            return Release(self._jobs.submit(path, steps, {**body, "names": names}))
        except BaseException:
            shutil.rmtree(path, ignore_errors=True)
            raise

    def again(self, id: str) -> Release:
        """Make one with the same wishes, of the data as it is now."""
        old = self.get(id)
        return self.start(self._datasets.get(old.dataset), old.asked)

    def cancel(self, id: str) -> Release:
        """Stop making one; what is in place stays."""
        return Release(self._jobs.cancel(self.get(id).job.path))

    def wait(self, id: str) -> Release:
        """Return one once its job has ended."""
        return Release(self._jobs.wait(self.get(id).job.path))

    def drop(self, id: str) -> int:
        """Remove one; return the bytes freed."""
        path = self.get(id).job.path
        size = size_of(path)
        self._jobs.remove(path)
        return size

    def archive(self, id: str, *, csv: bool) -> Path:
        """Return the release as a ZIP file, which is made when it is first asked for."""
        release = self.get(id)
        release.require()
        target = release.job.path / (BOTH if csv else ARCHIVE)
        if not target.is_file() and csv:
            _pack_with_csv(release.directory, target)
        elif not target.is_file():
            pack({RELEASE: release.directory}, target)
        return target

    def file(self, id: str, name: str) -> Path:
        """Return a file of a job: a report, or the list of what is sensitive."""
        release = self.get(id)
        path = release.job.path / name
        if name not in (REPORT, SHARED, MARKS) or not path.is_file():
            raise NotFound(release.note or "There is no such file yet.")
        return path


def _pack_with_csv(directory: Path, target: Path) -> None:
    """Pack a release with its copy in CSV beside it, and check what was packed."""
    copy = directory.with_name(f"{RELEASE}{COPY}")
    shutil.rmtree(copy, ignore_errors=True)
    copy.mkdir()
    half = target.with_name(f".checked-{target.name}")
    try:
        save(read_release(directory), copy, csv=True, about=About(**read_manifest(directory).about))
        pack({RELEASE: directory, copy.name: copy}, half)
        require_holds(verify(half))
        half.replace(target)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
        half.unlink(missing_ok=True)
