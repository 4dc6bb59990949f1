"""What every method owes where persons are named, over the whole registry; counted here by this test alone."""

import csv as csv_module
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

import covey
from covey.registry import METHODS
from oracles import persons as oracle

DEGREE = [entry for entry in METHODS if "degree" in entry.guarantees]


def visits(persons=120, seed=4, secrets=True):
    """(rows, names): a few persons with many rows, who buy the same secret thing again and again."""
    rng = np.random.default_rng(seed)
    rows, names = [], []
    for person in range(persons):
        secret = f"secret-{person % 3}" if secrets and person % 7 == 0 else None
        for _ in range(int(rng.geometric(0.3))):
            row = {f"t{person % 4}-{j}" for j in rng.integers(0, 9, 4)} | {f"own-{len(rows):04}"}
            if secret and rng.random() < 0.8:
                row.add(secret)
            rows.append(row)
            names.append(f"customer {person}")
    order = rng.permutation(len(rows))
    return [rows[i] for i in order], [names[i] for i in order]


def shop():
    rows, names = visits()
    secrets = sorted({item for row in rows for item in row if item.startswith("secret")})
    return rows, names, covey.Baskets.of(rows, sensitive=secrets, persons=names)


def published_groups(folder):
    """The groups of a release in CSV as lists of rows, by reading the file without covey."""
    groups = defaultdict(list)
    with (folder / "transactions.csv").open(newline="", encoding="utf-8") as stream:
        for row in csv_module.DictReader(stream):
            groups[int(row["group"])].append(set(row["items"].split("|")))
    return groups


def table(folder, name):
    with (folder / f"{name}.csv").open(newline="", encoding="utf-8") as stream:
        return list(csv_module.DictReader(stream))


@pytest.mark.parametrize("p", [2, 5, 8])
@pytest.mark.parametrize("entry", DEGREE, ids=lambda m: m.name)
def test_no_person_is_above_the_promise_in_any_group(entry, p, tmp_path):
    rows, names, data = shop()
    published = covey.publish(data, tmp_path / "out", f"degree(p={p})", entry.name, csv=True, seed=1)
    assert published.verdict.holds
    assert covey.verify(tmp_path / "out", data).holds
    # Every row has an item of its own, so this test knows whose row each published one is.
    whose = {next(i for i in row if i.startswith("own")): n for row, n in zip(rows, names, strict=True)}
    secret = {next(i for i in row if i.startswith("own")): {i for i in row if i.startswith("secret")} for row in rows}
    groups = published_groups(tmp_path / "out")
    stated = {int(r["group"]): int(r["persons"]) for r in table(tmp_path / "out", "groups")}
    held = {(int(r["group"]), r["item"]): int(r["persons"]) for r in table(tmp_path / "out", "sensitive")}
    home = {}
    for number, members in groups.items():
        own = [next(i for i in row if i.startswith("own")) for row in members]
        by_person = oracle.unions([secret[i] for i in own], [whose[i] for i in own])
        assert stated[number] == len(by_person)
        for item in set().union(*by_person.values()):
            holders = sum(item in items for items in by_person.values())
            assert held[number, item] == holders
            assert Fraction(holders, len(by_person)) <= Fraction(1, p)
        for person in by_person:
            assert home.setdefault(person, number) == number
    assert len(home) == len(set(names))


def test_rows_would_not_have_protected_these_persons():
    """The data above is of the kind that makes naming persons necessary: this is what happens without."""
    rows, names, data = shop()
    rowwise = covey.Baskets.of(rows, sensitive=data.sensitive_items())
    release = covey.anonymize(rowwise, "degree(p=5)", seed=1)
    position = {next(i for i in row if i.startswith("own")): k for k, row in enumerate(rows)}
    worst = 0
    for g in range(release.groups):
        members = [release.transactions.basket(r) for r in range(*release.group_ptr[g : g + 2])]
        places = [position[next(i for i in row if i.startswith("own"))] for row in members]
        held = oracle.unions([rows[i] for i in places], [names[i] for i in places])
        for item in data.sensitive_items():
            worst = max(worst, Fraction(sum(item in items for items in held.values()), len(held)))
    assert worst > Fraction(1, 5)


@pytest.mark.parametrize("entry", DEGREE, ids=lambda m: m.name)
def test_a_person_per_row_changes_nothing_but_what_is_stated(entry):
    rows, _, data = shop()
    named = covey.Baskets.of(rows, sensitive=data.sensitive_items(), persons=range(len(rows)))
    plain = covey.Baskets.of(rows, sensitive=data.sensitive_items())
    one = covey.anonymize(plain, "degree(p=3)", entry.name, seed=2)
    other = covey.anonymize(named, "degree(p=3)", entry.name, seed=2)
    assert one.transactions == other.transactions
    np.testing.assert_array_equal(one.group_ptr, other.group_ptr)
    np.testing.assert_array_equal(other.group_persons, other.group_sizes())
    np.testing.assert_array_equal(one.count, other.count)
    assert one.group_persons is None
    assert "persons" not in one.counts()


SETS = [(entry, name) for entry in METHODS if entry.release == "sets" for name in entry.guarantees]


def merged_visits():
    """Rows and names as above, without items of their own, so that sets can be alike."""
    rows, names = visits(persons=90, seed=6)
    return [{item for item in row if not item.startswith("own")} for row in rows], names


@pytest.mark.parametrize(("entry", "name"), SETS, ids=lambda v: getattr(v, "name", v))
def test_sets_are_published_one_per_person(entry, name, tmp_path):
    rows, names = merged_visits()
    promise = {"k-anonymity": "k-anonymity(k=4)", "km-anonymity": "km-anonymity(k=3, m=2)"}.get(
        name, "coherence(h=0.8, k=3, p=2)"
    )
    secrets = sorted({i for row in rows for i in row if i.startswith("secret")}) if name == "coherence" else []
    if name != "coherence":
        rows = [{i for i in row if not i.startswith("secret")} for row in rows]
    data = covey.Baskets.of(rows, sensitive=secrets, persons=names)
    published = covey.publish(data, tmp_path / "out", promise, entry.name, seed=3)
    assert published.manifest.facts["unit"] == "person"
    assert published.manifest.counts["persons"] == len(set(names))
    assert "transactions" not in published.manifest.counts
    assert covey.verify(tmp_path / "out", data).holds
    # the same release as of the unions, read as if they were all there is
    people = oracle.unions(rows, names)
    unions = covey.Baskets.of(list(people.values()), sensitive=secrets)
    alike = covey.anonymize(unions, promise, entry.name, seed=3)
    release = covey.read_release(tmp_path / "out")
    np.testing.assert_array_equal(release.transactions.indices, alike.transactions.indices)
    assert release.transactions.items == alike.transactions.items
    # rows and persons are not mistaken for each other, in either direction
    assert [c.name for c in covey.verify(tmp_path / "out", unions_named(people)).failures()] == []
    with pytest.raises(covey.CoveyError, match="--person"):
        covey.verify(tmp_path / "out", unions)


def test_chunks_are_of_persons(tmp_path):
    rows, names = merged_visits()
    rows = [{i for i in row if not i.startswith("secret")} for row in rows]
    data = covey.Baskets.of(rows, persons=names)
    published = covey.publish(data, tmp_path / "out", "km-anonymity(k=3, m=2)", "disassociation", seed=3)
    assert published.manifest.facts == {"unit": "person"}
    assert published.manifest.counts["persons"] == len(set(names))
    assert covey.verify(tmp_path / "out", data).holds
    people = oracle.unions(rows, names)
    alike = covey.anonymize(covey.Baskets.of(list(people.values())), "km-anonymity(k=3, m=2)", "disassociation", seed=3)
    release = covey.read_release(tmp_path / "out")
    assert release.parts == alike.parts
    assert release.terms == alike.terms
    with pytest.raises(covey.CoveyError, match="--person"):
        covey.verify(tmp_path / "out", covey.Baskets.of(list(people.values())))


def unions_named(people):
    return covey.Baskets.of(list(people.values()), persons=list(people))


def test_sets_of_rows_are_refused_once_persons_are_named(tmp_path):
    rows, names = merged_visits()
    rows = [{i for i in row if not i.startswith("secret")} for row in rows]
    covey.publish(covey.Baskets.of(rows), tmp_path / "out", "k-anonymity(k=3)", seed=3)
    verdict = covey.verify(tmp_path / "out", covey.Baskets.of(rows, persons=names))
    assert [check.name for check in verdict.failures()] == ["the release counts persons"]


@pytest.mark.parametrize(
    "text", ["degree(p=2)", "k-anonymity(k=2)", "km-anonymity(k=2, m=2)", "coherence(h=0.5, k=2, p=1)"]
)
def test_data_as_it_stands_is_asked_about_persons(text):
    """Two visits of one person are no company for each other, though their rows are alike."""
    rows = [["ale", "test"], ["ale"], ["ale"], ["tea"], ["tea"], ["tea"]]
    marked = ["test"] if covey.guarantee(text).protects_sensitive and "km" not in text else []
    rows = rows if marked else [[i for i in row if i != "test"] for row in rows]
    alone = covey.Baskets.of(rows, sensitive=marked)
    assert covey.check(alone, text).holds
    named = covey.Baskets.of(rows, sensitive=marked, persons=["ann", "ann", "ann", "bob", "cai", "dee"])
    verdict = covey.check(named, text)
    assert not verdict.holds
    assert "person" in verdict.failures()[0].name + verdict.failures()[0].detail
