"""Datasets of the page: a file, the choices about it, and the jobs that find out what is in it.

The folder of a dataset holds ``choices.json``, the files that were given, and jobs named after a digest of the choices
that they depend on. A choice that is taken back finds the job that was done for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from covey.data.kinds import ReadingOption, data_kind
from covey.staging import write_whole
from covey.web import folders
from covey.web.demos import write_demo
from covey.web.jobs import Job, Jobs
from covey.web.problems import Conflict, NotFound, room
from covey.web.settings import Settings

#: The options that give roles to columns; columns can be sensitive besides.
ROLES = ("quasi", "sensitive", "other", "identifier")
#: In the folder of a job: the list of what is sensitive, and the dataset that `covey prepare` writes.
MARKS, PREPARED = "sensitive.txt", "data.covey"
#: Keys of files that belong to a dataset; that of a hierarchy is followed by its column.
TAXONOMY, HIERARCHY = "taxonomy", "hierarchy "
GONE = "There is no such file; it may have been removed."


def reading_options(kind: str) -> list[ReadingOption]:
    """Return the options of a kind that are fields of a form: neither files nor those of this computer."""
    return [option for option in data_kind(kind).options if not (option.file or option.local)]


def second_files(kind: str) -> list[ReadingOption]:
    """Return the options of a kind that are a second file, to be given with the first."""
    return [option for option in data_kind(kind).options if option.file and not option.many]


def is_second(key: str) -> bool:
    """Return whether a file of a dataset is read together with the first."""
    return key != TAXONOMY and not key.startswith(HIERARCHY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The choices about a file, as they are stored.

    The origin is ``upload``, ``root`` (picked below the folder that was opened) or ``demo``; the kind is empty as long
    as it is to be recognised. `files` are further files by what they are: a taxonomy, the hierarchy of a column, or a
    second file by its reading option.
    """

    name: str
    origin: str
    path: str
    created: float
    kind: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    sensitive: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def taxonomy(self) -> str | None:
        """The taxonomy of the items."""
        return self.files.get(TAXONOMY)

    @property
    def size(self) -> int:
        """Bytes of the file; 0 if it is gone."""
        with contextlib.suppress(OSError):
            return Path(self.path).stat().st_size
        return 0

    def names(self, folder: Path) -> dict[str, str]:
        """Return what people call the files that a command names, which writes into a folder."""
        return {path: Path(path).name for path in (self.path, *self.files.values())} | {f"{folder}/": ""}

    @property
    def seconds(self) -> dict[str, str]:
        """The files that are read together with the first, by reading option."""
        return {key: path for key, path in self.files.items() if is_second(key)}

    def digest(self, kind: str, sort: str, *, marked: bool) -> str:
        """Return what tells apart choices that differ for a sort of job, with roles, marks and taxonomy or without."""
        options = {name: value for name, value in self.options.items() if marked or name not in ROLES}
        read = {key: path for key, path in self.files.items() if marked or key != TAXONOMY}
        files = self.seconds if sort == "look" else read
        body = [kind, self.path, options, files, self.sensitive if marked else []]
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]

    def prepare(self, kind: str, folder: Path, *, marked: bool) -> list[str]:
        """Return the command that reads the file into a dataset in `folder`, with roles and marks or without.

        Items that are marked are listed in a file beside the dataset.
        """
        words = ["covey", "prepare", self.path, "--kind", kind]
        declared = {option.name: option for option in data_kind(kind).options}
        for name, value in self.options.items():
            if name in declared and (marked or name not in ROLES):
                words.append(declared[name].flag)
                if not declared[name].switch:
                    words.append(",".join(value) if isinstance(value, list) else str(value))
        for key, path in self.files.items():
            if key.startswith(HIERARCHY):
                words += ["--hierarchy", f"{key.removeprefix(HIERARCHY)}={path}"]
            elif key in declared:
                words += [declared[key].flag, path]
        if marked and self.sensitive:
            named = self.sensitive
            if not data_kind(kind).by_roles:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / MARKS).write_text("".join(f"{label}\n" for label in named), encoding="utf-8")
                named = [str(folder / MARKS)]
            words += [word for one in named for word in ("--sensitive", one)]
        return [*words, "-o", str(folder / PREPARED), "--json"]

    def along(self, kind: str) -> list[str]:
        """Return the option that names the taxonomy, where there is one for such data."""
        return ["--taxonomy", self.taxonomy] if self.taxonomy and data_kind(kind).uses_taxonomy else []


class Dataset:
    """A file with the choices about it, and what the jobs that look at it (`look`) and read it (`read`) found.

    `seen` is how its beginning looks (``recognised``, ``columns``, of lists of items none, and ``rows``), `shape` what
    `covey inspect` states once it was read, `guesses` are roles by column, and `problem` says why it cannot be used.
    """

    def __init__(self, id: str, choices: Choices, look: Job, read: Job | None) -> None:
        self.id, self.choices, self.look, self.read = id, choices, look, read
        self.name, self.sensitive = choices.name, choices.sensitive
        seen: dict[str, Any] = {"kind": "baskets", "recognised": "", "columns": [], "rows": []}
        self.seen = seen | (look.answers[0] if look.answers else {})
        self.kind: str = choices.kind or self.seen["kind"]
        self.columns: list[str] = list(self.seen["columns"])
        self.problem = str(self.seen.get("problem") or look.error or ("" if read is None else read.error))
        done = read is not None and read.state == "done"
        self.state = "failed" if self.problem else "ready" if done else "pending"
        self.shape: Mapping[str, Any] = read.answers[1] if read is not None and done else {}
        self.by_person = "persons" in self.shape
        self.guesses = {guess["column"]: guess for guess in self.shape.get("guesses", ())}

    @cached_property
    def supports(self) -> dict[str, int]:
        """What can be marked as sensitive, the most frequent first, and how often it occurs."""
        self.require_ready()
        assert self.read is not None
        return {one["item"]: one["support"] for one in self.read.answers[2]["items"]}

    def require_ready(self) -> None:
        """Raise `Conflict` unless it was read."""
        if self.state != "ready":
            raise Conflict(self.problem or "This file is still being read.")


class Datasets:
    """All datasets of a server."""

    def __init__(self, settings: Settings, jobs: Jobs) -> None:
        self._settings, self._jobs = settings, jobs
        self._folder = settings.data / "datasets"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._changing = threading.RLock()

    def all(self) -> dict[str, Choices]:
        """Return the choices about each dataset, by id, the newest first; nothing begins."""
        found = {}
        for path in self._folder.iterdir():
            with contextlib.suppress(NotFound):
                found[path.name] = self.choices(path.name)
        return dict(sorted(found.items(), key=lambda one: -one[1].created))

    def has(self, id: str) -> bool:
        """Return whether there is a dataset of this id."""
        return (self._folder / id / "choices.json").exists()

    def choices(self, id: str) -> Choices:
        """Return the choices about a dataset."""
        if not id.isalnum():
            raise NotFound(GONE)
        try:
            return Choices(**json.loads((self._folder / id / "choices.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            raise NotFound(GONE) from None

    def get(self, id: str) -> Dataset:
        """Return a dataset; looking at it and reading it begin if that has not been done for its choices."""
        choices = self.choices(id)
        if choices.origin == "root":
            folders.require_below(self._settings.root, Path(choices.path))
        options = json.dumps({**choices.options, **choices.seconds})
        look = ["covey.web.looking", choices.path, choices.name, choices.kind, options]
        looked = self._job(id, choices, choices.kind, "look", lambda _: [look], marked=False)
        if looked.state != "done" or looked.answers[0]["problem"]:
            return Dataset(id, choices, looked, None)
        kind = choices.kind or looked.answers[0]["kind"]

        def reading(path: Path) -> list[list[str]]:
            data = str(path / PREPARED)
            shape = ["covey", "inspect", data, "--known", "1", "--samples", "1", "--json"]
            return [choices.prepare(kind, path, marked=False), shape, ["covey", "items", data, "--json"]]

        return Dataset(id, choices, looked, self._job(id, choices, kind, "read", reading, marked=False))

    def run(
        self, data: Dataset, sort: str, command: Callable[[Path], Sequence[str]], *, marked: bool = True, **more: Any
    ) -> Job:
        """Return the job that prepares a dataset in its folder and runs a command there; it begins if need be."""

        def steps(path: Path) -> list[list[str]]:
            prepared = data.choices.prepare(data.kind, path, marked=marked)
            return [prepared, ["covey", *command(path), "--json"]]

        return self._job(data.id, data.choices, data.kind, sort, steps, marked=marked, **more)

    def _job(
        self,
        id: str,
        choices: Choices,
        kind: str,
        sort: str,
        steps: Callable[[Path], Sequence[Sequence[str]]],
        *,
        marked: bool,
        quick: bool = True,
        **details: Any,
    ) -> Job:
        """Return a job of a dataset; it begins if need be, and takes the place of others of its sort.

        Jobs of a sort differ by the choices, with or without roles and marks, and by the details.
        """
        key = hashlib.sha256(json.dumps(details).encode()).hexdigest()[:8]
        path = self._folder / id / f"{sort}-{choices.digest(kind, sort, marked=marked)}{key}"
        with self._changing:
            with contextlib.suppress(NotFound):
                job = self._jobs.get(path)
                # One that had no room to write is tried again; the fault was not the file's.
                if job.state not in ("interrupted", "cancelled") and job.error_type not in ("OutputError", "Full"):
                    return job
            for old in path.parent.glob(f"{sort}-*/job.json"):
                self._jobs.cancel(old.parent)  # one that is done is found again when the choice is taken back
            self._jobs.remove(path)
            with room():
                return self._jobs.submit(path, steps(path), {"names": choices.names(path), **details}, quick=quick)

    def latest(self, data: Dataset, sort: str, **details: Any) -> Job | None:
        """Return the newest job of a sort for the choices as they are, with which this was noted; None without one."""
        files = (self._folder / data.id).glob(f"{sort}-{data.choices.digest(data.kind, sort, marked=True)}*/job.json")
        jobs = [
            job for job in (self._jobs.get(file.parent) for file in files) if details.items() <= job.details.items()
        ]
        return max(jobs, key=lambda job: job.created, default=None)

    def risk(self, data: Dataset) -> Job | None:
        """Return the job that finds out how exposed people are, and what can be promised; None before it is read."""
        if data.state != "ready":
            return None
        return self.run(data, "risk", lambda path: ["inspect", str(path / PREPARED), *data.choices.along(data.kind)])

    def limits(self, data: Dataset) -> Mapping[str, Any]:
        """Return how far each guarantee can go; nothing as long as that is not known."""
        risk = self.risk(data)
        return risk.answers[1]["guarantees"] if risk is not None and risk.state == "done" else {}

    def upload(self, name: str, path: Path) -> str:
        """Take over a file that has arrived; return the id of the new dataset."""
        return self._new("upload", lambda given: {"path": str(path.replace(given / folders.safe_name(name)))})

    def pick(self, path: str) -> str:
        """Use a file below the root where it is."""
        found = folders.below(self._settings.root, path)
        if not found.is_file():
            raise NotFound("That is a folder; pick a file in it.")
        return self._new("root", lambda _: {"path": str(found)})

    def demo(self, name: str) -> str:
        """Generate data to try things with."""
        return self._new("demo", lambda given: write_demo(given, name))

    def _new(self, origin: str, give: Callable[[Path], dict[str, Any]]) -> str:
        """Return the id of a new dataset; `give` puts the file in a folder and says what it is."""
        id = secrets.token_hex(6)
        try:
            with room():
                given = self._folder / id / "given"
                given.mkdir(parents=True)
                made = give(given)
                name = Path(made["path"]).name
                self._store(id, Choices(name=name, origin=origin, created=time.time(), **made))
        except BaseException:
            shutil.rmtree(self._folder / id, ignore_errors=True)
            raise
        return id

    def _store(self, id: str, choices: Choices) -> None:
        body = json.dumps(asdict(choices), ensure_ascii=False, indent=1).encode()
        with room():
            write_whole(self._folder / id / "choices.json", body, force=True)

    def change(self, id: str, change: Callable[[Choices], Choices]) -> None:
        """Store other choices about a dataset, made of the present ones."""
        with self._changing:
            self._store(id, change(self.choices(id)))

    def configure(self, id: str, kind: str, options: Mapping[str, Any]) -> None:
        """Say how a dataset is to be read; with another kind, roles and marks begin anew."""

        def configured(choices: Choices) -> Choices:
            same = kind == (choices.kind or self.get(id).kind)
            fresh: dict[str, Any] = {} if same else {"sensitive": [], "files": {}}
            return replace(choices, kind=kind, options=dict(options), **fresh)

        self.change(id, configured)

    def attach(self, data: Dataset, key: str, name: str, path: Path, **options: str) -> None:
        """Take over a file that belongs to a dataset, with the options that say how the two are joined."""
        target = self._folder / data.id / "given" / secrets.token_hex(4) / folders.safe_name(name)
        target.parent.mkdir(parents=True)
        path.replace(target)

        def attached(choices: Choices) -> Choices:
            kind = data.kind if is_second(key) else choices.kind
            files = {**choices.files, key: str(target)}
            return replace(choices, kind=kind, files=files, options={**choices.options, **options})

        self.change(data.id, attached)

    def drop(self, id: str) -> int:
        """Remove what the server keeps of a dataset; return the bytes freed."""
        self.choices(id)
        path = self._folder / id
        size = folders.size_of(path)
        for job in path.glob("*/job.json"):
            self._jobs.remove(job.parent)
        shutil.rmtree(path, ignore_errors=True)
        return size


def roles_of(data: Dataset) -> dict[str, str]:
    """Return each column that can have a role with its role: as it was chosen, else as it is guessed."""
    options, guesses = data.choices.options, data.guesses
    quasi = options.get("quasi", [])
    named = dict.fromkeys(data.sensitive, "sensitive") | dict.fromkeys(quasi, "quasi")
    named |= {name: role for role in ("other", "identifier") for name in options.get(role, [])}
    named |= {str(options["person"]): "identifier"} if options.get("person") else {}
    rest = "identifier" if quasi else "quasi"
    guessed = {} if quasi else {name: guess["role"] for name, guess in guesses.items()}
    columns = [name for name in data.columns if not guesses or name in guesses]
    return {name: named.get(name) or guessed.get(name, rest) for name in columns}


def undecided(data: Dataset) -> list[str]:
    """Return the columns whose role is only guessed, and another than publishing them as what may be known."""
    options = data.choices.options
    if not data_kind(data.kind).has_columns or options.get("quasi"):
        return []
    given = {
        *data.sensitive,
        options.get("person"),
        *(name for role in ROLES for name in options.get(role, [])),
    }
    return [name for name, role in roles_of(data).items() if role != "quasi" and name not in given]


def with_roles(choices: Choices, columns: Sequence[str], roles: Mapping[str, str]) -> Choices:
    """Return choices in which columns have these roles; single items that are sensitive stay so."""
    kept = {key: value for key, value in choices.options.items() if key not in ROLES}
    by_role = {role: [name for name in columns if roles.get(name) == role] for role in ROLES}
    by_role["quasi"] = [name for name in by_role["quasi"] if name != kept.get("person")]
    named = {role: names for role, names in by_role.items() if names and role != "sensitive"}
    items = [name for name in choices.sensitive if name not in columns]
    return replace(choices, options={**kept, **named}, sensitive=[*by_role["sensitive"], *items])
