"""Kinds of data: their words and reading options, from which command line, forms, inspection and report derive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from covey.errors import ParameterError
from covey.parameters import did_you_mean


@dataclass(frozen=True, slots=True)
class ReadingOption:
    """One option that says how data of a kind is to be read."""

    name: str
    #: One sentence for people.
    says: str
    _: KW_ONLY
    #: On the command line; its name when left out.
    called: str = ""
    #: Whether it may be given several times, and is then a list.
    many: bool = False
    #: ``(texts) -> text``: makes one text of it where it is given several times, so that all of them count.
    joins: Callable[[Sequence[str]], str] | None = None
    #: Whether giving it says that the data is of this kind.
    telling: bool = False
    #: What it may be, if not anything.
    one_of: tuple[str, ...] = ()
    #: Whether it is given or not, and has no value.
    switch: bool = False
    #: Whether it names files; a page, whose users must not name files of the server, takes none such.
    file: bool = False
    #: Whether only the local user may give it, and a page takes none.
    local: bool = False

    @property
    def flag(self) -> str:
        """What it is called on the command line."""
        return f"--{(self.called or self.name).replace('_', '-')}"


def one_list(given: Sequence[str]) -> str:
    """The comma-separated list of all that several such lists hold."""
    return ",".join(given)


FORMAT = ReadingOption("format", "The file format, if covey does not recognize it.")
SEPARATOR = ReadingOption("separator", "What separates items or cells, if covey does not recognize it.")
ENCODING = ReadingOption("encoding", "Encoding of text files, if not UTF-8.")
NAMES_COLUMN = ReadingOption(
    "name", "Baskets and records: column with the names of items, if the item column holds codes."
)
KEEP = (
    ReadingOption(
        "keep",
        "Baskets: other columns to carry along as items, such as Country=UK; a comma-separated list.",
        joins=one_list,
    ),
    ReadingOption(
        "round_dates",
        "Baskets: what dates of kept columns are rounded to: day, month (the default), quarter or year.",
        one_of=("day", "month", "quarter", "year"),
    ),
)
#: What becomes of rows that lack a value, and texts that usually mean that one is missing.
MISSING_CHOICES = ("error", "drop", "keep")
MISSING_MARKERS = ("NaN", "NULL", "n/a", "-")
#: How rows are prepared before anything is made of them, for data of every kind.
ROW_OPTIONS = (
    ReadingOption(
        "missing",
        "Rows that lack a value: error, drop, or keep (as a value of its own, the default for tables; a missing "
        "person as a different one in each row).",
        one_of=MISSING_CHOICES,
    ),
    ReadingOption(
        "missing_marker",
        f"Text that means a missing value, instead of {', '.join(MISSING_MARKERS)}; may be repeated.",
        many=True,
    ),
    ReadingOption(
        "query",
        "SQL that filters, joins or computes columns of the file, which is the table `data`: "
        "'SELECT * FROM data WHERE Quantity > 0'.",
        local=True,
    ),
    ReadingOption("also", "Further files for the query, each a table called like the file.", many=True, local=True),
    ReadingOption(
        "no_header", "The first line is data; the columns are named 'column 1', 'column 2' and so on.", switch=True
    ),
    ReadingOption("sheet", "Sheet of a workbook, or table of a database, if there are several."),
)
SENSITIVE_MISSING = ReadingOption(
    "sensitive_missing",
    "Sensitive items that the data lacks: error (the default), or warn, for a standing list.",
    one_of=("error", "warn"),
)
#: Who is protected, for kinds of data in which someone may have several rows.
PERSON_OPTIONS = (
    ReadingOption("person", "Column that names the person; a person may have several rows and is protected as one."),
    ReadingOption("unit", "What to count if persons are named: person (the default) or row.", one_of=("person", "row")),
    ReadingOption("row_is_person", "Every row is a different person, whatever the columns look like.", switch=True),
)


def _role_options(kind: str = "", *, telling: bool = False) -> tuple[ReadingOption, ...]:
    """Return the options that give roles to columns, for data of a kind or of several."""
    several = "as a comma-separated list; may be repeated."
    columns = {
        "quasi": "the quasi-identifiers, as a comma-separated list; columns that no option names are dropped. May be "
        "repeated.",
        "identifier": f"columns to drop, {several}",
        "other": f"columns to publish unchanged, {several}",
        "categorical": f"columns whose numbers are names, {several}",
    }
    trees = f"{kind}column=FILE, or a directory of hierarchies; may be repeated."
    return (
        *(ReadingOption(name, f"{kind}{what}", joins=one_list, telling=telling) for name, what in columns.items()),
        ReadingOption("hierarchies", trees, called="hierarchy", many=True, telling=telling, file=True),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DataKind:
    """Everything that is particular to one kind of data."""

    #: What users type.
    name: str
    #: How it can be read.
    options: tuple[ReadingOption, ...] = ()
    #: One sentence: what such data is, with examples.
    says: str = ""
    #: What one person's line is called.
    row: str
    rows: str
    #: What can be known of a person.
    things: str
    #: What someone knows of a person, where `things` does not say it exactly enough.
    known: str = ""
    #: What can be marked as sensitive.
    marked: str
    #: One sentence for whoever marks it, with examples.
    marking: str = "What must not be linked to a person."
    #: Whether marking something as sensitive only makes sense with a guarantee that protects it.
    sensitive_needs_protection: bool = False
    #: Whether its things can be generalized along a taxonomy.
    uses_taxonomy: bool = False
    #: Whether it has columns, which are given roles.
    has_columns: bool = False
    #: Whether roles of columns say all that is sensitive, so that no single things are marked.
    by_roles: bool = False
    #: The figures that tell how large data is, and what each counts, in words.
    sizes: Mapping[str, str]

    def option_names(self) -> tuple[str, ...]:
        """The names of the reading options."""
        return tuple(option.name for option in self.options)


BASKETS = DataKind(
    name="baskets",
    options=(
        FORMAT,
        ReadingOption("transaction", "Column with the transaction."),
        ReadingOption("item", "Column with the item, or the issue of ratings."),
        *PERSON_OPTIONS,
        NAMES_COLUMN,
        *KEEP,
        SENSITIVE_MISSING,
        *ROW_OPTIONS,
        SEPARATOR,
        ENCODING,
    ),
    says="Sets of items, one or more per person: purchases, clicks, diagnoses, segments.",
    row="basket",
    rows="baskets",
    things="items",
    marked="item",
    marking="Items that must not be linked to a person: a pregnancy test, a diagnosis, an embarrassing page.",
    sensitive_needs_protection=True,
    uses_taxonomy=True,
    sizes={"transactions": "baskets", "persons": "persons", "items": "different items", "entries": "items in all"},
)

RATINGS = DataKind(
    name="ratings",
    options=(
        FORMAT,
        ReadingOption("user", "Ratings: column with the respondent.", telling=True),
        ReadingOption("item", "Column with the item, or the issue of ratings."),
        ReadingOption("rating", "Ratings: column with the rating.", telling=True),
        ReadingOption(
            "scale",
            "Ratings: low:high or low:high:step, such as 1:5; -10:10:continuous for any number in between.",
            telling=True,
        ),
        ReadingOption(
            "null",
            "Ratings: what means no rating, besides an empty cell, such as 99; may be repeated.",
            many=True,
            telling=True,
        ),
        SENSITIVE_MISSING,
        *ROW_OPTIONS,
        SEPARATOR,
        ENCODING,
    ),
    says="People who rate things on a scale: films, opinions, a survey.",
    row="record",
    rows="respondents",
    things="ratings",
    known="exact ratings",
    marked="issue",
    marking="Issues on which nobody should learn a person's opinion: their health, their faith, their politics.",
    sizes={"respondents": "people", "issues": "issues", "ratings": "ratings"},
)

TABLE = DataKind(
    name="table",
    options=(FORMAT, *_role_options("Table: ", telling=True), *PERSON_OPTIONS, *ROW_OPTIONS, SEPARATOR, ENCODING),
    says="One row per person and one column per property: age, postcode, occupation.",
    row="row",
    rows="rows",
    things="columns",
    marked="column",
    has_columns=True,
    by_roles=True,
    sizes={"rows": "rows", "persons": "persons"},
)

RECORDS = DataKind(
    name="records",
    options=(
        ReadingOption(
            "baskets", "Records: a second file with the items, one line per person and item.", telling=True, file=True
        ),
        ReadingOption("item", "Column with the item; for records in one file, the column with lists of items."),
        ReadingOption("person", "Column that names the person, in both files."),
        ReadingOption(
            "unmatched",
            "Records: persons with items but without attributes: error (the default) or drop.",
            one_of=("error", "drop"),
        ),
        *_role_options(),
        NAMES_COLUMN,
        SENSITIVE_MISSING,
        *ROW_OPTIONS,
        SEPARATOR,
        ENCODING,
    ),
    says="Attributes and a set of items for each person: age and postcode, and everything bought.",
    row="person",
    rows="persons",
    things="values and items",
    marked="column or item",
    marking="Columns and items that must not be linked to a person: an illness, a pregnancy test.",
    sensitive_needs_protection=True,
    uses_taxonomy=True,
    has_columns=True,
    sizes={"persons": "persons", "items": "different items", "entries": "items in all"},
)

DATA_KINDS: dict[str, DataKind] = {kind.name: kind for kind in (BASKETS, RATINGS, TABLE, RECORDS)}
#: What data is taken for when nothing says what it is.
USUAL_KIND = "baskets"


def data_kind(name: str) -> DataKind:
    """The kind of data of this name; an unknown one is an error that lists the known ones.

    Examples
    --------
    >>> data_kind("ratings").rows
    'respondents'
    """
    if name not in DATA_KINDS:
        raise ParameterError(
            f"There is no kind of data '{name}'.{did_you_mean(name, DATA_KINDS)} Known: {', '.join(DATA_KINDS)}."
        )
    return DATA_KINDS[name]


def data_kinds() -> list[DataKind]:
    """All kinds of data."""
    return list(DATA_KINDS.values())
