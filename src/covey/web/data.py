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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from covey.data.kinds import ReadingOption, data_kind
from covey.errors import CoveyError, InputError, ParameterError
from covey.parameters import did_you_mean
from covey.staging import write_whole
from covey.web import folders
from covey.web.demos import write_demo
from covey.web.jobs import Job, Jobs
from covey.web.problems import Conflict, Full, NotFound, is_full
from covey.web.settings import Settings

State = Literal["pending", "ready", "failed"]

#: The options that give roles to columns; columns can be sensitive besides.
ROLES = ("quasi", "sensitive", "other", "identifier")
#: Options that hold names of columns, of which there can be several.
COLUMN_LISTS = ("quasi", "identifier", "other", "categorical")
#: The list of what is sensitive, in the folder of a job.
MARKS = "sensitive.txt"


def reading_options(kind: str) -> list[str]:
    """Return the names of the options that the page has; files are given by themselves, and `local` ones never."""
    return [option.name for option in data_kind(kind).options if not (option.file or option.local)]


def second_files(kind: str) -> list[ReadingOption]:
    """Return the options of a kind that are a second file, to be given with the first.

    Examples
    --------
    >>> [option.name for option in second_files("records")]
    ['baskets']
    """
    return [option for option in data_kind(kind).options if option.file and not option.many]


def column_names(given: Any) -> list[str]:
    """Return names of columns that were given as a list, or as text with commas.

    Examples
    --------
    >>> column_names("age, sex,"), column_names(["age"]), column_names(None)
    (['age', 'sex'], ['age'], [])
    """
    if isinstance(given, str):
        return [part.strip() for part in given.split(",") if part.strip()]
    return list(given or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What somebody said about a file, as it is stored.

    Attributes
    ----------
    name, origin : str
        The name is that of the file; the origin ``upload``, ``root`` (picked below the folder that was opened) or
        ``demo``.
    path, taxonomy, hierarchies, files
        Where the file and those that belong to it are; hierarchies by column, second files by reading option.
    kind : str
        What it holds; empty as long as it is to be recognised.
    options : mapping
        How to read it.
    sensitive : list of str
        Sensitive items, issues or columns.
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

    def given(self) -> list[str]:
        """Return the paths of all files."""
        more = [] if self.taxonomy is None else [self.taxonomy]
        return [self.path, *more, *self.hierarchies.values(), *self.files.values()]

    def digest(self, kind: str, what: Literal["look", "read", "risk"]) -> str:
        """Return what tells apart choices that differ for a job of this sort; only the last sees roles and marks."""
        options = {name: value for name, value in self.options.items() if what == "risk" or name not in ROLES}
        body: list[Any] = [kind, self.path, options, self.files]
        body += [self.hierarchies] if what != "look" else []
        body += [self.sensitive, self.taxonomy] if what == "risk" else []
        return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:16]

    def words(self, kind: str, marks: Path | None, *, taxonomy: bool = True) -> list[str]:
        """Return how the command line is told of the file; roles and marks only with the list of the latter."""
        words = [self.path, "--kind", kind]
        declared = {option.name: option for option in data_kind(kind).options}
        for name, value in self.options.items():
            if name in declared and (marks is not None or name not in ROLES):
                words.append(declared[name].flag or f"--{name}")
                if not declared[name].switch:
                    words.append(",".join(value) if isinstance(value, list) else str(value))
        for name, path in self.files.items():
            words += [declared[name].flag or f"--{name}", path]
        for column, path in self.hierarchies.items():
            words += ["--hierarchy", f"{column}={path}"]
        if marks is not None and self.sensitive:
            by_roles = data_kind(kind).by_roles
            words += [word for one in (self.sensitive if by_roles else [str(marks)]) for word in ("--sensitive", one)]
        if taxonomy and marks is not None and self.taxonomy is not None and data_kind(kind).uses_taxonomy:
            words += ["--taxonomy", self.taxonomy]
        return words


@dataclass(frozen=True)
class Dataset:
    """A file with the choices about it, and the jobs that look at it (`look`) and read it (`read`)."""

    id: str
    choices: Choices
    look: Job
    read: Job | None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.choices.name

    @property
    def kind(self) -> str:
        """What it holds: as somebody said, else as it was recognised."""
        return self.choices.kind or (self.look.answers[0]["kind"] if self.look.answers else "baskets")

    @property
    def seen(self) -> Mapping[str, Any]:
        """What the beginning of the file looks like: ``recognised``, ``columns`` and ``rows``."""
        nothing = {"recognised": "", "columns": [], "rows": []}
        return nothing | (self.look.answers[0] if self.look.answers else {})

    @property
    def columns(self) -> list[str]:
        """The columns of the file; none for lists of items."""
        return list(self.seen["columns"])

    @property
    def state(self) -> State:
        """Whether it was read."""
        if self.problem:
            return "failed"
        return "ready" if self.read is not None and self.read.state == "done" else "pending"

    @property
    def problem(self) -> str:
        """Why it cannot be used as it is."""
        seen = self.look.answers[0].get("problem") if self.look.answers else ""
        return seen or self.look.error or (self.read.error if self.read is not None else "")

    @property
    def shape(self) -> Mapping[str, Any]:
        """What was found in it once it was read, as `covey inspect` states it."""
        done = self.read is not None and self.read.state == "done"
        return self.read.answers[0] if done and self.read is not None else {}

    @cached_property
    def supports(self) -> dict[str, int]:
        """What can be marked as sensitive, the most frequent first, and how often it occurs."""
        if self.state != "ready" or self.read is None:
            raise Conflict(self.problem or "This file is still being read.")
        return {one["item"]: one["support"] for one in self.read.answers[1]["items"]}

    @property
    def sensitive(self) -> list[str]:
        """What is marked as sensitive."""
        return self.choices.sensitive

    @property
    def by_person(self) -> bool:
        """Whether persons are counted."""
        return "persons" in self.shape

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
        path = self._folder / id
        if path.parent != self._folder or "\0" in id or not id.isalnum():
            raise NotFound("There is no such file; it may have been removed.")
        try:
            return Choices(**json.loads((path / "choices.json").read_bytes()))
        except (OSError, ValueError, TypeError):
            raise NotFound("There is no such file; it may have been removed.") from None

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
            words, run = choices.words(kind, None), ["covey.web.reading", str(path), choices.path]
            shape = [*run, "inspect", *words, "--known", "1", "--samples", "1", "--json"]
            return [shape, [*run, "items", *words, "--json"]]

        return Dataset(id, choices, looked, self.job(id, f"read-{choices.digest(kind, 'read')}", choices, reading))

    def risk(self, data: Dataset) -> Job:
        """Return the job that finds out how exposed people are, and what can be promised; it begins if need be."""

        def examining(path: Path) -> list[list[str]]:
            run = ["covey.web.reading", str(path), data.choices.path]
            return [[*run, "inspect", *self.marked(data, path), "--json"]]

        return self.job(data.id, f"risk-{data.choices.digest(data.kind, 'risk')}", data.choices, examining)

    def marked(self, data: Dataset, folder: Path, *, taxonomy: bool = True) -> list[str]:
        """Return how the command line is told of a dataset with its marks, which are listed in a file in `folder`."""
        marks = folder / MARKS
        folder.mkdir(parents=True, exist_ok=True)
        marks.write_text("".join(f"{label}\n" for label in data.sensitive), encoding="utf-8")
        if data.choices.origin == "root":
            folders.require_below(self._settings.root, Path(data.choices.path))
        return data.choices.words(data.kind, marks, taxonomy=taxonomy)

    def names(self, choices: Choices) -> dict[str, str]:
        """Return what people call the files that a command names."""
        return {path: Path(path).name for path in choices.given()}

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
            if choices.origin == "root":
                folders.require_below(self._settings.root, Path(choices.path))
            for old in path.parent.glob(f"{name.partition('-')[0]}-*/job.json"):
                self._jobs.cancel(old.parent)  # one that is done is found again when the choice is taken back
            self._jobs.remove(path)
            try:
                return self._jobs.submit(
                    path, steps(path), {"names": self.names(choices) | {f"{path}/": ""}, **asked}, quick=quick
                )
            except OSError as error:
                if is_full(error):
                    raise Full from None
                raise

    def wait(self, id: str) -> Dataset:
        """Return a dataset once it has been read, or has turned out to be unreadable."""
        while (data := self.get(id)).state == "pending":
            self._jobs.wait((data.read or data.look).path)
        return data

    def upload(self, name: str, path: Path) -> str:
        """Take over a file that has arrived; return the id of the new dataset."""
        with self._new() as (id, given):
            kept = path.replace(given / folders.safe_name(name))
            self._store(id, Choices(name=kept.name, origin="upload", path=str(kept), created=time.time()))
        return id

    def pick(self, path: str) -> str:
        """Use a file below the root where it is."""
        found = folders.below(self._settings.root, path)
        if not found.is_file():
            raise NotFound("That is a folder; pick a file in it.")
        with self._new() as (id, _):
            self._store(id, Choices(name=found.name, origin="root", path=str(found), created=time.time()))
        return id

    def demo(self, name: str) -> str:
        """Generate data to try things with."""
        with self._new() as (id, given):
            made = write_demo(given, name)
            self._store(id, Choices(name=Path(made["path"]).name, origin="demo", created=time.time(), **made))
        return id

    @contextlib.contextmanager
    def _new(self) -> Iterator[tuple[str, Path]]:
        """Yield a new id and the folder for files that are given; nothing is kept if that fails."""
        id = secrets.token_hex(6)
        try:
            given = self._folder / id / "given"
            given.mkdir(parents=True)
            yield id, given
        except BaseException as error:
            shutil.rmtree(self._folder / id, ignore_errors=True)
            if isinstance(error, OSError) and is_full(error):
                raise Full from None
            raise

    def _store(self, id: str, choices: Choices) -> None:
        try:
            body = json.dumps(asdict(choices), ensure_ascii=False, indent=1).encode()
            write_whole(self._folder / id / "choices.json", body, force=True)
        except CoveyError as error:
            if isinstance(error.__context__, OSError) and is_full(error.__context__):
                raise Full from None
            raise

    def change(self, id: str, change: Callable[[Choices], Choices]) -> Choices:
        """Store other choices about a dataset, made of the present ones."""
        with self._changing:
            changed = change(self.choices(id))
            self._store(id, changed)
            return changed

    def configure(self, id: str, kind: str, options: Mapping[str, Any]) -> None:
        """Say how a dataset is to be read."""
        checked = checked_options(kind, options)

        def configured(choices: Choices) -> Choices:
            before = choices.kind or self.get(id).kind
            if kind == before:
                return replace(choices, kind=kind, options=checked)
            return replace(choices, kind=kind, options=checked, sensitive=[], hierarchies={}, files={})

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
        for job in (one.parent for one in path.glob("*/job.json")):
            self._jobs.remove(job)
        shutil.rmtree(path, ignore_errors=True)
        return size


def checked_options(kind: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as text, lists of texts or True for switches, without those that are empty.

    Examples
    --------
    >>> checked_options("table", {"quasi": ["age", "sex"], "format": ""})
    {'quasi': ['age', 'sex']}
    """
    known = reading_options(kind)
    switches = [option.name for option in data_kind(kind).options if option.switch]
    given: dict[str, Any] = {}
    for name, value in options.items():
        if name not in known:
            raise ParameterError(
                f"{kind} have no reading option '{name}'.{did_you_mean(name, known)} They have {', '.join(known)}."
            )
        if value in (None, "", [], "false") or value is False:
            continue
        given[name] = True if name in switches else value
    return given


def roles_of(data: Dataset) -> dict[str, str]:
    """Return each column that can have a role with its role: as somebody said, else as it is guessed."""
    options = data.choices.options
    quasi = column_names(options.get("quasi"))
    named = dict.fromkeys(data.sensitive, "sensitive") | dict.fromkeys(quasi, "quasi")
    named |= {name: role for role in ("other", "identifier") for name in column_names(options.get(role))}
    named |= {str(options["person"]): "identifier"} if options.get("person") else {}
    guesses = guesses_of(data)
    columns = [name for name in data.columns if not guesses or name in guesses]
    rest = "identifier" if quasi else "quasi"
    return {name: named.get(name) or (rest if quasi else guesses.get(name, {}).get("role", rest)) for name in columns}


def guesses_of(data: Dataset) -> dict[str, dict[str, Any]]:
    """Return what is known of each column once the file was read: its role, why, values and examples."""
    return {guess["column"]: guess for guess in data.shape.get("guesses", ())}


def undecided(data: Dataset) -> list[str]:
    """Return the columns whose role is only guessed, and another than publishing them as what may be known."""
    if not data_kind(data.kind).has_columns or data.choices.options.get("quasi"):
        return []
    given = {*data.sensitive, *(name for role in ROLES for name in column_names(data.choices.options.get(role)))}
    person = data.choices.options.get("person")
    return [name for name, role in roles_of(data).items() if role != "quasi" and name not in given and name != person]


def with_roles(choices: Choices, columns: Sequence[str], roles: Mapping[str, str]) -> Choices:
    """Return choices in which columns have these roles; single items that are sensitive stay so."""
    by_role = {role: [name for name in columns if roles.get(name) == role] for role in ROLES}
    kept = {key: value for key, value in choices.options.items() if key not in ROLES}
    by_role["quasi"] = [name for name in by_role["quasi"] if name != kept.get("person")]
    named = {role: names for role, names in by_role.items() if names and role != "sensitive"}
    items = [name for name in choices.sensitive if name not in columns]
    return replace(choices, options={**kept, **named}, sensitive=[*by_role["sensitive"], *items])


def require_column(data: Dataset, column: str) -> None:
    """Raise `InputError` unless a table has a column."""
    if not data_kind(data.kind).has_columns or column not in data.columns:
        raise InputError(f"there is no column {column!r} in a table here", remedy="Choose one of its columns.")
