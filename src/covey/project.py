"""A project: all choices about a file, in one TOML, so that next month's file takes one command.

It holds how the file is read, what is sensitive, the taxonomy and hierarchies, the promise, the method and its options;
no data, and no seed, which has to stay secret.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from covey.data import Taxonomy
from covey.data.kinds import DATA_KINDS, data_kind
from covey.engines.local import Local
from covey.errors import CoveyError, InputError, ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.io import read_taxonomy
from covey.io.naming import Naming
from covey.io.sensitive import Choice, read_sensitive
from covey.io.source import Source
from covey.io.toml import Section, read_toml
from covey.io.trees.hierarchy import read_hierarchy
from covey.parameters import number
from covey.parameters import path as as_path
from covey.pipeline import Plan, Published, plan
from covey.progress import Progress, silent
from covey.registry import method as make_method
from covey.release.about import About
from covey.release.writing import write_whole

FORMAT = "covey-project/1"
#: How the files begin, of any format.
MARKS = (b'format = "covey-project/',)
KEYS = (
    *("format", "kind", "guarantee", "method", "sensitive", "audit"),
    *("reading", "options", "about", "names", "taxonomy", "hierarchies"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A taxonomy or hierarchy: a file, or its whole text, which then needs no file.

    Attributes
    ----------
    name : str
        What the file is or was called; its ending tells what is in it.
    path : str
        Where it is; empty if `text` holds it.
    text : str
        What is in it.
    """

    name: str
    path: str = ""
    text: str = ""

    def read(self, reader: Any) -> Any:
        """The tree."""
        if self.path:
            return reader(self.path)
        with tempfile.TemporaryDirectory(prefix="covey-") as place:
            file = Path(place) / Path(self.name).name
            file.write_text(self.text, encoding="utf-8", newline="")
            return reader(str(file))

    def body(self) -> dict[str, str]:
        """What a project file says of it."""
        return {"path": self.path} if self.path else {"file": self.name, "text": self.text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """What was chosen for a file.

    Attributes
    ----------
    kind : str
        What the file holds.
    guarantee : str
        The promise.
    method : str or None
        None takes the recommended one.
    sensitive : tuple of str
        Names and patterns. Names that a file lacks are told and left out.
    reading, options : mapping
        How to read it, and options of the method.
    audit : float or None
        The highest lift that an attack may have.
    about : About
        Title, license and contact.
    names : Tree or None
        The file with the names of codes, if it belongs to the project rather than to the data.
    taxonomy : Tree or None
        How items may be generalized.
    hierarchies : mapping
        The same for columns of a table.

    Examples
    --------
    >>> project = Project(kind="baskets", guarantee="degree(p=2)", sensitive=("s",))
    >>> project.plan([["a", "s"], ["a"], ["b"], ["b"]]).method.name
    'matched'
    """

    kind: str
    guarantee: str
    method: str | None = None
    sensitive: tuple[str, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    audit: float | None = None
    about: About = field(default_factory=About)
    names: Tree | None = None
    taxonomy: Tree | None = None
    hierarchies: Mapping[str, Tree] = field(default_factory=dict)

    def source(self, data: Any, *, sensitive: Any = None, **reading: Any) -> Source:
        """Other data, to be read as this project says, unless more is said here."""
        how = {**self.reading, **{name: value for name, value in reading.items() if value is not None}}
        if self.hierarchies and "hierarchies" not in how:
            how["hierarchies"] = {name: tree.read(read_hierarchy) for name, tree in self.hierarchies.items()}
        if self.names is not None and not {"names", "names_column"} & {*how}:
            how["names"] = self.names.read(lambda file: dict(Naming.of(file, how.get("encoding", "utf-8")).names))
        kind = how.pop("kind", None) or self.kind
        marked = sensitive if sensitive is not None else list(self.sensitive) or None
        if sensitive is None and marked and "sensitive_missing" in data_kind(kind).option_names():
            how.setdefault("sensitive_missing", "warn")  # an item that nobody bought this month is no mistake
        return Source.of(data, kind=kind, sensitive=marked, **how)

    def tree(self) -> Taxonomy | None:
        """How items may be generalized."""
        found: Taxonomy | None = None if self.taxonomy is None else self.taxonomy.read(read_taxonomy)
        return found

    def plan(self, data: Any, **changes: Any) -> Plan:
        """What will be done with other data; `changes` are arguments of `covey.pipeline.plan` or reading options.

        Options of the method are kept as long as the method is.
        """
        names = {name for one in map(data_kind, DATA_KINDS) for name in one.option_names()} | {"kind", "sensitive"}
        given = {name: value for name, value in changes.items() if value is not None}
        source = self.source(data, **{name: given.pop(name) for name in list(given) if name in names})
        chosen = given.pop("method", None)
        wanted: dict[str, Any] = {} if chosen not in (None, self.method) else dict(self.options)
        tree = given.pop("taxonomy") if "taxonomy" in given else self.tree()
        about = replace(self.about, **given.pop("about", About()).given())
        promise = given.pop("guarantee", self.guarantee)
        return plan(source, promise, chosen or self.method, taxonomy=tree, about=about, **{**wanted, **given})

    def anonymize(self, data: Any, *, progress: Progress = silent, **changes: Any) -> Any:
        """Make a release of other data in memory, as `covey.anonymize` does; `changes` as for `plan`."""
        return Local().anonymize(self.plan(data, **changes), lift=self.audit, progress=progress)

    def publish(
        self,
        data: Any,
        out: str | Path,
        *,
        csv: bool = False,
        force: bool = False,
        progress: Progress = silent,
        **changes: Any,
    ) -> Published:
        """Publish other data, as `covey.publish` does; `changes` as for `plan`."""
        out = as_path("publish", "out", out)
        made = self.plan(data, **changes)
        return Local().publish(made, out, csv=csv, force=force, lift=self.audit, progress=progress)

    def to_toml(self) -> str:
        """The project as the text of a file."""
        body: dict[str, Any] = {"format": FORMAT, "kind": self.kind, "guarantee": self.guarantee}
        body |= {} if self.method is None else {"method": self.method}
        body |= {} if self.audit is None else {"audit": self.audit}
        body |= {"sensitive": list(self.sensitive)} if self.sensitive else {}
        tables = {
            "reading": dict(self.reading),
            "options": dict(self.options),
            "about": self.about.given(),
            "names": {} if self.names is None else self.names.body(),
            "taxonomy": {} if self.taxonomy is None else self.taxonomy.body(),
            **{f"hierarchies.{_key(name)}": tree.body() for name, tree in self.hierarchies.items()},
        }
        lines = [f"{name} = {_value(value)}" for name, value in body.items()]
        for name, table in tables.items():
            if table:
                lines += ["", f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in table.items())]
        return "\n".join(lines) + "\n"

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write it to a file; an earlier project there is replaced, another file with `force` only."""
        target = as_path("save", "path", path)
        return write_whole(target, self.to_toml().encode(), marks=MARKS, force=force)


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "a").replace("-", "a").isalnum() else _value(name)


def _value(value: Any) -> str:
    """A value as TOML writes it; its strings are those of JSON."""
    if isinstance(value, list | tuple):
        inside = ", ".join(map(_value, value))
        return f"[{inside}]" if len(inside) < 100 else "[\n" + "".join(f"    {_value(one)},\n" for one in value) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def read_project(path: str | Path) -> Project:
    """Read and check a project file.

    Parameters
    ----------
    path : path
        A TOML file; paths in it are relative to it.

    Raises
    ------
    InputError
        With the place in the file and what would work.
    """
    file = as_path("read_project", "path", path)
    return parse_project(read_toml(file), file=file)


def parse_project(body: Mapping[str, Any], *, file: Path, paths: bool = True) -> Project:
    """Check the content of a project file.

    Parameters
    ----------
    body : mapping
        What is in it.
    file : Path
        Named in errors; anchors relative paths.
    paths : bool
        Whether it may name other files; a page, whose users must not name files of the server, takes none such.
    """
    stated = body.get("format")
    if stated != FORMAT:
        if isinstance(stated, str) and stated.startswith("covey-project/"):
            raise InputError(
                f"it is of the format {stated!r}, and this version of covey reads {FORMAT!r}",
                file=file,
                remedy="Update covey, or save the project again.",
            )
        raise InputError(
            f'it is not a project: it must begin with format = "{FORMAT}"',
            file=file,
            remedy="The page saves one, and so does `covey anonymize … --save-project FILE`.",
        )
    top = Section(body, "the file", file, KEYS)
    kind, promise = top.text("kind", None), top.text("guarantee", None)
    for key, value in (("kind", kind), ("guarantee", promise)):
        if value is None:
            top.fail(f"the key '{key}' is missing")
    top.known("kind of data", kind, DATA_KINDS)
    audit = body.get("audit")
    reading, options, about = (top.table(name) for name in ("reading", "options", "about"))
    with _told(top):
        promise = parse_guarantee(promise).text
        if audit is not None:
            number("audit", "lift", audit, minimum=1)
        words = About(**{name: about.pop(name) for name in ("title", "license", "contact") if name in about})
        if about:
            raise ParameterError(f"[about] has no key '{next(iter(about))}'; it has title, license, contact.")
    method = top.text("method", None)
    taxonomy = _tree(top, "taxonomy", body["taxonomy"], paths) if "taxonomy" in body else None
    names = _tree(top, "names", body["names"], paths) if "names" in body else None
    trees = {name: _tree(top, f"hierarchies.{name}", one, paths) for name, one in top.table("hierarchies").items()}
    for name in reading:
        declared = {option.name: option for option in data_kind(kind).options}
        top.known("reading option of this kind", name, declared)
        if declared[name].file:
            if not paths or not isinstance(reading[name], str):
                top.fail(f"[reading]: '{name}' names another file", "Give that file with the data.")
            reading[name] = top.path(reading[name])
    project = Project(
        kind=kind,
        guarantee=promise,
        method=method,
        sensitive=top.texts("sensitive", ()),
        reading=reading,
        options=options,
        audit=audit,
        about=words,
        names=names,
        taxonomy=taxonomy,
        hierarchies=trees,
    )
    with _told(top):
        if "seed" in options:
            raise ParameterError("A seed has to stay secret and does not belong in a project.")
        if method is not None:
            make_method(method, data=kind, **options)
        plan(Source.of(None, kind=kind, **reading), promise, method)
    return project


@contextmanager
def _told(section: Section) -> Iterator[None]:
    """Errors inside the block name the file."""
    try:
        yield
    except InputError:
        raise
    except CoveyError as error:
        raise InputError(str(error).rstrip("."), file=section.file) from None


def _tree(top: Section, place: str, entry: Any, paths: bool) -> Tree:
    section = Section(entry, f"[{place}]", top.file, ("path", "file", "text"))
    path, text = section.text("path", ""), section.text("text", "")
    if bool(path) == bool(text):
        section.fail("give exactly one of path and text")
    if path and not paths:
        section.fail("it names another file", "Save the project with the tree in it.")
    return Tree(name=section.text("file", "tree.csv"), path=section.path(path) if path else "", text=text)


def tree_of(path: str) -> Tree:
    """A taxonomy or hierarchy with its whole text or, where that is not plain text, where it is."""
    file = Path(path)
    try:
        return Tree(name=file.name, text=file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return Tree(name=file.name, path=str(file.resolve()))


def project_of(
    made: Plan, *, sensitive: Any = None, taxonomy: str | None = None, audit: float | None = None, before: Any = None
) -> Project:
    """The choices behind a plan, as a project.

    Parameters
    ----------
    made : Plan
        What was done.
    sensitive : str, collection or None
        What was named as sensitive, as it was written: patterns stay patterns, files are read.
    taxonomy : path or None
        The file of the taxonomy.
    audit : float or None
        The highest lift that was allowed.
    before : path or None
        The project that the plan came from, which says what is not said here.
    """
    earlier = None if before is None else read_project(before)
    reading = {name: value for name, value in made.source.options.items() if name not in ("baskets", "hierarchies")}
    files = {option.name for option in made.source.decided.options if option.file}
    reading |= {name: str(Path(reading[name]).resolve()) for name in files & {*reading}}
    trees = made.source.options.get("hierarchies") or {}
    named = trees if isinstance(trees, Mapping) else dict(str(one).split("=", 1) for one in trees if "=" in str(one))
    kept = {} if earlier is None else dict(earlier.hierarchies)
    marked = [] if sensitive is None else read_sensitive(Choice(tuple(sensitive)))
    if not marked and earlier is not None:
        marked = list(earlier.sensitive)
    return Project(
        kind=made.source.decided.name,
        guarantee=made.promise.text,
        method=made.method.name,
        sensitive=tuple(marked),
        reading=reading,
        options={name: value for name, value in made.method.options().items() if value is not None},
        audit=audit,
        about=made.about,
        taxonomy=tree_of(taxonomy) if taxonomy else None if earlier is None else earlier.taxonomy,
        hierarchies={**kept, **{name: tree_of(path) for name, path in named.items() if isinstance(path, str)}},
    )
