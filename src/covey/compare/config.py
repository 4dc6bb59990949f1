"""The TOML file that describes a comparison: which data, which methods, what varies, what is measured.

Every entry is checked before anything runs: unknown keys, unknown names and variables that nothing defines
are errors that name the place and what would work.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from covey.compare.generators import GENERATORS, brings_taxonomy
from covey.data.kinds import DATA_KINDS, USUAL_KIND
from covey.errors import InputError
from covey.parameters import did_you_mean
from covey.registry import methods as registered

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        with path.open("rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", file=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"it is not valid TOML: {error}", file=path) from None


Value = int | float | str | bool

SEEDS = (1, 2, 3)
AXES = ("linear", "log")
PICTURES = ("band",)

#: The taxonomy of data that bring their own.
OWN = "own"
TAXONOMY_KEYS = ("path", "second_parent", "encoding", "separator")

_VARIABLE = re.compile(r"\{([A-Za-z]\w*)\}")
_RESERVED = ("data", "method", "guarantee", "seed", "metric", "value", "experiment")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSpec:
    """Where one data set comes from: a file with an absolute `path`, or a generator call such as ``quest(seed=1)``.

    Both are None for data in memory. `sensitive` is a list of items, a file, or a table ``{random = m}``; `read` has
    the reading options of the kind; `taxonomy` has the ``path`` and the further arguments of `covey.read_taxonomy`, or
    is the word ``own`` for data that bring theirs.
    """

    name: str
    title: str
    kind: str = USUAL_KIND
    path: str | None = None
    generate: str | None = None
    sensitive: Any = None
    read: Mapping[str, Any] = field(default_factory=dict)
    taxonomy: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotSpec:
    """What a plot shows: the variable `x` (or ``data``), a panel per value of `panels`, a line per value of `lines`."""

    x: str
    lines: tuple[str, ...]
    panels: str
    xscale: str = "linear"
    yscale: str = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One grid of data × methods × values of the varied variables × seeds; texts refer to a variable as ``{p}``.

    Without methods, the data themselves are measured. `sensitive` overrides the sensitive items of the data sets,
    `baseline` is the method to which ratios are taken, and the picture ``band`` draws band matrices instead of
    measuring.
    """

    name: str
    title: str
    data: tuple[str, ...]
    methods: tuple[str, ...]
    guarantee: str | None
    sensitive: Any
    metrics: tuple[str, ...]
    vary: Mapping[str, tuple[Value, ...]]
    seeds: tuple[int, ...]
    baseline: str | None
    picture: str | None
    plot: PlotSpec | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A whole file: its title, data sets and experiments."""

    title: str
    data: Mapping[str, DataSpec]
    experiments: tuple[Experiment, ...]


def read_comparison(path: str | Path) -> Comparison:
    """Read and check a comparison file.

    Parameters
    ----------
    path : path
        A TOML file; paths in it are relative to it, and may use ``${VARIABLE}`` of the environment.

    Raises
    ------
    InputError
        With the place in the file and what would work.
    """
    return parse_comparison(read_toml(Path(path)), file=Path(path))


def parse_comparison(body: Mapping[str, Any], *, file: Path) -> Comparison:
    """Check the content of a comparison file; `file` is named in errors and anchors relative paths."""
    top = Section(body, "the file", file, ("title", "seeds", "data", "experiment"))
    data = {name: _data(name, entry, file) for name, entry in top.tables("data").items()}
    if not data:
        top.fail("it names no data", "Add a section such as [data.shop] with path or generate.")
    seeds = top.seeds(SEEDS)
    experiments = tuple(_experiment(name, entry, file, data, seeds) for name, entry in top.tables("experiment").items())
    if not experiments:
        top.fail("it describes no experiment", "Add a section such as [experiment.utility].")
    return Comparison(title=top.text("title", file.stem), data=data, experiments=experiments)


def _data(name: str, entry: Any, file: Path) -> DataSpec:
    allowed = ("title", "kind", "path", "generate", "sensitive", "read", "taxonomy")
    section = Section(entry, f"[data.{name}]", file, allowed)
    path, generate = section.text("path", None), section.text("generate", None)
    if (path is None) == (generate is None):
        section.fail("give exactly one of path and generate")
    kind = section.text("kind", USUAL_KIND)
    section.known("kind of data", kind, DATA_KINDS)
    return DataSpec(
        name=name,
        title=section.text("title", name),
        kind=kind,
        path=None if path is None else section.path(path),
        generate=generate,
        sensitive=section.sensitive(),
        read={
            key: section.expanded(value) if isinstance(value, str) else value
            for key, value in section.table("read").items()
        },
        taxonomy=section.taxonomy(generate),
    )


def _experiment(name: str, entry: Any, file: Path, data: Mapping[str, DataSpec], seeds: tuple[int, ...]) -> Experiment:
    allowed = tuple(Experiment.__slots__)
    section = Section(entry, f"[experiment.{name}]", file, allowed)
    vary = section.vary()
    used = section.texts("data", tuple(data))
    for one in used:
        section.known("data set", one, data)
    methods, guarantee = section.texts("methods", ()), section.text("guarantee", None)
    metrics, picture = section.texts("metrics", ()), section.text("picture", None)
    baseline = section.text("baseline", None)
    if (picture is None) == (not metrics):
        section.fail("give exactly one of metrics and picture", f"Pictures: {', '.join(PICTURES)}.")
    if picture is not None:
        section.known("picture", picture, PICTURES)
    if bool(methods) != (guarantee is not None):
        section.fail("methods and guarantee go together: give both, or neither to measure the data")
    names = tuple(dict.fromkeys(entry.name for entry in registered()))
    for name_of in (text.partition("(")[0].strip() for text in methods):
        if not _VARIABLE.search(name_of):
            section.known("method", name_of, names)
    if baseline is not None:
        section.known("method", baseline, methods)
    sensitive = section.sensitive()
    marks = sensitive.values() if isinstance(sensitive, Mapping) else [sensitive]
    written = [guarantee, *marks, *(data[one].generate for one in used)]
    for text in (*methods, *metrics, *(one for one in written if isinstance(one, str))):
        for variable in _VARIABLE.findall(text):
            section.known("variable", variable, vary)
    return Experiment(
        name=name,
        title=section.text("title", name),
        data=used,
        methods=methods,
        guarantee=guarantee,
        sensitive=sensitive,
        metrics=metrics,
        vary=vary,
        seeds=section.seeds(seeds),
        baseline=baseline,
        picture=picture,
        plot=None if picture else _plot(name, section.table("plot"), file, vary, methods),
    )


def _plot(
    name: str,
    entry: Mapping[str, Any],
    file: Path,
    vary: Mapping[str, tuple[Value, ...]],
    methods: tuple[str, ...],
) -> PlotSpec | None:
    section = Section(entry, f"[experiment.{name}.plot]", file, tuple(PlotSpec.__slots__))
    columns = ("data", "method", *vary)
    several = [variable for variable, values in vary.items() if len(values) > 1]
    x = section.text("x", several[0] if several else None)
    if x is None:
        return None
    panels = section.text("panels", "data" if x != "data" else "metric")
    rest = tuple(c for c in ("method", *several) if c not in (x, panels) and (c != "method" or methods))
    lines = section.texts("lines", rest)
    for column in (x, *lines, *(() if panels == "metric" else (panels,))):
        section.known("column", column, columns)
    scales = {axis: section.text(axis, "linear") for axis in ("xscale", "yscale")}
    for scale in scales.values():
        section.known("scale", scale, AXES)
    return PlotSpec(x=x, lines=lines, panels=panels, **scales)


def substitute(value: Any, variables: Mapping[str, Value]) -> Any:
    """Replace ``{name}`` by its value in all strings of `value`; a string that is only that becomes it.

    Examples
    --------
    >>> substitute({"random": "{m}", "note": "p = {p}"}, {"m": 10, "p": 4})
    {'random': 10, 'note': 'p = 4'}
    """
    if isinstance(value, Mapping):
        return {key: substitute(part, variables) for key, part in value.items()}
    if not isinstance(value, str):
        return value
    whole = _VARIABLE.fullmatch(value)
    if whole:
        return variables[whole.group(1)]
    return _VARIABLE.sub(lambda found: str(variables[found.group(1)]), value)


class Section:
    """One table of the file, with reading that complains in place."""

    def __init__(self, entry: Any, place: str, file: Path, allowed: tuple[str, ...]) -> None:
        self.place, self.file = place, file
        if not isinstance(entry, Mapping):
            self.fail(f"it must be a table, not {entry!r}")
        self.entry: Mapping[str, Any] = entry
        for key in entry:
            if key not in allowed or key == "name":
                keys = ", ".join(a for a in allowed if a != "name")
                self.fail(f"there is no key '{key}'", f"{did_you_mean(key, allowed)} Keys: {keys}.".strip())

    def fail(self, problem: str, remedy: str = "") -> None:
        """Raise an error that names this place."""
        raise InputError(f"{self.place}: {problem}", file=self.file, remedy=remedy)

    def known(self, what: str, word: str, words: Any) -> None:
        """Fail unless a word is one of those that are known."""
        if word not in words:
            listed = ", ".join(map(str, words)) or "none"
            self.fail(f"there is no {what} '{word}'", f"{did_you_mean(word, words)} Known: {listed}.".strip())

    def text(self, key: str, default: Any) -> Any:
        """A text that is not empty, or the default."""
        value = self.entry.get(key, default)
        if key in self.entry and not (isinstance(value, str) and value):
            self.fail(f"'{key}' must be a text, not {value!r}")
        return value

    def texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Texts, each once; one alone needs no list."""
        value = self.entry.get(key, list(default))
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
            self.fail(f"'{key}' must be a list of texts, not {value!r}")
        if len(set(listed)) < len(listed):
            self.fail(f"'{key}' lists an entry twice")
        return tuple(listed)

    def table(self, key: str) -> dict[str, Any]:
        """A table below this one; empty if it is not there."""
        value = self.entry.get(key, {})
        if not isinstance(value, Mapping):
            self.fail(f"'{key}' must be a table, not {value!r}")
        return dict(value)

    def tables(self, key: str) -> Mapping[str, Any]:
        """Tables below this one, by plain names."""
        value = self.table(key)
        for name in value:
            if not _NAME.match(name):
                self.fail(f"the name {name!r} of [{key}.…] may hold letters, digits, '.', '_' and '-' only")
        return value

    def path(self, text: str) -> str:
        """A path relative to the file."""
        return str((self.file.parent / self.expanded(text)).resolve())

    def expanded(self, text: str) -> str:
        """A text with the variables of the environment put in."""

        def environment(found: re.Match[str]) -> str:
            name = found.group(1)
            if name not in os.environ:
                self.fail(f"the environment variable {name} is not set", f"Set {name} to where the data is.")
            return os.environ[name]

        return re.sub(r"\$\{(\w+)\}", environment, text)

    def seeds(self, default: tuple[int, ...]) -> tuple[int, ...]:
        """Seeds: a list, or how many."""
        value = self.entry.get("seeds", list(default))
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            value = list(range(1, value + 1))
        good = isinstance(value, list) and value and all(type(one) is int and one >= 0 for one in value)
        if not good or len(set(value)) < len(value):
            self.fail(f"'seeds' must be a number of runs or a list of distinct seeds >= 0, not {value!r}")
        return tuple(value)

    def vary(self) -> Mapping[str, tuple[Value, ...]]:
        """Variables and their values."""
        varied: dict[str, tuple[Value, ...]] = {}
        for key, value in self.table("vary").items():
            values = value if isinstance(value, list) else [value]
            if not values or not all(isinstance(one, int | float | str) for one in values):
                self.fail(f"'vary.{key}' must be a value or a list of values, not {value!r}")
            if key in _RESERVED or not key.isidentifier():
                self.fail(f"'{key}' cannot be the name of a variable", "Choose another word.")
            varied[key] = tuple(values)
        return varied

    def sensitive(self) -> Any:
        """What is sensitive: names, a file, or a draw."""
        value = self.entry.get("sensitive")
        if isinstance(value, Mapping):
            keys = ("random", "seed", "share", "least")
            inner = Section(value, f"{self.place} sensitive", self.file, keys)
            for key, part in value.items():
                wanted = int | float if key == "share" else int
                variable = isinstance(part, str) and _VARIABLE.fullmatch(part)
                if isinstance(part, bool) or not (isinstance(part, wanted) or variable):
                    inner.fail(f"'{key}' must be a number or a variable such as \"{{m}}\", not {part!r}")
            if "random" not in value:
                inner.fail("the key 'random' is missing", "Write {random = 10} to draw ten items.")
            return dict(value)
        if value is None or isinstance(value, str):
            return self.path(value) if value and value.endswith((".txt", ".csv")) else value
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.fail(f"'sensitive' must be a list of items, a file, or {{random = m}}, not {value!r}")
        return list(value)

    def taxonomy(self, generate: str | None) -> Any:
        """Where the taxonomy comes from."""
        value = self.entry.get("taxonomy")
        if value == OWN:
            if not brings_taxonomy(generate):
                bring = " and ".join(f"{name}(…)" for name in GENERATORS if brings_taxonomy(name))
                self.fail("this data has no taxonomy of its own", f"Give a file; only {bring} have one.")
            return OWN
        if isinstance(value, Mapping):
            inner = Section(value, f"{self.place} taxonomy", self.file, TAXONOMY_KEYS)
            given = {key: inner.text(key, None) for key in value}
            if "path" not in given:
                inner.fail("the key 'path' is missing", "Name the file of the taxonomy.")
            inner.known("value of second_parent", given.get("second_parent", "error"), ("error", "first"))
            return {**given, "path": self.path(given["path"])}
        text = self.text("taxonomy", None)
        return None if text is None else {"path": self.path(text)}
