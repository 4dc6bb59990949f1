"""Conditions on rows: ``Quantity > 0 and not (Country = 'Germany' or Description is missing)``.

A small language of its own, so that nothing that is typed here can do more than compare cells.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from covey.arrays import Mask
from covey.errors import InputError, ParameterError
from covey.io.patterns import GLOB, fitting

#: Gives the values of a column: which of the distinct texts stands in each row, and these; None where one is missing.
Columns = Callable[[str], tuple[Any, Sequence[str | None]]]
Condition = Callable[[Columns], Mask]

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
    | (?P<text>'(?:[^']|'')*'|"(?:[^"]|"")*")
    | `(?P<column>[^`]+)`
    | (?P<sign><=|>=|<>|!=|==|=|<|>|\(|\)|,)
    | (?P<word>[^\W\d]\w*(?:\.\w+)*)
    )""",
    re.VERBOSE,
)
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
_ALIASES = {"==": "=", "<>": "!="}
_WORDS = ("and", "or", "not", "in", "is", "missing", "like")
#: Parentheses inside each other; more are no condition that anybody meant.
_DEEPEST = 50


@dataclass(frozen=True, slots=True)
class _Token:
    sort: str
    value: str
    at: int


def condition(text: str) -> Condition:
    """Understand a condition, or say where it goes wrong.

    Comparisons are ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in (…)``, ``like 'a*'`` and ``is missing``, joined by
    ``and``, ``or``, ``not`` and parentheses. Texts stand in quotes, columns with blanks in backquotes. A column is
    compared with a number as numbers, with a text as texts, so that dates as 2011-12-09 are in their order. A missing
    cell fulfils no comparison but ``is missing``.

    Examples
    --------
    >>> rows = {"Quantity": ([0, 1, 2], ["2", "-1", None])}
    >>> condition("Quantity > 0")(lambda name: rows[name]).tolist()
    [True, False, False]
    """
    return _Parser(text).parse()


class _Parser:
    """A parser by recursive descent; each method understands one level and returns a function of the columns."""

    def __init__(self, text: str) -> None:
        self.text, self.depth, self.next = text, 0, 0
        self.tokens: list[_Token] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                at += len(text[at:]) - len(text[at:].lstrip())
                self.wrong(at, f"{text[at : at + 20]!r} is not understood")
            sort = str(found.lastgroup)
            value, start = found[sort], found.start(sort)
            if sort == "word" and value.lower() in _WORDS:
                sort, value = "key", value.lower()
            self.tokens.append(_Token(sort, _ALIASES.get(value, value), start))
            at = found.end()

    def wrong(self, at: int, problem: str) -> NoReturn:
        raise ParameterError(
            f"The condition {self.text!r} goes wrong at character {at + 1}: {problem}. Write it like "
            "\"Quantity > 0 and Country = 'Germany'\"; put a column with spaces in backquotes."
        )

    def peek(self, *values: str) -> bool:
        here = self.tokens[self.next] if self.next < len(self.tokens) else None
        return here is not None and here.sort in ("key", "sign") and here.value in values

    def take(self, *values: str) -> bool:
        found = self.peek(*values)
        self.next += found
        return found

    def need(self, what: str, *sorts: str) -> _Token:
        if self.next >= len(self.tokens):
            self.wrong(len(self.text), f"{what} is missing")
        token = self.tokens[self.next]
        if token.sort not in sorts:
            self.wrong(token.at, f"{what} is expected instead of {token.value!r}")
        self.next += 1
        return token

    def close(self) -> None:
        if not self.take(")"):
            self.wrong(self.tokens[self.next].at if self.next < len(self.tokens) else len(self.text), "')' is missing")

    def parse(self) -> Condition:
        made = self.either()
        if self.next < len(self.tokens):
            token = self.tokens[self.next]
            self.wrong(token.at, f"'and' or 'or' is expected instead of {token.value!r}")
        return made

    def either(self) -> Condition:
        return self.joined("or", lambda: self.joined("and", self.negated, np.logical_and), np.logical_or)

    def joined(self, word: str, part: Callable[[], Condition], join: np.ufunc) -> Condition:
        parts = [part()]
        while self.take(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else lambda rows: join.reduce([part(rows) for part in parts])

    def negated(self) -> Condition:
        times = 0
        while self.take("not"):
            times += 1
        if self.take("("):
            self.depth += 1
            if self.depth > _DEEPEST:
                self.wrong(self.tokens[self.next - 1].at, "there are too many parentheses inside each other")
            inner = self.either()
            self.close()
            self.depth -= 1
        else:
            inner = self.comparison()
        return inner if times % 2 == 0 else lambda rows: ~inner(rows)

    def comparison(self) -> Condition:
        column = self.need("a column", "word", "column").value
        if self.take("is"):
            there = self.take("not")
            if not self.take("missing"):
                self.wrong(self.tokens[self.next - 1].at, "'is' is followed by 'missing' or 'not missing'")
            return lambda rows: _holds(rows, column, lambda value: (value is None) != there)
        if self.take("like"):
            pattern = _unquoted(self.need("a text such as 'a*'", "text").value)
            return lambda rows: _like(rows, column, pattern)
        outside = self.take("not")
        if self.take("in"):
            if not self.take("("):
                self.wrong(self.tokens[self.next - 1].at, "'in' is followed by values in parentheses")
            values = [self.value()]
            while self.take(","):
                values.append(self.value())
            self.close()
            tests = [_test("=", value) for value in values]
            return lambda rows: _holds(
                rows, column, lambda cell: cell is not None and any(t(cell, column) for t in tests) != outside
            )
        if outside or not self.peek(*_COMPARE):
            what = self.tokens[self.next] if self.next < len(self.tokens) else _Token("", "", len(self.text))
            self.wrong(what.at, f"a comparison such as '>' is expected after {column!r}")
        sign = self.tokens[self.next].value
        self.next += 1
        test = _test(sign, self.value())
        return lambda rows: _holds(rows, column, lambda cell: cell is not None and test(cell, column))

    def value(self) -> float | str:
        token = self.need("a number or a text in quotes", "number", "text")
        return float(token.value) if token.sort == "number" else _unquoted(token.value)


def _unquoted(text: str) -> str:
    return text[1:-1].replace(text[0] * 2, text[0])


def _test(sign: str, value: float | str) -> Callable[[str, str], bool]:
    """Whether a cell compares with a value as the sign says."""
    compare = _COMPARE[sign]
    if isinstance(value, str):
        return lambda cell, _: compare(cell, value)
    return lambda cell, column: compare(_number(cell, column), value)


def _number(cell: str, column: str) -> float:
    try:
        number = float(cell)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        raise InputError(
            f"{cell!r} is not a number, and a condition compares the column with one",
            column=column,
            remedy="Say that it means nothing with --missing-marker, or compare with a text in quotes.",
        )
    return number


def _holds(rows: Columns, column: str, test: Callable[[str | None], bool]) -> Mask:
    codes, values = rows(column)
    return np.array([test(value) for value in values] or [False], np.bool_)[codes]


def _like(rows: Columns, column: str, pattern: str) -> Mask:
    codes, values = rows(column)
    fits = set(fitting(GLOB + pattern, [value for value in values if value is not None]))
    return np.array([value in fits for value in values] or [False], np.bool_)[codes]
