"""What each column of a table probably is to an attacker, from what it is called and what it holds.

A guess is a proposal with its reason, for someone to confirm: nothing is read by it. Where a column could be two
things the safer one is guessed; nothing is guessed to be publishable as it is but what is the same in every row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from covey.data.calendar import dates_of
from covey.data.hierarchy import MISSING
from covey.data.records import Valued
from covey.errors import InputError
from covey.io.columns import is_thing, looks_named, normalise
from covey.io.table import all_numbers
from covey.tabular import Plain

#: The options that give roles to columns; columns can be sensitive besides.
ROLE_OPTIONS = ("quasi", "other", "identifier")

#: Values with at least this share of different ones name people, in tables of at least so many rows.
DIFFERENT, ENOUGH = 0.95, 10

#: Texts of so many letters on average are free text; a name of a person has more than a few values.
LONG, FEW = 40, 3

#: Examples shown of a column, and letters of each.
EXAMPLES, LETTERS = 3, 24

#: Words in names of columns. A word counts when the name has it as a whole, or starts or ends with it.
NAMING = (
    "name", "surname", "firstname", "lastname", "fullname", "forename", "username", "email", "mail", "phone",
    "telephone", "mobile", "fax", "ssn", "passport", "iban", "street", "address", "url", "ip", "vin", "plate",
    "vorname", "nachname", "adresse", "nombre", "apellido", "prenom"
)  # fmt: skip
SECRET = (
    "disease", "diagnosis", "diagnose", "illness", "sickness", "condition", "symptom", "icd", "icd9", "icd10", "hiv",
    "std", "cancer", "medication", "medicine", "drug", "treatment", "therapy", "procedure", "allergy", "pregnancy",
    "pregnant", "disability", "mental", "genetic", "test result", "salary", "income", "wage", "wages", "earnings",
    "pay", "debt", "loan", "credit", "balance", "wealth", "religion", "faith", "party", "vote", "political", "opinion",
    "orientation", "sexuality", "offence", "offense", "crime", "conviction", "union", "grade", "gpa", "mark",
    "capital gain", "capital loss", "krankheit", "gehalt", "einkommen", "enfermedad", "salario", "maladie", "salaire"
)  # fmt: skip
KNOWN = (
    "age", "birth", "birthday", "birthdate", "born", "dob", "sex", "gender", "zip", "zipcode", "postcode", "postal",
    "plz", "city", "town", "village", "county", "district", "region", "state", "country", "place", "nationality",
    "citizenship", "race", "ethnicity", "ethnic", "marital", "married", "education", "school", "degree", "occupation",
    "job", "profession", "employer", "work", "workclass", "department", "household", "family", "children", "kids",
    "relationship", "language", "height", "weight", "date", "hours", "alter", "geschlecht", "ort", "beruf", "edad",
    "sexo", "ciudad", "pais", "sexe", "ville", "pays"
)  # fmt: skip
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess(Plain):
    """What a column probably is."""

    #: The role is ``identifier``, ``quasi``, ``sensitive`` or ``other``.
    column: str
    role: str
    #: The reason, as a sentence.
    why: str
    #: How many different values it has.
    values: int
    #: Its most frequent values.
    examples: list[str]


def guess(column: Valued) -> Guess:
    """The role that a column probably has."""
    counts = np.bincount(column.codes, minlength=len(column.labels))
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    known = [column.labels[code] for code in order if column.labels[code] != MISSING]
    role, why = _reasoned(column.name, known, int(counts.sum()), bool(counts[order[0]] > 1) if len(order) else False)
    shown = [text if len(text) <= LETTERS else f"{text[: LETTERS - 1]}…" for text in known[:EXAMPLES]]
    return Guess(column=column.name, role=role, why=why, values=len(order), examples=shown)


def _reasoned(name: str, known: Sequence[str], rows: int, repeats: bool) -> tuple[str, str]:
    """The role and its reason; `known` are the different values."""
    if not known:
        return "identifier", "It is empty."
    if len(known) == 1 and rows >= ENOUGH:
        return "other", "It has only one value, so it identifies nobody."
    naming = _called(name, NAMING)
    if naming == "name" and is_thing(name):  # a shop's, a product's
        naming = None
    if (looks_named(name) or naming) and len(known) > FEW:
        return "identifier", f"“{naming or name}” points to a person."
    if word := _called(name, SECRET):
        return "sensitive", f"“{word}” is usually confidential."
    if word := _called(name, KNOWN):
        return "quasi", f"Others may know “{word}”."
    own = rows >= ENOUGH and len(known) >= DIFFERENT * rows
    numbers = all_numbers(known)
    if own and not numbers and not _dates(known):
        return "identifier", "Nearly every row has a value of its own."
    if not repeats and numbers and rows >= ENOUGH and all(text.isdigit() for text in known):
        return "identifier", "Every row has a number of its own."
    if not numbers and len(known) > FEW and sum(map(len, known)) > LONG * len(known):
        return "identifier", "It holds long texts, in which anything may be said about a person."
    return "quasi", "No hint in name or values; others may know it."


def _dates(texts: Sequence[str]) -> bool:
    try:
        return dates_of(list(texts), "") is not None
    except InputError:  # dates, but not all written in one way
        return True


def _called(name: str, words: Iterable[str]) -> str | None:
    """The word that a name has in it as a whole, or that it is as a whole without separators."""
    parts = [part.casefold() for part in _WORDS.findall(name)]
    text, whole = f" {' '.join(parts)} ", normalise(name)
    return next((word for word in words if f" {word} " in text or f" {word}s " in text or word == whole), None)


def guessed(columns: Iterable[Valued]) -> list[Guess]:
    """A guess for each column."""
    return [guess(column) for column in columns]
