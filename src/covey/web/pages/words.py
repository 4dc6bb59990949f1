"""What options, stages and errors are called on the page, and messages of the library in the page's words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from covey.guarantees import GUARANTEES
from covey.parameters import parameters_of
from covey.registry import METHODS

STATES: Mapping[str, tuple[str, str]] = {
    "queued": ("Waiting", ""),
    "running": ("Running", "ink"),
    "verifying": ("Verifying", "ink"),
    "done": ("Verified", "good"),
    "failed": ("Failed", "warn"),
    "cancelled": ("Cancelled", ""),
    "interrupted": ("Interrupted", "warn"),
}

ROLES: Mapping[str, tuple[str, str]] = {
    "quasi": ("May be known", "Someone outside might know it: age, postcode. It is made coarser."),
    "sensitive": ("Sensitive", "Must not be linked to a person: an illness, an income."),
    "other": ("Publish as it is", "Neither known outside nor delicate."),
    "identifier": ("Leave out", "Names a person: a name, a number. It is not published."),
}

#: How a file is read: label and hint of each option.
READING: Mapping[str, tuple[str, str]] = {
    "format": ("Format", "fimi: a basket per line. csv-long: a row per item. csv-wide: a column per item."),
    "transaction": ("Column that tells baskets apart", "A receipt, a visit, a person."),
    "item": ("Column with the item", "What was bought, seen or rated."),
    "person": ("Column that names the person", "Someone with several rows is then protected as one."),
    "unmatched": ("Persons with items but without attributes", "What to do with them."),
    "quasi": ("Attributes that may be known", "Columns separated by commas; empty for all that are not named below."),
    "identifier": ("Columns to leave out", "Names, numbers and the like, separated by commas."),
    "other": ("Columns to publish unchanged", "Separated by commas; nothing is promised about them."),
    "unit": ("What is counted", "Rows, although persons are named, protect only single rows."),
    "row_is_person": ("Every row is a person", "Nobody has more than one."),
    "name": ("Column with names of items", "Where the items are codes; everything then shows the names."),
    "keep": ("Other columns to keep", "They become items, such as Country=UK; separated by commas."),
    "round_dates": ("Dates of kept columns", "What they are rounded to."),
    "user": ("Column with the person", "Who rated."),
    "rating": ("Column with the rating", "A number on a scale."),
    "scale": ("Scale", "Lowest and highest rating, such as 1:5, or 0:100:continuous for any number between."),
    "null": ("No rating is written as", "Besides nothing at all, such as 99."),
    "sensitive_missing": ("Sensitive items that are missing", "What to do when the file lacks some that are marked."),
    "missing": ("Rows that lack a value", "Which of them count."),
    "missing_marker": ("Text for a missing value", "Besides nothing at all; by default NaN, NULL, n/a and -."),
    "no_header": ("First line", "Whether it names the columns."),
    "sheet": ("Sheet or table", "Of a workbook or a database with several."),
    "separator": ("Separator", "What separates items or cells; one character."),
    "encoding": ("Encoding", "Of text files, if it is not UTF-8."),
    "categorical": ("Numbers that are names", "Columns such as postcodes, separated by commas."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondFile:
    """Words for a second file that data is read from: heading, what it is, the column that joins (if any), the file."""

    title: str
    says: str
    joined: str = "Column that names the person, in both files"
    file: str = "File"


#: What a second file is called, by the reading option that it is.
SECOND_FILES: Mapping[str, SecondFile] = {
    "baskets": SecondFile(
        title="Items in a second file",
        says="Attributes of persons in one file, what they bought or visited in another. Both have a column with the "
        "same names or numbers of persons, which joins them and is not published. Without a second file, this one "
        "needs a column with lists of items.",
        file="File with a line for each person and item",
    ),
}

#: What is being done, by stage.
STAGES: Mapping[str, str] = {
    "reading": "Reading",
    "ordering": "Putting similar ones side by side",
    "searching": "Finding similar people",
    "grouping": "Forming groups",
    "generalizing": "Making items broader",
    "suppressing": "Leaving out what gives people away",
    "publishing": "Shuffling",
    "writing": "Writing",
    "verifying": "Verifying the written files",
    "measuring": "Measuring",
    "drawing": "Drawing",
    "attacking": "Attacking",
    "reporting": "Writing the report",
    "generating": "Generating",
    "comparing": "Trying weaker promises",
}

#: The groups of a release by what they are: title, explanation, and what one of them is called.
GROUPS: Mapping[str, tuple[str, str, str]] = {
    "groups": (
        "Groups",
        "As anybody can read them in the published files: the ordinary items of each member, and how many members "
        "hold a sensitive one.",
        "Group",
    ),
    "clusters": (
        "Clusters",
        "As anybody can read them in the published files: the pieces of each cluster, and the items that it only "
        "names. Pieces that several clusters share are in the file chunks.",
        "Cluster",
    ),
    "classes": ("Those who look alike", "What is published, the largest class first.", "Class"),
    "records": ("Published records", "As anybody can read them in the published files.", "Record"),
}

#: The same of groups whose members are not their rows.
UNLINKED = (
    "As anybody can read them in the published files: the ordinary items of each {row}, and how many of the {member}s "
    "of the group hold a sensitive one. Which {row}s belong to one {member} is not published."
)

#: What went wrong, by the class of the error or the status.
ERRORS: Mapping[str, str] = {
    "InputError": "This file cannot be used as it is",
    "ParameterError": "That is not possible",
    "Infeasible": "That cannot be promised",
    "NotFound": "Page not found",
    "Conflict": "Not now",
    "TooLarge": "The file is too large",
    "Full": "The disk is full",
    "MemoryError": "There is not enough memory",
    "Crash": "The work stopped unexpectedly",
    "Timeout": "It took too long",
    "404": "Page not found",
    "500": "Something went wrong",
    "503": "Something went wrong",
}


#: Options of the command line, as the page calls what does the same. Options of the server itself are not here:
#: whoever runs it does give those on the command line.
_FIELDS: Mapping[str, str] = {
    **{name: words[0] for name, words in READING.items()},
    "kind": "What it holds",
    "quasi": ROLES["quasi"][0],
    "identifier": ROLES["identifier"][0],
    "other": ROLES["other"][0],
    "baskets": SECOND_FILES["baskets"].title,
    "taxonomy": "Taxonomy",
    "hierarchy": "Broader values",
}

_VALUE = r"'[^']*'|[A-Z]{2,}\b|fimi|csv-long|csv-wide|csv|parquet|table|drop|low:\w+:\w+|[\w:.-]*\d(?:[\w:.-]*\w)?"
_ONE = rf"--({'|'.join(_FIELDS)})\b(?: ({_VALUE}))?"
_OPTION = re.compile(_ONE)
_OPTIONS = re.compile(rf"{_ONE}(?: {_ONE})+")
_MARKING = re.compile(r"[Gg]ive them with --sensitive(?: \(a file [^)]*\))?")


_WRONG = re.compile(r"The '(\w+)' parameter of ([\w-]+) must be (.+?)\. Got ")
_BOUNDS = (
    (r"an integer\b", "a whole number"),
    (r" >= (\S+?) and <= (\S+)", r" from \1 to \2"),
    (r" >= ", " of at least "),
)


def label_of(owner: str, name: str) -> str:
    """What a parameter of a guarantee or method is called on the page."""
    owners = [GUARANTEES[owner]] if owner in GUARANTEES else [one.load() for one in METHODS if one.name == owner]
    labels = (one.label for known in owners for one in parameters_of(known) if one.name == name and one.label)
    return next(labels, name.replace("_", " ").capitalize())


def _wrong(found: re.Match[str]) -> str:
    wanted = found[3]
    for pattern, words in _BOUNDS:
        wanted = re.sub(pattern, words, wanted)
    return f"“{label_of(found[2], found[1])}” must be {wanted}. Got "


def on_page(text: str) -> str:
    """A message of the library with the fields of the page in place of options of the command line.

    Examples
    --------
    >>> on_page("Try --encoding latin-1 (encoding='latin-1').")
    'Try latin-1 under “Encoding”.'
    >>> on_page("If every line is one transaction, give --format fimi --separator ','.")
    "If every line is one transaction, give fimi under “Format” and ',' under “Separator”."
    >>> on_page("None is named. Give them with --sensitive (a file with one item per line, or a comma list).")
    'None is named. Mark them in step 2, “What it is”.'
    >>> on_page("The 'p' parameter of degree must be an integer >= 2. Got 'much' instead.")
    "“One in how many (p)” must be a whole number of at least 2. Got 'much' instead."
    """
    # What the same option is called in Python helps nobody here.
    text = re.sub(r" \(\w+=[^)]*\)", "", text) if "--" in text else text
    text = _WRONG.sub(_wrong, text)
    text = _MARKING.sub("Mark them in step 2, “What it is”", text)
    text = text.replace("ask for it with --sensitive", "choose it as the sensitive item")
    text = text.replace("--sensitive", "“What is sensitive?”")
    text = _OPTIONS.sub(lambda found: found[0].replace(" --", " and --"), text)
    return _OPTION.sub(_under, text)


def _under(found: re.Match[str]) -> str:
    name, value = _FIELDS[found[1]], found[2]
    return f"“{name}”" if value is None or value.isupper() else f"{value} under “{name}”"
