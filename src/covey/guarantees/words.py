"""The words for guarantees, from the Markdown file beside each: for README, report, page, command line and docs.

A file has a title and sections; those of ``base.md`` belong to every guarantee. A section such as ``## limits: table``
is only meant where its trait is given: the kind of release, or one that the guarantee has (`Guarantee.traits`). Of
several sections with one name all that are meant count, in order. Words such as ``$row`` are filled in.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from covey.counting import counted, percent
from covey.guarantees.base import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A guarantee in a few words, for who chooses one.

    Attributes
    ----------
    title, choose : str
        What it is called, and when it is the right one.
    knows, usable : str
        What someone outside may know of a person, and what stays usable in the release.
    differ : str
        In what the methods that keep it differ.
    """

    title: str
    choose: str = ""
    knows: str = ""
    usable: str = ""
    differ: str = "in how much of the data they keep"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A guarantee in plain words.

    Attributes
    ----------
    short : str
        One sentence.
    meaning : tuple of str
        What it means for someone in the data; paragraphs.
    limits : tuple of str
        What it does not cover; points of a list.
    ceiling : float or None
        The highest chance of what an attacker is after: of finding a row or, in groups, of naming a holder.
    known : float
        Up to how many known items it holds.
    counts : str
        Whom or what it counts, also the last of the limits; empty where that goes without saying.
    """

    short: str
    meaning: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    ceiling: float | None = None
    known: float = math.inf
    counts: str = ""

    def line(self, labels: Sequence[str]) -> tuple[float, str, int] | None:
        """Return where a chart of chances has a line, what it means, and across how many of its labels it goes.

        Labels are numbers of known items where the guarantee is about so many at most.

        Examples
        --------
        >>> Promise(short="", ceiling=0.2, known=2).line(["1", "2", "3", "4"])
        (0.2, 'promised: 20 % for up to 2 items', 2)
        """
        if self.ceiling is None:
            return None
        if self.known == math.inf:
            return self.ceiling, f"promised: {percent(self.ceiling)}", len(labels)
        reach = sum(not label.isdigit() or int(label) <= self.known for label in labels)
        words = f"promised: {percent(self.ceiling)} for up to {counted(int(self.known), 'item')}"
        return (self.ceiling, words, reach) if reach else None


def sections(guarantee: type[Guarantee]) -> tuple[tuple[str, str, str], ...]:
    """Return the name, the trait ("" for any) and the text of each section; nothing for a guarantee without a file."""
    shared, own = (Path(inspect.getfile(one)).with_suffix(".md") for one in (Guarantee, guarantee))
    return (*_parsed(shared), *_parsed(own)) if own.is_file() else ()


@cache
def _parsed(file: Path) -> tuple[tuple[str, str, str], ...]:
    """Return the sections of one file, the title first."""
    title, *parts = file.read_text(encoding="utf-8").split("\n## ")
    found = [("title", "", title.removeprefix("# "))]
    for part in parts:
        heading, _, text = part.partition("\n")
        name, _, trait = heading.partition(": ")
        found.append((name, trait, text.strip()))
    return tuple(found)


def card(guarantee: type[Guarantee]) -> Card:
    """Return a guarantee in a few words.

    Examples
    --------
    >>> from covey.guarantees.degree import Degree
    >>> card(Degree).title
    'Hide the sensitive items'
    """
    found = {name: _line(text) for name, _, text in sections(guarantee) if name in Card.__slots__}
    return Card(**{"title": guarantee.name, **found})


def promise(guarantee: Guarantee, traits: Collection[str], words: Mapping[str, str]) -> Promise:
    """Return the plain words for a guarantee.

    `traits` is what sections are meant for, such as the kind of release; `words` is filled in besides the parameters.
    """
    meant = {"", *traits, *guarantee.traits()}
    told = {"short": "", "meaning": "", "limits": "", "unit": ""}
    for name, trait, text in sections(type(guarantee)):
        if name in told and trait in meant:
            filled = Template(text).substitute(guarantee.words(), **words)
            told[name] += ("\n" if name == "limits" else " ") + filled
    if not told["short"]:  # a guarantee that was added, and brings no words
        return Promise(short=f"The release keeps {guarantee.text}.")
    limits, unit = told["limits"].split("\n- ")[1:], _line(told["unit"])
    return Promise(
        short=_line(told["short"]),
        meaning=tuple(_line(part) for part in told["meaning"].split("\n\n")),
        limits=tuple(_line(part) for part in [*limits, unit] if part),
        ceiling=guarantee.ceiling,
        known=guarantee.known,
        counts=unit,
    )


def _line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())
