"""Patterns that stand for many labels: ``glob:*TEST*``, ``re:^(beer|wine)``, ``under:Family planning``.

Regular expressions are those of RE2, which Arrow brings along: their time grows with the length of the text alone, so
that nobody can stop a server with one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from covey.errors import InputError
from covey.parameters import did_you_mean

GLOB, REGULAR, UNDER = "glob:", "re:", "under:"
#: What every pattern begins with.
PREFIXES = (GLOB, REGULAR, UNDER)


def is_pattern(text: str) -> bool:
    """Whether a text stands for all labels that fit it, rather than for one.

    Examples
    --------
    >>> is_pattern("glob:*test*"), is_pattern("pregnancy test")
    (True, False)
    """
    return text.startswith(PREFIXES)


def fitting(pattern: str, labels: Sequence[str], taxonomy: Any = None) -> list[str]:
    """The labels that fit a pattern, in their order.

    Parameters
    ----------
    pattern : str
        ``glob:`` with ``*``, ``?`` and ``[abc]`` for the whole label, whatever its case; ``re:`` with an expression
        that occurs anywhere in it; ``under:`` with a node of the taxonomy.
    labels : sequence of str
        What there is.
    taxonomy : Taxonomy or None
        For ``under:``.

    Examples
    --------
    >>> fitting("glob:*test*", ["Pregnancy TEST", "wine"]), fitting("re:^[w-z]", ["Pregnancy TEST", "wine"])
    (['Pregnancy TEST'], ['wine'])
    """
    if pattern.startswith(UNDER):
        return _under(pattern.removeprefix(UNDER).strip(), labels, taxonomy)
    text = pattern.removeprefix(GLOB) if pattern.startswith(GLOB) else pattern.removeprefix(REGULAR)
    if not text.strip():
        raise InputError(f"there is nothing after {pattern!r}", remedy="Write a pattern, such as glob:*test*.")
    expression = _of_glob(text) if pattern.startswith(GLOB) else text
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        fits = pc.match_substring_regex(pa.array(labels, pa.large_string()), expression)
    except (pa.ArrowInvalid, UnicodeEncodeError) as error:
        reason = str(error).removeprefix("Invalid regular expression: ").splitlines()[0]
        raise InputError(
            f"{pattern!r} is not a valid regular expression ({reason})",
            remedy="Correct it, or use glob: with * for anything and ? for one character.",
        ) from None
    return [label for label, fit in zip(labels, fits.to_pylist(), strict=True) if fit]


def as_pattern(text: str) -> str:
    r"""The pattern for labels that hold a text, whatever its case; a pattern stays as it is.

    Examples
    --------
    >>> as_pattern("test"), as_pattern("2 [x]"), as_pattern("re:^a")
    ('glob:*test*', 're:(?i)2\\ \\[x\\]', 're:^a')
    """
    if is_pattern(text):
        return text
    return f"{REGULAR}(?i){re.escape(text)}" if set("*?[") & set(text) else f"{GLOB}*{text}*"


def searched(text: str, labels: Sequence[str], taxonomy: Any = None) -> list[str]:
    """The labels that fit a pattern or, where `text` is none, hold it whatever its case; all for nothing.

    Examples
    --------
    >>> searched("TEST", ["Pregnancy test", "wine"])
    ['Pregnancy test']
    """
    if not text:
        return list(labels)
    return fitting(as_pattern(text), labels, taxonomy)


def nearest(pattern: str, labels: Collection[str]) -> str:
    """A sentence with the labels nearest to what a pattern or text is about; empty for nodes, which have no items."""
    if pattern.startswith(UNDER):
        return ""
    words = re.sub(r"[^\w\s]+", " ", pattern.partition(":")[2] if is_pattern(pattern) else pattern).split()
    for word in sorted(words, key=len, reverse=True):
        inside = [label for label in labels if word.casefold() in label.casefold()][:3]
        if inside:
            return f"Did you mean {' or '.join(map(repr, inside))}?"
    by_word = {part.casefold(): label for label in labels for part in (label, *label.split())}
    for word in words:
        near = did_you_mean(word.casefold(), by_word).strip()
        if near:
            return re.sub(r"'[^']*'", lambda found: repr(by_word.get(found[0][1:-1], found[0][1:-1])), near)
    return ""


def _under(node: str, labels: Sequence[str], taxonomy: Any) -> list[str]:
    """The labels at or below a node of the taxonomy."""
    if taxonomy is None:
        raise InputError(
            f"'{UNDER}{node}' names a node of a taxonomy, and there is none", remedy="Give one with --taxonomy."
        )
    top = taxonomy.node(node)
    below = set(taxonomy.labels[top : int(taxonomy.last[top]) + 1])
    return [label for label in labels if label in below]


def _of_glob(text: str) -> str:
    r"""The expression that means the same as a glob.

    Examples
    --------
    >>> _of_glob("a*[!b]?.")
    '(?is)^a.*[^b].\\.$'
    """
    parts = re.split(r"(\*|\?|\[[^\]]+\])", text)
    made = [
        ".*" if part == "*" else "." if part == "?" else _set(part) if part[:1] == "[" and part[1:] else re.escape(part)
        for part in parts
    ]
    return f"(?is)^{''.join(made)}$"


def _set(text: str) -> str:
    inside = text[1:-1].replace("\\", r"\\").replace("[", r"\[")
    return f"[^{inside[1:]}]" if inside[0] == "!" and inside[1:] else f"[{inside}]"
