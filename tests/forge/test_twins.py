"""Sensitive items that are published under a name which people take for another, or for the same."""

import pyarrow as pa
import pytest

import covey
from forge.tools import column, refused

TWINS = {
    "a blank behind": "viagra ",
    "capitals": "Viagra",
    "a hard blank": "viagra\u00a0",
    "full width": "ｖｉａｇｒａ",
    "a ligature": "viagra".replace("f", "ﬁ") + "\u2060",
    "zero width": "via\u200bgra",
    "soft hyphen": "via\u00adgra",
    "a mark of direction": "\u202eviagra",
    "byte order": "\ufeffviagra",
    "a variant": "viagra\ufe0f",
    "a filler": "viagra\u3164",
    "a control": "viagra\x00",
    "bold": "𝐯𝐢𝐚𝐠𝐫𝐚",
}


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
@pytest.mark.parametrize(("kind", "table"), [("grouped", "transactions"), ("private", None)])
def test_no_twin_of_a_sensitive_item_is_published(forge, kind, table, twin):
    release = forge(kind)
    table = table or release.main
    rows = release.rows(table)
    named = [sorted(twin if item == "wine" else item for item in row) for row in rows["items"].to_pylist()]
    assert any(twin in row for row in named)
    release.replace(table, column(rows, "items", pa.array(named)))
    if kind == "private":
        release.text("recoding.csv", lambda text: recoded(text, twin))
    refused(release)


def recoded(text, twin):
    quote = '"' if b'"item"' in text else ""
    lines = text.decode().replace(f"{quote}wine{quote}", f"{quote}{twin}{quote}").rstrip("\n").split("\n")
    return "\n".join([lines[0], *sorted(lines[1:]), ""]).encode()


def test_a_sensitive_item_itself_is_not_published(forge):
    release = forge("grouped")
    rows = release.rows("transactions")
    named = [sorted("viagra" if item == "wine" else item for item in row) for row in rows["items"].to_pylist()]
    release.replace("transactions", column(rows, "items", pa.array(named)))
    refused(release, "'viagra' is published in single transactions")


def with_counts(release, rows):
    """The release with other counts of sensitive items: lists of group, item, count and perhaps persons."""
    names = release.rows("sensitive").column_names
    rows = sorted(rows)
    types = [pa.string() if name == "item" else pa.int64() for name in names]
    columns = [pa.array(values, type) for values, type in zip(zip(*rows, strict=True), types, strict=True)]
    release.replace("sensitive", pa.table(dict(zip(names, columns, strict=True))))
    items = {item for _, item, *_ in rows}
    return release.state("counts", sensitive_entries=sum(row[2] for row in rows), sensitive_items=len(items))


@pytest.mark.parametrize("kind", ["grouped", "patients"])
@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
def test_no_holder_is_counted_under_a_twin_of_the_item(forge, kind, twin):
    release = forge(kind)
    rows = [list(row.values()) for row in release.rows("sensitive").to_pylist()]
    again = [[row[0], twin, *row[2:]] for row in rows if row[1] == "viagra"]
    assert again
    refused(with_counts(release, [*rows, *again]), "every group keeps degree(p=4)")


@pytest.mark.parametrize("item", ["illness =gout", "Illness= gout", "ill\u200bness=gout"])
def test_no_value_is_counted_under_a_twin(forge, item):
    release = forge("patients")
    rows = [list(row.values()) for row in release.rows("sensitive").to_pylist()]
    again = [[row[0], item, *row[2:]] for row in rows if row[1] == "illness=gout"]
    assert again
    refused(with_counts(release, [*rows, *again]), "every group keeps degree(p=4)")


@pytest.mark.parametrize("promise", ["distinct", "frequency"])
def test_no_class_is_diverse_by_twins(forge, promise):
    release = forge("table").seal(guarantee=f"l-diversity(l=2, k=3, kind={promise})")
    rows = release.rows("table")
    place = dict.fromkeys(zip(rows["age"].to_pylist(), rows["city"].to_pylist(), strict=True), 0)
    illness = []
    for seen in zip(rows["age"].to_pylist(), rows["city"].to_pylist(), strict=True):
        place[seen] += 1
        illness.append(("flu", "Flu", "flu\u200b", "ﬂu")[place[seen] % 4])
    release.replace("table", column(rows, "illness", pa.array(illness, pa.string())))
    refused(release, "well represented values of illness")


def test_private_items_are_not_split_over_twins(forge):
    release = forge("private")
    names = [*TWINS.values(), "viagra"]
    rows = [[names[i % len(names)]] for i in range(release.original.n)]
    release.replace("private", pa.table({"items": pa.array(rows, pa.list_(pa.string()))}))
    release.state("counts", private_entries=len(rows))
    refused(release, "with one private item")


SPELLED = [["a", "viagra"], ["a", "Viagra"], *[["a"]] * 4, *[["b"]] * 4]


@pytest.mark.parametrize("guarantee", ["degree(p=4)", "coherence(h=0.9, k=2, p=1)"])
def test_nothing_is_made_of_sensitive_items_that_read_the_same(tmp_path, guarantee):
    """Neither of marks in memory nor of a file; with one spelling it is made, and verified."""
    both, one = (covey.Baskets.of(SPELLED, sensitive=names) for names in (["viagra", "Viagra"], ["viagra"]))
    with pytest.raises(covey.InputError, match=r"'Viagra' and 'viagra' differ only in case.*--query"):
        covey.publish(both, tmp_path / "release", guarantee)
    with pytest.raises(covey.InputError, match=r"'Viagra' differs from the sensitive item.*--query"):
        covey.publish(one, tmp_path / "release", guarantee)
    path = tmp_path / "long.csv"
    lines = [f"{number},{item}" for number, row in enumerate(SPELLED) for item in row]
    path.write_text("order,item\n" + "\n".join(lines) + "\n")
    with pytest.raises(covey.InputError, match="--query"):
        covey.publish(path, tmp_path / "release", guarantee, sensitive="viagra,Viagra")
    folded = covey.read(path, sensitive="viagra", query="SELECT * REPLACE (plain(item) AS item) FROM data")
    if guarantee.startswith("degree"):
        guarantee = "degree(p=5)"
    assert covey.publish(folded, tmp_path / "release", guarantee).verdict.holds


@pytest.mark.parametrize("kind", ["distinct", "frequency"])
@pytest.mark.parametrize("method", ["mondrian", "hilbert", "pattern-ka"])
@pytest.mark.parametrize("persons", [False, True])
def test_classes_are_made_of_values_as_they_are_read(tmp_path, kind, method, persons):
    values = ["flu", "Flu", "ﬂu", *(f"kind {i}" for i in range(17))]
    columns = {"age": [i * i % 83 for i in range(160)], "illness": [values[i * 7 % 20] for i in range(160)]}
    whose = [i // 2 for i in range(160)] if persons else None
    table = covey.Table.of(columns, sensitive=["illness"], persons=whose)
    made = covey.publish(table, tmp_path / "release", f"l-diversity(l=2, k=3, kind={kind})", method, seed=3)
    assert made.verdict.holds
    assert {"flu", "Flu"} <= set(covey.read_release(tmp_path / "release").column("illness").labels)
