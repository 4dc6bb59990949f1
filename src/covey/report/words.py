"""What each guarantee means, in words for people who do not read papers."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from covey.errors import CoveyError
from covey.guarantees import guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """A guarantee in plain words.

    Attributes
    ----------
    short : str
        One sentence.
    meaning : tuple of str
        What it means for somebody in the data; paragraphs.
    limits : tuple of str
        What it does not promise; points of a list.
    ceiling : float or None
        The highest probability of a harmful conclusion that it allows, where it names one.
    """

    short: str
    meaning: tuple[str, ...]
    limits: tuple[str, ...]
    ceiling: float | None = None


def _degree(p: int) -> Promise:
    return Promise(
        short=f"At most 1 in {p} of the people who could be meant holds any given sensitive item.",
        meaning=(
            f"Transactions are published in groups. What people did with ordinary items is exact; sensitive "
            "items are only counted per group, and in each group of size g every sensitive item occurs at "
            "most "
            f"g / {p} times.",
            f"So whoever recognises a person by ordinary items, even by all of them, learns which group the "
            f"person is in, and that at most one in {p} of that group holds a given sensitive item.",
        ),
        limits=(
            "It does not hide who is in the data, nor their ordinary items: those are published as they are.",
            "It counts every member of a group as equally likely to hold the sensitive item. An attacker who "
            "knows how groups were formed can do better than that; the attacks below measure by how much.",
            "It says nothing about an attacker who already knows the sensitive items of other members.",
            "It covers the items that were named as sensitive, and no others.",
        ),
        ceiling=1.0 / p,
    )


def _k_anonymity(k: int) -> Promise:
    return Promise(
        short=f"Every published row is identical to at least {k - 1} others.",
        meaning=(
            f"Whatever somebody knows about a person, the rows that fit are always at least {k}: nobody can "
            "be "
            f"picked out with a probability above 1 in {k}.",
        ),
        limits=(
            "All rows that look alike may share a property; then it is learnt without picking anybody out.",
            "Whoever knows something about the other members of a group can narrow it down.",
        ),
        ceiling=1.0 / k,
    )


UNCHANGED = "Sensitive and other columns are published unchanged: whoever knows them may find the row."


def _k_anonymity_of_tables(k: int) -> Promise:
    return Promise(
        short=f"Every published row is like at least {k - 1} others in everything that could identify somebody.",
        meaning=(
            "The quasi-identifiers, the columns that somebody outside might know, are published as ranges and "
            f"broader groups. Whoever knows all of them of a person finds at least {k} rows that fit: nobody can be "
            f"picked out with a probability above 1 in {k}.",
        ),
        limits=(
            UNCHANGED,
            "All rows that look alike may share a sensitive value; then it is learnt without picking anybody out. "
            "l-diversity covers that.",
            "Whoever knows something about the other members of a class can narrow it down.",
        ),
        ceiling=1.0 / k,
    )


def _l_diversity(l: int, k: int = 2, kind: str = "distinct") -> Promise:  # noqa: E741
    spread = (
        f"at least {l} different values" if kind == "distinct" else f"no value in more than 1 in {l} of them"
    )
    return Promise(
        short=f"Every published row looks like at least {k - 1} others, which differ in what is sensitive.",
        meaning=(
            f"Whoever knows all quasi-identifiers of a person finds at least {k} rows that fit, and each "
            f"sensitive column has {spread} "
            "among them. So finding the rows that fit does not give the sensitive value away.",
        ),
        limits=(
            UNCHANGED,
            "Different values may mean much the same, or one of them may be far likelier than the others.",
            "Whoever knows the sensitive values of other people in a class can narrow it down.",
        ),
        ceiling=1.0 / k,
    )


def _km_anonymity(k: int, m: float) -> Promise:
    known = "any number of" if m == float("inf") else f"up to {int(m)}"
    return Promise(
        short=f"Whoever knows {known} published items of a person finds at least {k} rows that fit.",
        meaning=(
            f"Every combination of {known} published labels that occurs at all occurs in at least {k} rows. "
            "Items "
            "were replaced by broader ones, or left out, until this held.",
        ),
        limits=(
            f"It does not cover an attacker who knows more than that ({known} items).",
            "It does not cover knowing that a person does not have an item.",
            f"All {k} rows may share another property, which is then learnt.",
        ),
        ceiling=1.0 / k,
    )


def _coherence(h: float, k: int, p: float) -> Promise:
    known = "any number of" if p == float("inf") else f"up to {int(p)}"
    return Promise(
        short=f"Whoever knows {known} public items finds at least {k} rows, of which at most {h:.0%} share a "
        "private item.",
        meaning=(
            f"Every combination of {known} public items that occurs is in at least {k} rows, and no private "
            "item "
            f"is in more than {h:.0%} of them. Public items were left out until this held.",
        ),
        limits=(
            f"It does not cover an attacker who knows more than that ({known} items).",
            "It does not cover knowing that a person does not have an item.",
        ),
        ceiling=max(h, 1.0 / k) if h < 1 else 1.0 / k,
    )


def _k_eps_l(k: int, epsilon: float, l: float | None = None, nulls: str = "zero") -> Promise:  # noqa: E741
    alike = (
        f"For each person at least {k - 1} others rated the same ordinary issues, each within "
        f"{epsilon:g} of the person's rating"
    )
    limits = [
        "It does not hide which ordinary issues a person rated, nor the ratings themselves: what was not left "
        "out is published as it was.",
        "Companies overlap; whoever knows several members can narrow them down.",
    ]
    if l is None:
        limits.insert(0, "All of the company may agree on what is sensitive; then it is learnt all the same.")
        return Promise(
            short=f"Every person's ratings are close to those of at least {k - 1} others.",
            meaning=(f"{alike}.",),
            limits=tuple(limits),
            ceiling=1.0 / k,
        )
    limits.insert(0, "A spread can come from few people: most of the company may still agree.")
    if nulls == "zero":
        limits.insert(1, "Members who did not rate a sensitive issue count as if they differed on it.")
    return Promise(
        short=f"Every person's ratings are close to those of at least {k - 1} others, who disagree on what is "
        "sensitive.",
        meaning=(
            f"{alike}, and within that company the ratings of each sensitive issue spread by a standard "
            f"deviation of at least {l:g}.",
        ),
        limits=tuple(limits),
        ceiling=1.0 / k,
    )


WORDS: Mapping[str, Callable[..., Promise]] = {
    "degree": _degree,
    "k-anonymity": _k_anonymity,
    "l-diversity": _l_diversity,
    "km-anonymity": _km_anonymity,
    "coherence": _coherence,
    "k-eps-l": _k_eps_l,
}

#: Where tables have words of their own.
TABLE_WORDS: Mapping[str, Callable[..., Promise]] = {"k-anonymity": _k_anonymity_of_tables}


def promise_of(text: str, kind: str = "") -> Promise:
    """The plain words for a guarantee given as text, and the kind of release.

    Examples
    --------
    >>> promise_of("degree(p=10)").short
    'At most 1 in 10 of the people who could be meant holds any given sensitive item.'
    """
    try:
        parsed = guarantee(text)
        values = {field.name: getattr(parsed, field.name) for field in dataclasses.fields(parsed)}
        words = {**WORDS, **TABLE_WORDS} if kind == "table" else WORDS
        return words[parsed.name](**values)
    except (CoveyError, KeyError, TypeError):
        return Promise(short=f"The release keeps {text}.", meaning=(), limits=())
