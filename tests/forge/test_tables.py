"""Tables with other columns, types or values than covey writes."""

import re

import pyarrow as pa
import pytest

from forge.tools import column, refused, verdicts, write_parquet

NAMES = ["ann smith", "bob jones", "eve brown"]


def names_for(rows):
    return pa.array([NAMES[i % 3] for i in range(len(rows))])


TABLES = [
    ("grouped", "transactions"),
    ("grouped", "sensitive"),
    ("grouped", "groups"),
    ("suppressed", "sets"),
    ("private", "private"),
    ("table", "table"),
    ("ratings", "ratings"),
]


@pytest.mark.parametrize(
    ("kind", "table"), [("grouped", "transactions"), ("suppressed", "sets"), ("private", "private")]
)
def test_no_item_is_without_a_name(forge, kind, table):
    release = forge(kind)
    rows = release.rows(table)
    names = sorted({item for row in rows["items"].to_pylist() for item in row})
    unnamed = [sorted("" if item == names[0] else item for item in row) for row in rows["items"].to_pylist()]
    forged = column(rows, "items", pa.array(unnamed, pa.list_(pa.string())))
    refused(release.replace(table, forged), "has no name")


def test_no_count_is_of_an_item_without_a_name(forge):
    release = forge("grouped")
    rows = release.rows("sensitive")
    unnamed = ["" if item == "pregnancy test" else item for item in rows["item"].to_pylist()]
    refused(release.replace("sensitive", column(rows, "item", pa.array(unnamed))), "has no name")


@pytest.mark.parametrize(("kind", "table"), TABLES)
def test_no_table_has_a_column_more(forge, kind, table):
    release = forge(kind)
    rows = release.rows(table)
    refused(release.replace(table, rows.append_column("who", names_for(rows))))


@pytest.mark.parametrize(("kind", "table"), [*TABLES, ("global", "recoding"), ("table", "columns")])
def test_no_csv_has_a_column_more(forge, kind, table):
    release = forge(kind, csv=True)

    def widen(text):
        lines = text.decode().rstrip("\n").split("\n")
        return "".join(f'{line},"{"who" if n == 0 else NAMES[n % 3]}"\n' for n, line in enumerate(lines)).encode()

    refused(release.text(f"{table}.csv", widen))


@pytest.mark.parametrize(("kind", "table"), TABLES)
def test_columns_have_their_names_and_order(forge, kind, table):
    release = forge(kind)
    rows = release.rows(table)
    refused(release.replace(table, rows.rename_columns([*rows.column_names[:-1], "ann smith"])))
    if rows.num_columns > 1:
        refused(release.replace(table, rows.select(rows.column_names[::-1])))


@pytest.mark.parametrize("type", [pa.float64(), pa.int32(), pa.uint64(), pa.string(), pa.decimal128(38, 2)])
def test_group_numbers_are_whole(forge, type):
    release = forge("grouped")
    rows = release.rows("transactions")
    refused(release.replace("transactions", column(rows, "group", rows["group"].cast(type))))


def test_group_numbers_do_not_count_members(forge):
    release = forge("grouped")
    rows = release.rows("transactions")
    groups = rows["group"].to_pylist()
    tagged = [group + groups[:place].count(group) / 100 for place, group in enumerate(groups)]
    assert len({int(number) for number in tagged}) < len(set(tagged))
    refused(release.replace("transactions", column(rows, "group", pa.array(tagged))))


@pytest.mark.parametrize("spread", [lambda g: g + 1, lambda g: g * 491761234567, lambda g: -g, lambda g: g // 2 * 2])
def test_group_numbers_carry_nothing(forge, spread):
    release = forge("grouped")
    for table in ("transactions", "sensitive", "groups"):
        rows = release.rows(table)
        numbers = pa.array([spread(g) for g in rows["group"].to_pylist()])
        release.replace(table, column(rows, "group", numbers).sort_by("group"))
    refused(release)


@pytest.mark.parametrize("values", [lambda c: c + 0.9, lambda c: -c, lambda c: 0, lambda c: None])
def test_counts_are_whole_and_positive(forge, values):
    release = forge("grouped")
    rows = release.rows("sensitive")
    changed = pa.array([values(c) for c in rows["count"].to_pylist()], None if values(1) else pa.int64())
    refused(release.replace("sensitive", column(rows, "count", changed)))


def test_a_count_cannot_wrap(forge):
    release = forge("grouped")
    rows = release.rows("sensitive")
    refused(release.replace("sensitive", column(rows, "count", pa.array([2**62] * len(rows)))))
    total = (2**62 * len(rows) + 2**63) % 2**64 - 2**63
    refused(release.state("counts", sensitive_entries=max(total, 0)))


def test_one_count_cannot_be_split(forge):
    release = forge("grouped")
    rows = release.rows("sensitive")
    refused(release.replace("sensitive", pa.concat_tables([rows.slice(0, 1), rows])), "twice")


def test_sizes_of_groups_are_those_of_the_groups(forge):
    release = forge("grouped")
    rows = release.rows("groups")
    sizes = rows["transactions"].to_pylist()
    for changed in (sizes[::-1], [size + 1 for size in sizes], [None, *sizes[1:]]):
        if changed != sizes:
            refused(release.replace("groups", column(rows, "transactions", pa.array(changed, pa.int64()))))


def test_ratings_are_not_tagged_in_the_ninth_decimal(forge):
    release = forge("ratings")
    rows = release.rows("ratings")
    tagged = [None if r is None else r + (i % 7) * 1e-9 for i, r in enumerate(rows["rating"].to_pylist())]
    refused(release.replace("ratings", column(rows, "rating", pa.array(tagged))), "in the form in which covey")


def test_zeros_have_no_sign(forge):
    release = forge("ratings")
    rows = release.rows("ratings")
    tagged = [-0.0 if r == 0 else r for r in rows["rating"].to_pylist()]
    assert tagged.count(0) > 3
    refused(release.replace("ratings", column(rows, "rating", pa.array(tagged))), "in the form in which covey")


@pytest.mark.parametrize("value", [7.0, -1.0, 1.5, float("nan"), float("inf"), 1e300])
def test_ratings_are_on_the_scale(forge, value):
    release = forge("ratings")
    rows = release.rows("ratings")
    values = rows["rating"].to_pylist()
    first = next(i for i, rating in enumerate(values) if rating is not None)
    values[first] = value
    refused(release.replace("ratings", column(rows, "rating", pa.array(values))))


@pytest.mark.parametrize("name", [lambda n: f"{n}@example.org", lambda n: f"0{n}", lambda n: n + 1000])
def test_records_have_numbers_that_mean_nothing(forge, name):
    release = forge("ratings")
    rows = release.rows("ratings")
    numbers = pa.array([name(n) for n in rows["record"].to_pylist()])
    refused(release.replace("ratings", column(rows, "record", numbers)))


def test_records_have_no_names_in_csv_either(forge):
    release = forge("ratings", csv=True)
    refused(release.text("ratings.csv", lambda text: text.replace(b"\n1,", b'\n"ann@example.org",')))


def test_a_missing_value_is_told_in_one_way(forge):
    release = forge("table")
    rows = release.rows("table")
    values = rows["city"].to_pylist()
    assert None in values
    first = values.index(None)
    values[first] = ""
    refused(release.replace("table", column(rows, "city", pa.array(values))), "in the form in which covey")


@pytest.mark.parametrize(
    ("kind", "table", "name"),
    [("grouped", "transactions", "items"), ("grouped", "sensitive", "item"), ("ratings", "ratings", "issue")],
)
def test_no_value_is_missing_where_there_must_be_one(forge, kind, table, name):
    release = forge(kind)
    rows = release.rows(table)
    refused(release.replace(table, column(rows, name, pa.array([None, *rows[name].to_pylist()[1:]]))))


@pytest.mark.parametrize("kind", ["grouped", "suppressed", "private"])
def test_items_stand_once_and_in_label_order(forge, kind):
    release = forge(kind)
    rows = release.rows(release.main)
    baskets = rows["items"].to_pylist()
    for changed in (
        [row[::-1] for row in baskets],
        [row + row[:1] for row in baskets],
        [[*row, None] for row in baskets],
    ):
        refused(release.replace(release.main, column(rows, "items", pa.array(changed))))


def test_rows_stand_by_group_and_record(forge):
    for kind in ("grouped", "ratings"):
        release = forge(kind)
        rows = release.rows(release.main)
        refused(release.replace(release.main, rows.take(list(range(len(rows)))[::-1])))
    release = forge("grouped")
    rows = release.rows("sensitive")
    refused(release.replace("sensitive", rows.take(list(range(len(rows)))[::-1])), "in the form in which covey")


@pytest.mark.parametrize("role", ["ann smith", "", "Quasi", None])
def test_roles_are_those_that_there_are(forge, role):
    release = forge("table")
    refused(release.text("columns.csv", lambda text: text.replace(b"quasi", (role or "").encode(), 1)))


def test_a_released_table_with_no_quasi_identifier_promises_nothing(forge):
    release = forge("table")
    refused(release.text("columns.csv", lambda text: text.replace(b"quasi", b"other")))


def test_names_of_5000_characters(forge):
    release = forge("table")
    rows = release.rows("table")
    long = "ann smith " * 500
    refused(release.replace("table", rows.rename_columns([long, *rows.column_names[1:]])))
    release = forge("grouped")
    rows = release.rows("transactions")
    baskets = [sorted([*row, long]) if i == 3 else row for i, row in enumerate(rows["items"].to_pylist())]
    refused(release.replace("transactions", column(rows, "items", pa.array(baskets))))


def test_an_item_given_by_bytes_that_are_no_text(forge):
    release = forge("suppressed")
    rows = release.rows(release.main)
    first = next(row for row in rows["items"].to_pylist() if row)[0]
    assert first.isascii()
    broken = [[item.encode().replace(first.encode(), b"\xff\xfe") for item in row] for row in rows["items"].to_pylist()]
    lists = pa.array(broken, pa.list_(pa.binary()))
    texts = pa.ListArray.from_arrays(lists.offsets, lists.values.view(pa.string()))
    refused(release.replace(release.main, column(rows, "items", texts)))


RANGE = re.compile(r"\[([0-9]+)-([0-9]+)\]")
#: Other ways to write a range, and what was a number; `a` and `b` are the ends.
SPELLINGS = {
    "decimals": lambda a, b: f"[{a}.0-{b}.083077073084072]",
    "many digits": lambda a, b: f"[{a}-{b}.{'0657273' * 300}]",
    "exponents": lambda a, b: f"[{a}e0-{b}]",
    "leading zeros": lambda a, b: f"[000{a}-{b}]",
    "other digits": lambda a, b: f"[{a}-{b}]".translate(str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")),
    "ends that meet": lambda a, b: f"[{a}-{a}]",
    "ends that cross": lambda a, b: f"[{b}-{a}]",
    "spaces": lambda a, b: f" {a} ",
    "a sign": lambda a, b: f"+{a}",
    "no number": lambda a, b: f"ann smith {a} {b}",
    "infinite": lambda a, b: f"[{a}-{'9' * 400}]",
}


def respelled(release, spelling):
    """The release with its ranges of ages written otherwise."""
    rows = release.rows("table")
    ages = [RANGE.sub(lambda ends: spelling(*ends.groups()), age) if age else age for age in rows["age"].to_pylist()]
    assert ages != rows["age"].to_pylist()
    return release.replace("table", column(rows, "age", pa.array(ages, pa.string())))


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("kind", ["table", "records"])
def test_numbers_and_ranges_are_spelled_in_one_way(forge, kind, spelling):
    refused(respelled(forge(kind), spelling), "as covey writes it")


def test_ranges_in_csv_are_spelled_in_one_way(forge):
    release = forge("table", csv=True)
    refused(release.text("table.csv", lambda text: re.sub(rb"\[([0-9]+)-([0-9]+)\]", rb"[\1.0-\2.0651]", text)))


@pytest.mark.parametrize("kind", ["table", "records"])
@pytest.mark.parametrize("spelling", [lambda a, b: f"[-123456789-{b}]", lambda a, b: f"[{a}-{b}.00072]"])
def test_ranges_end_at_numbers_of_the_original(forge, kind, spelling):
    release = respelled(forge(kind), spelling)
    verdict = verdicts(release)[1]
    assert "every published value covers values of the original" in [check.name for check in verdict.failures()]


@pytest.mark.parametrize("age", ["[30-40]", "*", "thirty"])
def test_what_is_published_as_it_was_has_no_ranges(forge, age):
    release = forge("patients")
    rows = release.rows("table")
    refused(release.replace("table", column(rows, "age", pa.array([age] * len(rows)))), "no number as covey writes it")


@pytest.mark.parametrize("kind", ["table", "records", "patients"])
def test_columns_are_of_the_original_s_kind(forge, kind):
    release = forge(kind)
    release.text("columns.csv", lambda text: text.replace(b'"numeric"', b'"categorical"'))
    told = "; ".join(check.detail for check in verdicts(release)[1].failures())
    assert "is categorical in the release and numeric in the original" in told


@pytest.mark.parametrize("kind", ["table", "records", "patients"])
def test_columns_are_in_the_original_s_order(forge, kind):
    release = forge(kind)
    rows = release.rows("table")
    write_parquet(release.file("table"), rows.select(rows.column_names[::-1]))

    def turned(text):
        head, *lines = text.splitlines(keepends=True)
        return b"".join([head, *lines[::-1]])

    release.text("columns.csv", turned)
    alone, compared = verdicts(release)
    told = "; ".join(check.detail for check in compared.failures())
    assert alone.holds or kind == "table"
    assert "the columns are in another order than the original's" in told
