"""The files that the golden runs read: small, drawn with fixed seeds, and written without covey."""

import csv
from pathlib import Path

import numpy as np

#: Items of the shop by department; the last of each department is the rarest.
DEPARTMENTS = {
    "bakery": ("bread", "rolls", "bagels", "cake", "muffins", "pretzels"),
    "dairy": ("milk", "butter", "yoghurt", "cheese", "cream", "quark"),
    "greens": ("apples", "bananas", "carrots", "onions", "lettuce", "leeks"),
    "drinks": ("water", "coffee", "tea", "juice", "beer", "wine"),
    "household": ("soap", "paper", "bleach", "candles", "sponges", "matches"),
    "snacks": ("crisps", "nuts", "chocolate", "popcorn", "licorice", "raisins"),
}
SENSITIVE = ("test-kit", "pills", "lottery")
TOPS = {"bakery": "food", "dairy": "food", "greens": "food", "snacks": "treats", "drinks": "treats"}
JOBS = {"nurse": "care", "doctor": "care", "teacher": "office", "clerk": "office", "baker": "craft", "joiner": "craft"}
ILLNESSES = ("none", "flu", "asthma", "diabetes", "measles")


def write_rows(path: Path, *rows) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def draw_basket(draw: np.random.Generator, taste: int) -> list[str]:
    """Items of one transaction: most from the department that its buyer likes, frequent items more often."""
    departments = list(DEPARTMENTS.values())
    items: list[str] = []
    for _ in range(int(draw.integers(1, 8))):
        department = departments[taste if draw.random() < 0.6 else int(draw.integers(len(departments)))]
        items.append(department[min(int(draw.geometric(0.4)) - 1, len(department) - 1)])
    if draw.random() < 0.12:
        items.append(SENSITIVE[taste % 3 if draw.random() < 0.7 else int(draw.integers(3))])
    return list(dict.fromkeys(items))


def write_baskets(folder: Path, count: int = 500) -> None:
    """One transaction per person: as a table of entries, and in FIMI's format with numbers for items."""
    draw = np.random.default_rng(11)
    baskets = [draw_basket(draw, int(draw.integers(6))) for _ in range(count)]
    rows = [(f"t{number:04}", item) for number, basket in enumerate(baskets) for item in basket]
    write_rows(folder / "baskets.csv", ("transaction", "item"), *rows)
    known = [item for items in DEPARTMENTS.values() for item in items] + list(SENSITIVE)
    lines = [" ".join(str(known.index(item)) for item in basket) for basket in baskets]
    (folder / "baskets.dat").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "secret.txt").write_text("\n".join(SENSITIVE) + "\n", encoding="utf-8")
    # A few common items only: few enough for guarantees that sparse data cannot keep as it is.
    common = {item for items in DEPARTMENTS.values() for item in items[:2]} | set(SENSITIVE)
    write_rows(folder / "common.csv", ("transaction", "item"), *(row for row in rows if row[1] in common))


def write_visits(folder: Path, people: int = 220) -> None:
    """Several transactions per person, in two months; most people come in both."""
    draw = np.random.default_rng(12)
    tastes = draw.integers(6, size=people)
    for month in (1, 2):
        rows = []
        for person in range(people):
            if draw.random() < 0.15:
                continue
            for visit in range(int(draw.integers(1, 4))):
                basket = draw_basket(draw, int(tastes[person]))
                rows += [(f"p{person:03}", f"v{month}-{person:03}-{visit}", item) for item in basket]
        write_rows(folder / f"visits{month}.csv", ("person", "visit", "item"), *rows)


def write_taxonomy(folder: Path) -> None:
    """Items below departments below three parts of the shop, without the sensitive items and with them."""
    rows = [(item, department) for department, items in DEPARTMENTS.items() for item in items]
    rows += [(department, TOPS.get(department, "home")) for department in DEPARTMENTS]
    rows += [(top, "all") for top in ("food", "treats", "home")]
    secret = [(item, "pharmacy") for item in SENSITIVE] + [("pharmacy", "home")]
    write_rows(folder / "ordinary.taxonomy.csv", ("child", "parent"), *rows)
    write_rows(folder / "taxonomy.csv", ("child", "parent"), *rows, *secret)


def write_survey(folder: Path, people: int = 160, issues: int = 6) -> None:
    """Ratings from 1 to 5 around a few persuasions, some missing: a line each, and a line per person."""
    draw = np.random.default_rng(13)
    persuasions = draw.integers(1, 6, size=(3, issues))
    rated = persuasions[draw.integers(3, size=people)] + draw.choice([-1, 0, 0, 0, 1], size=(people, issues))
    ratings = np.clip(rated, 1, 5)
    given = draw.random((people, issues)) < 0.9
    names = [f"q{issue}" for issue in range(1, issues)] + ["income"]
    wide, triples = [], []
    for user in range(people):
        record = [ratings[user, issue] if given[user, issue] else "" for issue in range(issues)]
        wide.append((f"u{user}", *record))
        triples += [(f"u{user}", name, rating) for name, rating in zip(names, record, strict=True) if rating]
    write_rows(folder / "survey.csv", ("user", "issue", "rating"), *triples)
    write_rows(folder / "survey-wide.csv", ("user", *names), *wide)


def draw_person(draw: np.random.Generator) -> tuple[int, str, str, str]:
    """Age, ZIP code, sex and job, which go together to some extent."""
    job = int(draw.integers(len(JOBS)))
    age = int(np.clip(draw.normal(32 + 4 * job, 10), 18, 80))
    return age, f"{10 + job // 2}0{draw.integers(10):02}", "fm"[int(draw.random() < 0.5)], list(JOBS)[job]


def write_people(folder: Path, people: int = 300) -> None:
    """A table with a hierarchy of jobs, then one in which some persons have two rows."""
    draw = np.random.default_rng(14)
    rows = [(f"n{n}", *draw_person(draw), ILLNESSES[int(draw.integers(5))]) for n in range(people)]
    write_rows(folder / "people.csv", ("name", "age", "zip", "sex", "job", "illness"), *rows)
    again = [(*row[:5], ILLNESSES[int(draw.integers(5))]) for row in rows if draw.random() < 0.3]
    write_rows(folder / "cases.csv", ("name", "age", "zip", "sex", "job", "illness"), *rows, *again)
    write_rows(folder / "job.csv", *((job, above, "*") for job, above in JOBS.items()))


def write_records(folder: Path, people: int = 200) -> None:
    """Persons with attributes and items, in two files that a column joins."""
    draw = np.random.default_rng(15)
    attributes = [(f"r{n}", *draw_person(draw)[:3]) for n in range(people)]
    entries = [(row[0], item) for row in attributes for item in draw_basket(draw, int(draw.integers(6)))]
    write_rows(folder / "attributes.csv", ("person", "age", "zip", "sex"), *attributes)
    write_rows(folder / "entries.csv", ("person", "item"), *entries)


def write_broken(folder: Path) -> None:
    """Input that no command can read."""
    (folder / "open-quote.csv").write_text('transaction,item\n1,"bread\n2,milk\n', encoding="utf-8")
    (folder / "binary.csv").write_bytes(b"transaction,item\n1,\x00\xff\xfe\n")
    (folder / "loop.taxonomy.csv").write_text("child,parent\nbread,milk\nmilk,bread\n", encoding="utf-8")


def write_exchanged(folder: Path) -> None:
    """Copies in which two rows have exchanged their last values, so that all totals stay."""
    for name in ("baskets.csv", "entries.csv", "people.csv", "survey-wide.csv"):
        with (folder / name).open(newline="", encoding="utf-8") as file:
            header, first, *rest = csv.reader(file)
        held = {(row[0], row[-1]) for row in (first, *rest)}
        other = next(row for row in rest if not held & {(row[0], first[-1]), (first[0], row[-1])})
        first[-1], other[-1] = other[-1], first[-1]
        write_rows(folder / f"exchanged-{name}", header, first, *rest)


def write_data(folder: Path) -> None:
    """Write all files."""
    for write in (write_baskets, write_visits, write_taxonomy, write_survey, write_people, write_records, write_broken):
        write(folder)
    write_exchanged(folder)
