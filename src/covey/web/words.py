"""What options, stages and errors are called on the page, and messages of the library in the page's words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from covey.data.kinds import data_kinds
from covey.guarantees import GUARANTEES
from covey.parameters import Parameter, parameters_of
from covey.registry import METHODS

STATES: Mapping[str, tuple[str, str]] = {
    "waiting": ("Waiting", ""),
    "running": ("Running", "ink"),
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

#: What reading options are called.
_READING: Mapping[str, str] = {
    "transaction": "Column that tells baskets apart",
    "item": "Column with the item",
    "person": "Column that names the person",
    "unmatched": "Persons with items but without attributes",
    "quasi": "Attributes that may be known",
    "identifier": "Columns to leave out",
    "other": "Columns to publish unchanged",
    "unit": "What is counted",
    "row_is_person": "Every row is a different person",
    "name": "Column with names of items",
    "keep": "Other columns to keep as items",
    "round_dates": "Dates of kept columns",
    "user": "Column with the person",
    "rating": "Column with the rating",
    "null": "No rating is written as",
    "missing": "Rows that lack a value",
    "missing_marker": "Text for a missing value",
    "no_header": "The first line is data",
    "sheet": "Sheet or table",
    "categorical": "Numbers that are names",
}

#: What is being done, by stage.
STAGES: Mapping[str, str] = {
    "compiling": "Compiling, which the first run does once",
    "reading": "Reading",
    "ordering": "Putting similar ones side by side",
    "learning": "Learning which items go together",
    "searching": "Finding similar people",
    "grouping": "Forming groups",
    "generalizing": "Making items broader",
    "suppressing": "Leaving out what gives people away",
    "publishing": "Shuffling",
    "writing": "Writing",
    "verifying": "Verifying the written files",
    "measuring": "Measuring",
    "attacking": "Attacking",
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
    "404": "Page not found",
    "500": "Something went wrong",
}


def reading_label(name: str) -> str:
    """What a reading option is called on the page."""
    return _READING.get(name, name.replace("_", " ").capitalize())


def label_of(one: Parameter) -> str:
    """Return what a parameter of a guarantee or method is called on the page."""
    return one.label or one.name.replace("_", " ").capitalize()


_NAMED_OPTION = re.compile(r"--([a-z][a-z-]*[a-z])")
_SENSITIVE = re.compile(r"[Gg]ive them with --sensitive(?: \(a file [^)]*\))?")
_WRONG = re.compile(r"The '(\w+)' parameter of ([\w-]+) must be (.+?)\. Got ")


def on_page(text: str) -> str:
    """Return a message of the library with the fields of the page in place of options of the command line.

    Examples
    --------
    >>> on_page("Try --encoding latin-1 (encoding='latin-1').")
    'Try “Encoding” latin-1.'
    >>> on_page("None is named. Give them with --sensitive (a file with one item per line, or a comma list).")
    'None is named. Mark them in step 2, “What it is”.'
    >>> on_page("The 'p' parameter of degree must be an integer >= 2. Got 'much' instead.")
    "“One in how many (p)” must be a whole number of at least 2. Got 'much' instead."
    """
    if "--" in text:  # what the same option is called in Python helps nobody here
        text = re.sub(r" \(\w+=[^)]*\)", "", text)
    text = _SENSITIVE.sub("Mark them in step 2, “What it is”", text)
    labels = {option.flag: reading_label(option.name) for kind in data_kinds() for option in kind.options}
    labels |= {f"--{name}": ROLES[name][0] for name in ("quasi", "identifier", "other")}
    labels |= {"--kind": "What it holds", "--taxonomy": "Taxonomy", "--hierarchy": "Broader values"}
    labels["--sensitive"] = "What is sensitive?"
    text = _NAMED_OPTION.sub(lambda found: f"“{labels[found[0]]}”" if found[0] in labels else found[0], text)

    def plainly(found: re.Match[str]) -> str:
        wanted = re.sub(r" >= (\S+) and <= (\S+)", r" from \1 to \2", found[3].replace("an integer", "a whole number"))
        name, owner = found[1], found[2]
        classes = [GUARANTEES[owner]] if owner in GUARANTEES else [one.load() for one in METHODS if one.name == owner]
        labels = (label_of(one) for known in classes for one in parameters_of(known) if one.name == name)
        label = next(labels, name.replace("_", " ").capitalize())
        return f"“{label}” must be {wanted.replace(' >= ', ' of at least ')}. Got "

    return _WRONG.sub(plainly, text)
