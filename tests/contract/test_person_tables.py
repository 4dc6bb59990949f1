"""Tables whose persons have several rows: every method and promise, counted here by this test alone."""

import numpy as np
import pytest

import covey
from covey.registry import METHODS

#: Some of this data is so small that little can be kept of it.
pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.LittleKept")

TABLES = [
    (entry, text)
    for entry in METHODS
    if entry.data == "table"
    for text in ("k-anonymity(k=4)", "l-diversity(l=2, k=3)", "l-diversity(l=3, k=5, kind=frequency)")
    if covey.guarantee(text).name in entry.guarantees
]


def columns(persons=70, seed=2, steady=True):
    """Lines of bills: age and place belong to the person (unless not `steady`), the illness may differ by line."""
    rng = np.random.default_rng(seed)
    lines = {"age": [], "place": [], "illness": [], "line": []}
    names = []
    for person in range(persons):
        age, place = int(rng.integers(20, 80)), f"p{rng.integers(0, 5)}"
        for _ in range(int(rng.geometric(0.35))):
            lines["age"].append(age if steady else age + int(rng.integers(0, 9)))
            lines["place"].append(place)
            lines["illness"].append(f"illness {rng.integers(0, 14)}")
            lines["line"].append(str(len(names)))
            names.append(f"patient {person}")
    return lines, names


def table(**kind):
    lines, names = columns(**kind)
    return lines, names, covey.Table.of(lines, sensitive=["illness"], other=["line"], persons=names)


@pytest.mark.parametrize("steady", [True, False])
@pytest.mark.parametrize(("entry", "text"), TABLES, ids=lambda v: getattr(v, "name", v))
def test_every_class_has_enough_persons(entry, text, steady, tmp_path):
    lines, names, data = table(steady=steady)
    published = covey.publish(data, tmp_path / "out", text, entry.name, seed=1)
    assert published.verdict.holds
    promise = covey.guarantee(text)
    release = covey.read_release(tmp_path / "out")
    frame = release.to_frame()
    # the unchanged column tells which line each published row is
    classes = {}
    for _, row in frame.iterrows():
        line = int(row["line"])
        classes.setdefault((row["age"], row["place"]), []).append((names[line], lines["illness"][line]))
    assert len(classes) == release.counts()["classes"]
    homes = {}
    for number, (key, members) in enumerate(sorted(classes.items())):
        persons = {name for name, _ in members}
        assert len(persons) >= promise.k
        assert release.class_persons[number] == len(persons)
        for name in persons:
            assert homes.setdefault(name, key) == key
        held = {}
        for name, illness in members:
            held.setdefault(illness, set()).add(name)
        if promise.name == "l-diversity" and promise.kind == "distinct":
            assert len(held) >= promise.l
        elif promise.name == "l-diversity":
            assert max(map(len, held.values())) * promise.l <= len(persons)


def test_rows_alone_are_no_company(tmp_path):
    """As a table of lines has it: five lines of one buyer are a class of five."""
    lines, _, data = table()
    rowwise = covey.Table.of(lines, sensitive=["illness"], other=["line"])
    covey.publish(rowwise, tmp_path / "out", "k-anonymity(k=4)", seed=1)
    assert covey.verify(tmp_path / "out", rowwise).holds
    assert [c.name for c in covey.verify(tmp_path / "out", data).failures()] == ["the release counts persons"]
    assert not covey.check(data, "k-anonymity(k=4)").holds


def test_data_as_it_stands_is_asked_about_persons():
    ages = {"age": [30, 30, 30, 40, 40, 40], "ill": ["a", "b", "a", "a", "b", "c"]}
    plain = covey.Table.of(ages, sensitive=["ill"])
    named = covey.Table.of(ages, sensitive=["ill"], persons=[1, 1, 2, 3, 4, 5])
    assert covey.check(plain, "k-anonymity(k=3)").holds
    assert not covey.check(named, "k-anonymity(k=3)").holds
    assert covey.check(named, "k-anonymity(k=2)").holds
    assert covey.check(named, "l-diversity(l=2, k=2)").holds
    # of the two who are 30, both have 'a'
    assert not covey.check(named, "l-diversity(l=2, k=2, kind=frequency)").holds


def test_infeasible_counts_persons():
    data = covey.Table.of({"age": [1, 2, 3]}, persons=["x", "x", "y"])
    with pytest.raises(covey.Infeasible, match="only 2 persons"):
        covey.anonymize(data, "k-anonymity(k=3)")
