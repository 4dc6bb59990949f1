"""What was found out, as small objects: plain figures inside, a frame, a table in a notebook, and a plot."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any, ClassVar

from covey.counting import percent
from covey.data.kinds import data_kind
from covey.measure.attacks.result import TITLES, AttackResult, bar_of
from covey.measure.attacks.result import percent as percent_of_guesses
from covey.report import charts
from covey.report.measures import measure_rows
from covey.tabular import Tabular


class Result(Tabular, Mapping[str, Any]):
    """Figures by name, exactly those that ``--json`` prints, with a table of what matters most."""

    def __init__(self, figures: Mapping[str, Any]) -> None:
        self._figures = dict(figures)

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain data."""
        return dict(self._figures)

    @abstractmethod
    def plot(self) -> Any:
        """A matplotlib figure of it."""

    def notes(self) -> list[str]:
        """What is to be known of the figures, in sentences below the table."""
        return [self["approximate"]] if "approximate" in self else []

    def cell(self, value: Any) -> str:
        """A value of the table for people."""
        return percent(value) if isinstance(value, float) else str(value)

    def _repr_html_(self) -> str:
        return super()._repr_html_() + "".join(f"<p>{escape(note)}</p>" for note in self.notes())

    def __repr__(self) -> str:
        table = [self.heads, *([self.cell(value) for value in row] for row in self.rows())]
        first, *widths = (max(map(len, column)) for column in zip(*table, strict=True))
        lines = ["  ".join([name.ljust(first), *map(str.rjust, cells, widths)]) for name, *cells in table]
        return "\n".join([self.title, *(f"  {line}" for line in lines), *self.notes()])


class Inspection(Result):
    """Shape of data, and the risk of being found by a few known things; from `covey.inspect`."""

    heads = ("known", "risk", "low", "high", "unique")

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        kind = data_kind(self["kind"])
        whom = "a person, by how many of their" if "persons" in self else f"someone's {kind.row}, by how many of its"
        return f"Chance of finding {whom} {kind.things} are known"

    def rows(self) -> list[tuple[Any, ...]]:
        """The risk for each number of known things."""
        return [tuple(risk[name] for name in self.heads) for risk in self["risk"] if risk["eligible"]]

    def plot(self) -> Any:
        """The risk by number of known things, as bars with 95 % intervals."""
        return charts.risk(self["risk"], data_kind(self["kind"]).things, title="Re-identification risk")


class Evaluation(Result):
    """What a release is still good for, measured against its original; from `covey.evaluate`."""

    heads = ("measure", "value")

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        return f"{self['guarantee']} by {self['method']}"

    def rows(self) -> list[tuple[Any, ...]]:
        """What was measured and how it came out, in words."""
        return list(measure_rows(self._figures))

    def frame_rows(self) -> list[tuple[Any, ...]]:
        """Every number that was measured, by its names in `to_dict`, such as ``kl.uniform.mean``."""
        return list(_leaves("", self._figures))

    def plot(self) -> Any:
        """Bars of the main figures: losses and errors, 0 being none."""
        return charts.shares(_numbers(self._figures), x_label="0 is none", share=False, title=self.title)


class Attacks(Result):
    """What adversaries achieve against a release with a guarantee; from `covey.attack`."""

    heads = ("attack", "right", "interval", "chance", "claimed", "baseline", "lift", "guesses")
    frame_heads: ClassVar = ("attack", "right", "low", "high", "chance", "claimed", "baseline", "lift", "guesses")

    def __init__(self, guarantee: str, results: list[AttackResult]) -> None:
        super().__init__({"guarantee": guarantee, "attacks": [result.to_dict() for result in results]})
        self.results = results

    @property
    def title(self) -> str:
        """What it is about, in a few words."""
        return f"{self['guarantee']}: how often each attack is right"

    def rows(self) -> list[tuple[Any, ...]]:
        """One row per attack, as `covey attack` prints it; empty where nothing is claimed or known."""
        rows = []
        for name, right, low, high, *shares, lift, guesses in self.frame_rows():
            interval = f"{100 * low:.1f}–{100 * high:.1f} %"
            shown = ("" if share is None else percent_of_guesses(share) for share in shares)
            ratio = "" if lift is None else f"{lift:.2f}"
            rows.append((name, percent_of_guesses(right), interval, *shown, ratio, f"{guesses:,}"))
        return rows

    def frame_rows(self) -> list[tuple[Any, ...]]:
        """One row per attack, in numbers; None where nothing is claimed or known."""
        return [
            (
                *(one.attack, one.success_rate, one.low, one.high, one.chance, one.claim, one.baseline),
                *(one.lift if bar_of(one.claim, one.baseline) else None, one.targets),
            )
            for one in self.results
        ]

    def plot(self) -> Any:
        """How often each attack is right, beside what is claimed and what is known without the release."""
        return charts.attacks(self["attacks"], TITLES, title=self.title)


def _leaves(name: str, value: Any) -> Iterator[tuple[str, float]]:
    """The numbers inside `value`, each with the names that lead to it.

    Examples
    --------
    >>> list(_leaves("", {"method": "cahd", "groups": 3, "risk": [{"known": 1, "after": 0.5}]}))
    [('groups', 3.0), ('risk.0.known', 1.0), ('risk.0.after', 0.5)]
    """
    if isinstance(value, Mapping | list | tuple):
        inside = value.items() if isinstance(value, Mapping) else enumerate(value)
        for part, found in inside:
            yield from _leaves(f"{name}.{part}".lstrip("."), found)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield name, float(value)


def _numbers(figures: Mapping[str, Any]) -> dict[str, float]:
    """The figures that are numbers and not sizes, those inside others by both names.

    Examples
    --------
    >>> _numbers({"kind": "grouped", "groups": 3, "kl": {"uniform": {"mean": 0.5, "r": 4}}, "exposure": []})
    {'kl uniform': 0.5}
    """
    found = {name: value for name, value in figures.items() if isinstance(value, float)}
    for name in ("kl", "ncp"):
        for part, value in (figures.get(name) or {}).items():
            found[f"{name} {part}"] = float(value["mean"] if isinstance(value, Mapping) else value)
    return found
