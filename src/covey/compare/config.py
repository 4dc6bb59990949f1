"""The TOML file that describes a comparison: which data, which methods, what varies, what is measured.

Every entry is checked before anything runs: unknown keys, unknown names and variables that nothing defines
are errors that name the place and what would work.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from covey.compare.generators import GENERATORS, brings_taxonomy
from covey.compare.toml import Section, read_toml
from covey.data.kinds import DATA_KINDS, USUAL_KIND
from covey.registry import methods as registered

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
    """Where one data set comes from.

    Attributes
    ----------
    name, title : str
        How the file refers to it, and how plots call it.
    kind : str
        Kind of data, as in `covey.data.kinds`.
    path : str or None
        The file, absolute; None when it is generated, or held in memory by whoever runs the jobs.
    generate : str or None
        A generator call such as ``quest(transactions=1000, seed=1)``; experiments may vary what is in it.
    sensitive : object
        A list of items, a file, a table ``{random = m}``, or None.
    read : mapping
        Reading options of the kind.
    taxonomy : object
        Of methods and metrics that take one: a table with the absolute ``path`` and further arguments of
        `covey.read_taxonomy`, the word ``own`` for data that bring theirs, or None.
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
    """What a plot shows: `x` a variable, one picture per metric, a panel per value of `panels`.

    Attributes
    ----------
    x : str
        The variable on the horizontal axis, or ``data``.
    lines : tuple of str
        Whatever distinguishes the lines in a panel.
    panels : str
        Whatever distinguishes the panels.
    xscale, yscale : {"linear", "log"}
        The axes.
    """

    x: str
    lines: tuple[str, ...]
    panels: str
    xscale: str = "linear"
    yscale: str = "linear"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One grid. Strings may refer to varied variables as ``{p}``.

    Attributes
    ----------
    name, title : str
        For files and for people.
    data : tuple of str
        Names of data sets.
    methods : tuple of str
        Methods as text; empty to measure the data themselves.
    guarantee : str or None
        The guarantee, as text.
    sensitive : object
        Overrides the sensitive items of the data sets.
    metrics : tuple of str
        What to measure, as text such as ``kl(r={r})``.
    vary : mapping
        Variables and the values each takes.
    seeds : tuple of int
        One run per seed.
    baseline : str or None
        The method to which ratios are taken.
    picture : str or None
        ``band`` draws band matrices instead of measuring.
    plot : PlotSpec or None
        None when there is nothing to draw against.
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
    top = Part(body, "the file", file, ("title", "seeds", "data", "experiment"))
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
    section = Part(entry, f"[data.{name}]", file, allowed)
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
    section = Part(entry, f"[experiment.{name}]", file, allowed)
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
    section = Part(entry, f"[experiment.{name}.plot]", file, tuple(PlotSpec.__slots__))
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


class Part(Section):
    """One table of a comparison file."""

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
            inner = Part(value, f"{self.place} sensitive", self.file, keys)
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
            inner = Part(value, f"{self.place} taxonomy", self.file, TAXONOMY_KEYS)
            given = {key: inner.text(key, None) for key in value}
            if "path" not in given:
                inner.fail("the key 'path' is missing", "Name the file of the taxonomy.")
            inner.known("value of second_parent", given.get("second_parent", "error"), ("error", "first"))
            return {**given, "path": self.path(given["path"])}
        text = self.text("taxonomy", None)
        return None if text is None else {"path": self.path(text)}
