"""Datasets of the page: a file, what somebody said about it, and the jobs that find out what is in it.

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
from typing import Any, Literal

from covey.data.kinds import ReadingOption, data_kind
from covey.errors import InputError, ParameterError
from covey.parameters import did_you_mean
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
GONE = "There is no such file; it may have been removed."


def reading_options(kind: str) -> list[ReadingOption]:
    """Return the options of a kind that are fields of a form: neither files nor those of this computer."""
    return [option for option in data_kind(kind).options if not (option.file or option.local)]


def second_files(kind: str) -> list[ReadingOption]:
    """Return the options of a kind that are a second file, to be given with the first."""
    return [option for option in data_kind(kind).options if option.file and not option.many]


def column_names(given: Any) -> list[str]:
    """Return names of columns that were given as a list, or as text with commas."""
    if isinstance(given, str):
        return [part.strip() for part in given.split(",") if part.strip()]
    return list(given or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What somebody said about a file, as it is stored.

    The origin is ``upload``, ``root`` (picked below the folder that was opened) or ``demo``; the kind is empty as long
    as it is to be recognised. Hierarchies are paths by column, `files` are second files by reading option.
    """

    name: str
    origin: str
    path: str
    created: float
    kind: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    sensitive: list[str] = field(default_factory=list)
    taxonomy: str | None = None
    hierarchies: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of the file; 0 if it is gone."""
        with contextlib.suppress(OSError):
            return Path(self.path).stat().st_size
        return 0

    def names(self, folder: Path) -> dict[str, str]:
        """Return what people call the files that a command names, which writes into a folder."""
        given = (self.path, self.taxonomy, *self.hierarchies.values(), *self.files.values())
        return {path: Path(path).name for path in given if path} | {f"{folder}/": ""}

    def digest(self, kind: str, what: Literal["look", "read", "risk"]) -> str:
        """Return what tells apart choices that differ for a job of this sort; only the last sees roles and marks."""
        options = {name: value for name, value in self.options.items() if what == "risk" or name not in ROLES}
        body: list[Any] = [kind, self.path, options, self.files]
        body += [self.hierarchies] if what != "look" else []
        body += [self.sensitive, self.taxonomy] if what == "risk" else []
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]

    def prepare(self, kind: str, folder: Path, *, marked: bool) -> list[str]:
        """Return the command that reads the file into a dataset in `folder`, with roles and marks or without."""
        words = ["covey", "prepare", self.path, "--kind", kind]
        declared = {option.name: option for option in data_kind(kind).options}
        flags = {name: option.flag for name, option in declared.items()}
        for name, value in self.options.items():
            if name in declared and (marked or name not in ROLES):
                words.append(flags[name])
                if not declared[name].switch:
                    words.append(",".join(value) if isinstance(value, list) else str(value))
        for name, path in self.files.items():
            words += [flags[name], path]
        for column, path in self.hierarchies.items():
            words += ["--hierarchy", f"{column}={path}"]
        if marked and self.sensitive:
            named = self.sensitive if data_kind(kind).by_roles else [str(folder / MARKS)]
            words += [word for one in named for word in ("--sensitive", one)]
        return [*words, "-o", str(folder / PREPARED), "--json"]

    def along(self, kind: str) -> list[str]:
        """Return the option that names the taxonomy, where there is one for such data."""
        used = self.taxonomy is not None and data_kind(kind).uses_taxonomy
        return ["--taxonomy", str(self.taxonomy)] if used else []


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
        """Return what was said about each dataset, by id, the newest first; nothing begins."""
        found = {path.name: self.choices(path.name) for path in self._folder.iterdir() if self.has(path.name)}
        return dict(sorted(found.items(), key=lambda one: -one[1].created))

    def has(self, id: str) -> bool:
        """Return whether there is a dataset of this id."""
        return (self._folder / id / "choices.json").exists()

    def folder_of(self, id: str) -> Path:
        """Return the folder of a dataset."""
        return self._folder / id

    def choices(self, id: str) -> Choices:
        """Return what was said about a dataset."""
        if not id.isalnum():
            raise NotFound(GONE)
        try:
            return Choices(**json.loads((self._folder / id / "choices.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            raise NotFound(GONE) from None

    def get(self, id: str) -> Dataset:
        """Return a dataset; looking at it and reading it begin if that has not been done for its choices."""
        choices = self.choices(id)
        options = {**choices.options, **choices.files}
        look = ["covey.web.looking", choices.path, choices.name, choices.kind, json.dumps(options)]
        looked = self.job(id, f"look-{choices.digest(choices.kind, 'look')}", choices, lambda _: [look])
        if looked.state != "done" or looked.answers[0]["problem"]:
            return Dataset(id, choices, looked, None)
        kind = choices.kind or looked.answers[0]["kind"]

        def reading(path: Path) -> list[list[str]]:
            data = str(path / PREPARED)
            shape = ["covey", "inspect", data, "--known", "1", "--samples", "1", "--json"]
            return [choices.prepare(kind, path, marked=False), shape, ["covey", "items", data, "--json"]]

        return Dataset(id, choices, looked, self.job(id, f"read-{choices.digest(kind, 'read')}", choices, reading))

    def run(
        self,
        data: Dataset,
        sort: str,
        command: Callable[[Path], Sequence[str]],
        *,
        key: str = "",
        marked: bool = True,
        quick: bool = True,
        **asked: Any,
    ) -> Job:
        """Return the job that prepares a dataset in its folder and runs a command there; it begins if need be.

        Jobs of a sort differ by the choices, with or without roles and marks, and by a `key`.
        """

        def steps(path: Path) -> list[Sequence[str]]:
            prepared = self.prepare(data, path) if marked else data.choices.prepare(data.kind, path, marked=False)
            return [prepared, ["covey", *command(path), "--json"]]

        return self.job(data.id, self.name_of(data, sort, key, marked), data.choices, steps, quick=quick, **asked)

    def name_of(self, data: Dataset, sort: str, key: str = "", marked: bool = True) -> str:
        """Return the name of a job for the choices about a dataset as they are."""
        digest = data.choices.digest(data.kind, "risk" if marked else "read")
        return f"{sort}-{digest}{hashlib.sha256(key.encode()).hexdigest()[:8] if key else ''}"

    def risk(self, data: Dataset) -> Job | None:
        """Return the job that finds out how exposed people are, and what can be promised; None before it is read."""
        if data.state != "ready":
            return None
        return self.run(data, "risk", lambda path: ["inspect", str(path / PREPARED), *data.choices.along(data.kind)])

    def limits(self, data: Dataset) -> Mapping[str, Any]:
        """Return how far each guarantee can go; nothing as long as that is not known."""
        risk = self.risk(data)
        return risk.answers[1]["guarantees"] if risk is not None and risk.state == "done" else {}

    def ways(self, data: Dataset, guarantee: str) -> Job:
        """Return the job that looks for ways to publish ratings under a guarantee."""
        return self.run(
            data, "ways", lambda path: ["check", str(path / PREPARED), "--guarantee", guarantee], key=guarantee
        )

    def prepare(self, data: Dataset, folder: Path) -> list[str]:
        """Return the command that reads a dataset with its marks, which are listed in a file in `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKS).write_text("".join(f"{label}\n" for label in data.sensitive), encoding="utf-8")
        self._require_below(data.choices)
        return data.choices.prepare(data.kind, folder, marked=True)

    def _require_below(self, choices: Choices) -> None:
        if choices.origin == "root":
            folders.require_below(self._settings.root, Path(choices.path))

    def job(
        self,
        id: str,
        name: str,
        choices: Choices,
        steps: Callable[[Path], Sequence[Sequence[str]]],
        *,
        quick: bool = True,
        **asked: Any,
    ) -> Job:
        """Return a job of a dataset; it begins if need be, and takes the place of others of its sort."""
        path = self._folder / id / name
        with self._changing:
            with contextlib.suppress(NotFound):
                job = self._jobs.get(path)
                # One that had no room to write is tried again; the fault was not the file's.
                if job.state not in ("interrupted", "cancelled") and job.error_type != "OutputError":
                    return job
            self._require_below(choices)
            for old in path.parent.glob(f"{name.partition('-')[0]}-*/job.json"):
                self._jobs.cancel(old.parent)  # one that is done is found again when the choice is taken back
            self._jobs.remove(path)
            with room():
                return self._jobs.submit(path, steps(path), {"names": choices.names(path), **asked}, quick=quick)

    def wait(self, id: str) -> Dataset:
        """Return a dataset once it has been read, or has turned out to be unreadable."""
        while (data := self.get(id)).state == "pending":
            self._jobs.wait((data.read or data.look).path)
        return data

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
        checked = checked_options(kind, options)

        def configured(choices: Choices) -> Choices:
            same = kind == (choices.kind or self.get(id).kind)
            fresh: dict[str, Any] = {} if same else {"sensitive": [], "hierarchies": {}, "files": {}}
            return replace(choices, kind=kind, options=checked, **fresh)

        self.change(id, configured)

    def keep(self, id: str, name: str, path: Path) -> Path:
        """Take over a file that belongs to a dataset, under a folder of its own."""
        self.choices(id)
        target = self._folder / id / "given" / secrets.token_hex(4) / folders.safe_name(name)
        target.parent.mkdir(parents=True)
        return path.replace(target)

    def drop(self, id: str) -> int:
        """Remove what the server keeps of a dataset; return the bytes freed."""
        self.choices(id)
        path = self._folder / id
        size = folders.size_of(path)
        for job in path.glob("*/job.json"):
            self._jobs.remove(job.parent)
        shutil.rmtree(path, ignore_errors=True)
        return size


def checked_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as text, lists of texts or True for switches, without those that are empty.

    Examples
    --------
    >>> checked_options("table", {"quasi": ["age", "sex"], "format": ""})
    {'quasi': ['age', 'sex']}
    """
    known = {option.name: option for option in reading_options(kind)}
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        near = did_you_mean(unknown, list(known))
        raise ParameterError(f"{kind} have no reading option '{unknown}'.{near} They have {', '.join(known)}.")
    given = {name: value for name, value in options.items() if value not in (None, "", [], "false", False)}
    return {name: True if known[name].switch else value for name, value in given.items()}


def roles_of(data: Dataset) -> dict[str, str]:
    """Return each column that can have a role with its role: as somebody said, else as it is guessed."""
    options, guesses = data.choices.options, data.guesses
    quasi = column_names(options.get("quasi"))
    named = dict.fromkeys(data.sensitive, "sensitive") | dict.fromkeys(quasi, "quasi")
    named |= {name: role for role in ("other", "identifier") for name in column_names(options.get(role))}
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
        *(name for role in ROLES for name in column_names(options.get(role))),
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


def require_column(data: Dataset, column: str) -> None:
    """Raise `InputError` unless a table has a column."""
    if not data_kind(data.kind).has_columns or column not in data.columns:
        raise InputError(f"there is no column {column!r} in a table here", remedy="Choose one of its columns.")
