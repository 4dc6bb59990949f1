"""What each guarantee means, in words for people who do not read papers.

The words follow from a guarantee and from the kind of release that keeps it, and from nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from covey.counting import counted
from covey.data.kinds import data_kind
from covey.errors import CoveyError
from covey.guarantees import guarantee
from covey.guarantees.coherence import Coherence
from covey.guarantees.degree import Degree
from covey.guarantees.k_anonymity import KAnonymity
from covey.guarantees.k_eps_l import KEpsL
from covey.guarantees.k_km_anonymity import KKmAnonymity
from covey.guarantees.km_anonymity import KmAnonymity
from covey.guarantees.l_diversity import LDiversity
from covey.release.base import Words
from covey.release.kinds import release_kind
from covey.release.manifest import Manifest
from covey.release.persons import counts_persons, data_of


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
        What it does not promise; points of a list.
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


def promise_of(text: str, release: str, *, by_person: bool = False, data: str = "", literal: bool = False) -> Promise:
    """Return the plain words for a guarantee, given as text, that releases of a kind keep, counting persons or rows.

    `data` is the kind of data, where releases of this kind can be made from several. With `literal`, every parameter is
    explained as it is stated, as the documents of a release do; otherwise a spread of 0, which promises nothing, is
    left out.

    Examples
    --------
    >>> promise_of("degree(p=10)", "grouped").short
    'In every group, at most 1 member in 10 has any given sensitive item.'
    """
    try:
        promise, kind = guarantee(text), release_kind(release).words
    except CoveyError:  # what this version does not know, it can still name
        return Promise(short=f"The release keeps {text}.")
    if promise.name not in WORDS:  # a guarantee that was added, and brings no words
        return Promise(short=f"The release keeps {text}.")
    if isinstance(promise, KEpsL) and promise.l == 0 and not literal:
        promise = replace(promise, l=None)
    one_each = kind.row == "person" or data == "records"
    things = {"things": data_kind(data).things} if data == "records" and promise.name == "degree" else {}
    words = WORDS[promise.name](promise, replace(kind, row="person") if by_person or one_each else kind, **things)
    if by_person and not one_each:
        unit = (
            f"It counts persons, each with all of their {kind.row}s. How many persons there are is stated by the "
            "publisher, and can be checked against the original."
        )
        if promise.name == "degree":
            unit += (
                f" How many {kind.row}s hold a sensitive item is stated once for the whole release, and only for items "
                f"of several groups. Where few persons hold it, someone who knows how many {kind.row}s each person has "
                "can still draw conclusions from that number."
            )
    elif one_each:
        unit = "It counts persons: each has one row of attributes and one set with all of their items."
    elif release == "ratings":  # each respondent is a person
        unit = ""
    else:
        unit = (
            f"It counts {kind.row}s: a person with several of them is counted several times, so nothing is promised "
            "about that person."
        )
    return replace(
        words,
        counts=unit,
        limits=(*words.limits, unit) if unit else words.limits,
    )


def promise_in(manifest: Manifest) -> Promise:
    """The plain words for what a manifest promises."""
    return promise_of(
        manifest.guarantee,
        manifest.kind,
        by_person=counts_persons(manifest.facts),
        data=data_of(manifest.facts),
        literal=True,
    )


def _degree(promise: Degree, kind: Words, things: str = "items") -> Promise:
    p, group = promise.p, kind.group
    return Promise(
        short=f"In every {group}, at most 1 member in {p} has any given sensitive item.",
        meaning=(
            f"The {kind.row}s are published in {group}s. Ordinary {things} are exact; sensitive ones are only "
            f"counted, and in a {group} of g {kind.row}s at most g / {p} have any one of them.",
            f"Someone who recognizes a {kind.row}'s ordinary {things}, even all of them, learns which {group} that "
            f"{kind.row} is in, and that at most 1 member in {p} has a given sensitive item.",
        ),
        limits=(
            f"People can still be found: who is in the data, and their ordinary {things}, are not hidden. That "
            f"someone does not have an item is not hidden either: where a {group} does not count it, no member has it.",
            f"It treats every member of a {group} as equally likely to have the item. Someone who knows how {group}s "
            "are made, or what goes with the item, can do better; by how much, the publisher can measure with "
            "`covey attack`.",
            "It says nothing about someone who already knows the sensitive items of other members.",
            f"It covers the {things} that were named as sensitive, and no others.",
        ),
        ceiling=1 / p,
    )


def _k_anonymity(promise: KAnonymity, kind: Words) -> Promise:
    k, row = promise.k, kind.row
    if kind.columns:
        return Promise(
            short=f"Every {row} has the same quasi-identifiers as at least {_others(k)}.",
            meaning=(f"{_classes(k, kind)}. So {_no(row)} is picked out with a chance above 1 in {k}.",),
            limits=(
                UNCHANGED,
                f"All {row}s that look alike may share a sensitive value; then it is learned without picking anybody "
                "out. l-diversity covers that.",
                f"Someone who knows other members of a {kind.group} can narrow it down.",
            ),
            ceiling=1 / k,
        )
    return Promise(
        short=f"Every published {'set' if row == 'person' else row} is identical to at least {_others(k)}.",
        meaning=(
            f"Whatever someone knows about a {row}, at least {k} {row}s fit it, or none: {_no(row)} is picked out with "
            f"a chance above 1 in {k}.",
        ),
        limits=(
            f"All {row}s that look alike may share a property; then it is learned without picking anybody out.",
            f"Someone who knows other members of a {kind.group} can narrow it down.",
        ),
        ceiling=1 / k,
    )


def _others(k: int) -> str:
    return f"{k - 1} {'other' if k == 2 else 'others'}"


def _no(row: str) -> str:
    """None of those that are counted; only where these are persons it is nobody."""
    return "nobody" if row == "person" else f"no {row}"


UNCHANGED = "Sensitive and other columns are published unchanged: someone who knows them may find the row."


def _classes(k: int, kind: Words) -> str:
    """What k-anonymity of quasi-identifiers does, as the beginning of a sentence."""
    return (
        "The quasi-identifiers, the columns that someone outside might know, are published as ranges and broader "
        f"groups. Someone who knows all of them about a {kind.row} finds at least {k} {kind.row}s that fit"
    )


def _l_diversity(promise: LDiversity, kind: Words) -> Promise:
    k, l = max(promise.k, promise.l), promise.l  # noqa: E741 - the paper's name
    spread = f"no value in more than 1 in {l} of them" if promise.by_frequency else f"at least {l} different values"
    return Promise(
        short=f"Every {kind.row} looks like at least {_others(k)} that may differ in what is sensitive.",
        meaning=(
            f"{_classes(k, kind)}, and each sensitive column has {spread} among them. So finding the {kind.row}s that "
            f"fit does not give the {kind.row}'s own value away.",
        ),
        limits=(
            UNCHANGED,
            "Different values may mean much the same thing, or one of them may be far likelier than the others.",
            f"Someone who knows the sensitive values of others in a {kind.group} can narrow it down.",
        ),
        ceiling=1 / k,
    )


def _known(most: float, thing: str) -> str:
    return f"any number of {thing}s" if most == math.inf else f"up to {counted(int(most), thing)}"


def _beyond(most: float) -> tuple[str, ...]:
    """What a limit on what is known leaves open."""
    more = () if most == math.inf else (f"It does not cover someone who knows more than {counted(int(most), 'item')}.",)
    return (*more, "It does not cover someone who knows that a person does not have an item.")


def _km_anonymity(promise: KmAnonymity, kind: Words) -> Promise:
    k, row, known = promise.k, kind.row, _known(promise.m, "published item")
    # Where rows were cut into pieces, nobody finds whole ones.
    found, fit = ("cannot rule out that", "have them") if promise.name in kind.keeps else ("finds", "that fit")
    return Promise(
        short=f"Someone who knows {known} of a {row} {found} at least {k} {row}s {fit}.",
        meaning=(
            kind.keeps.get(
                promise.name,
                f"Every combination of {_known(promise.m, 'published label')} that occurs at all is in at least {k} "
                f"{row}s. Items were replaced by broader ones, or left out, until this held.",
            ),
        ),
        limits=(*_beyond(promise.m), f"All {k} {row}s may share another property, which is then learned."),
        ceiling=1 / k,
        known=promise.m,
    )


def _k_km_anonymity(promise: KKmAnonymity, kind: Words) -> Promise:
    k, row, labels = promise.k, kind.row, _known(promise.m, "published label")
    return Promise(
        short=f"Someone who knows all attributes and {_known(promise.m, 'published item')} of a person finds at least "
        f"{k} {row}s that fit.",
        meaning=(
            f"{_classes(k, kind)}, and every combination of {labels} of items that occurs among them "
            f"is held by at least {k} of them. Attributes were widened, and items replaced by broader ones or left "
            "out, until this held.",
        ),
        limits=(
            *_beyond(promise.m),
            UNCHANGED,
            f"All {k} {row}s may share another property, which is then learned.",
        ),
        ceiling=1 / k,
        known=promise.m,
    )


def _coherence(promise: Coherence, kind: Words) -> Promise:
    k, known, row = promise.k, _known(promise.p, "public item"), kind.row
    most = f"{100 * promise.h:.12g}%"  # never rounded: it would be another promise
    return Promise(
        short=f"Someone who knows {known} finds at least {k} {row}s, of which at most {most} share a private item.",
        meaning=(
            f"Every combination of {known} that occurs is in at least {k} {row}s, and no private item is "
            f"in more than {most} of them. Public items were left out until this held; private ones are published as "
            "they were.",
        ),
        limits=_beyond(promise.p),
        ceiling=1 / k,
        known=promise.p,
    )


def _k_eps_l(promise: KEpsL, kind: Words) -> Promise:
    k, l, row = promise.k, promise.l, kind.row  # noqa: E741 - the paper's name
    close = f"The ratings in every {row} are close to those of at least {_others(k)}"
    alike = (
        f"For every {row} at least {_others(k)} rated the same ordinary issues, each within "
        f"{promise.epsilon:g} of its rating"
    )
    always = (
        "It does not hide which ordinary issues a person rated, nor the ratings: what was not left out is published as "
        "it was, or rounded if a coarser scale was chosen. Someone who knows the exact ratings may find one record.",
        "Neighbourhoods overlap: someone who knows several members can narrow them down.",
    )
    if l is None:
        agree = "Everyone who is close may agree on what is sensitive; then it is learned anyway."
        return Promise(short=f"{close}.", meaning=(f"{alike}.",), limits=(agree, *always), ceiling=1 / k)
    few = "A few people can make up the spread: most of those who are close may still agree."
    absent = "Members who did not rate a sensitive issue count as if they differed on it."
    below = ", where a missing rating counts as one step below the scale (0 on a scale from 1)"
    return Promise(
        short=f"{close}, and they do not all rate what is sensitive alike.",
        meaning=(
            f"{alike}, and among them the ratings of each sensitive issue spread by a standard deviation of at least "
            f"{l:g}{below if promise.nulls == 'zero' else ''}.",
        ),
        limits=(few, *((absent,) if promise.nulls == "zero" else ()), *always),
        ceiling=1 / k,
    )


#: One line per guarantee.
WORDS: Mapping[str, Callable[..., Promise]] = {
    "coherence": _coherence,
    "degree": _degree,
    "k-anonymity": _k_anonymity,
    "k-eps-l": _k_eps_l,
    "k-km-anonymity": _k_km_anonymity,
    "km-anonymity": _km_anonymity,
    "l-diversity": _l_diversity,
}
