"""The adapter between the corpus and covey: read a file, and return what was read or how it was refused.

Nothing else in the corpus calls covey. Where reading moves to another command, only this module changes.
"""

import hashlib
import io
import re
import resource
import sys
import unicodedata
import warnings
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import covey
from covey.cli.app import run
from covey.errors import CoveyError
from covey.io.trees import read_hierarchy

#: What reading a workbook may allocate.
MOST_MEMORY = 300 << 20
#: Figures with more letters than this are shortened to a digest.
LONGEST = 300


@dataclass(frozen=True)
class Read:
    """The file was read; `figure` holds all that was read, or a digest if that is long."""

    figure: str


@dataclass(frozen=True)
class Refused:
    """The file was refused by an error of covey's own."""

    code: int
    message: str
    remedy: str


@dataclass(frozen=True)
class Crashed:
    """Reading ended in an error that covey did not foresee, which the command line calls a bug in covey."""

    error: str


def outcome(path, kind="baskets", **how):
    """Read a file in this process as data of a kind; ``printed by COMMAND`` is about what a command prints."""
    try:
        with warnings.catch_warnings(), _little_memory(path):
            warnings.simplefilter("ignore")
            if kind.startswith("printed by "):
                return Read(_printed(path, *kind.split()[2:]))
            figure = _FIGURES[kind](path, how)
    except CoveyError as error:
        return Refused(error.exit_code, str(error), getattr(error, "remedy", ""))
    except Exception as error:
        return Crashed(f"{type(error).__name__}: {error}")
    if len(figure) > LONGEST:
        figure = f"{figure[:40]} … {len(figure)} letters, {hashlib.sha256(figure.encode()).hexdigest()[:12]}"
    return Read(figure)


@contextmanager
def _little_memory(path):
    """Limit what a workbook may allocate: its reader is Python, where a failed allocation is a MemoryError."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if path.suffix == ".xlsx":
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MOST_MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _printed(path, command, *options):
    """Which control and direction characters a command prints."""
    printed, argv = io.StringIO(), sys.argv
    sys.argv = ["covey", command, str(path), *options]
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            run()
    finally:
        sys.argv = argv
    found = {letter for letter in printed.getvalue() if unicodedata.category(letter) in ("Cc", "Cf")} - {"\n"}
    return f"prints {' '.join(map(ascii, sorted(found))) or 'no control characters'}"


def _label(text):
    """A label with quotes around it if it holds anything but plain letters, so that blanks at its ends are seen."""
    plain = re.fullmatch(r"[!-~]([ -~]*[!-~])?", text) and not set(text) & set("{}[]',\\")
    return text if plain else ascii(text)


def _sets(baskets):
    return [f"{{{', '.join(map(_label, baskets.basket(row)))}}}" for row in range(baskets.n)]


def _cells(table):
    """The names of the columns, # before those that hold numbers, and the cells of each row."""
    names = [("#" if column.numeric else "") + _label(column.name) for column in table.columns]
    rows = zip(*([column.values[code] for code in column.codes] for column in table.columns), strict=True)
    return " ".join(names), [", ".join(map(_label, row)) for row in rows]


def _baskets(path, how):
    """The transactions as sets; in brackets those of a person, if persons are named. Their order does not count."""
    baskets = covey.read(path, **how)
    if baskets.person is None:
        return " ".join(sorted(_sets(baskets)))
    persons = {}
    for row, person in zip(_sets(baskets), baskets.person.tolist(), strict=True):
        persons.setdefault(person, []).append(row)
    return " ".join(sorted(f"[{' '.join(sorted(own))}]" for own in persons.values()))


def _ratings(path, how):
    ratings = covey.read_ratings(path, **how)
    rows = []
    for row, user in enumerate(ratings.users):
        given = ", ".join(f"{_label(issue)}={rating:g}" for issue, rating in ratings.record(row).items())
        rows.append(f"{_label(user)}{{{given}}}")
    return f"{ratings.scale.text} {' '.join(sorted(rows))}"


def _table(path, how):
    names, rows = _cells(covey.read_table(path, **how))
    return f"{names} | {' / '.join(sorted(rows))}"


def _records(path, how):
    records = covey.read_records(path, **how)
    names, rows = _cells(records.attributes)
    both = zip(rows, _sets(records.baskets), strict=True)
    return f"{names} | {' / '.join(sorted(map(' '.join, both)))}"


def _tree(tree):
    pairs = zip(tree.labels, tree.parent.tolist(), strict=True)
    return " ".join(sorted(f"{_label(label)}<{_label(tree.labels[up])}" for label, up in pairs if up >= 0))


_FIGURES = {
    "baskets": _baskets,
    "ratings": _ratings,
    "table": _table,
    "records": _records,
    "taxonomy": lambda path, how: _tree(covey.read_taxonomy(path, **how)),
    "hierarchy": lambda path, how: _tree(read_hierarchy(path, **how)),
}
