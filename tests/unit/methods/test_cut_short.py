"""A search that is cut short says so, by the name of the option that did it; one that is not says nothing."""

import numpy as np
import pytest

import covey
from covey.data import Baskets, Table, Taxonomy
from covey.guarantees import guarantee
from covey.methods import aa, mm
from covey.methods.aa import AA
from covey.methods.cahd import CAHD
from covey.methods.hghs import HgHs
from covey.methods.mhghs import MHgHs
from covey.methods.mm import MM
from covey.methods.pattern_ka import PatternKa
from covey.methods.pattern_ka_table import PatternKaTable
from covey.methods.suppress import Suppress
from covey.parameters import parameters_of
from covey.synth.survey import survey
from covey.verify import check_release

TREE = Taxonomy.from_paths([[f"i{j}", f"g{j % 8}", f"h{j % 4}", f"k{j % 2}"] for j in range(16)])


def holders_first():
    """Half of the rows hold the secret, and band order puts them before those with which they could share a group."""
    return Baskets.of([["x", "w", "s"]] * 1000 + [["y"]] * 1000, sensitive=["s"])


def dense():
    rng = np.random.default_rng(4)
    return Baskets.of([np.flatnonzero(rng.random(60) < 0.5).tolist() for _ in range(300)])


def sparse():
    rng = np.random.default_rng(2)
    return Baskets.of([[f"i{j}" for j in rng.integers(0, 16, 4)] for _ in range(80)])


def many():
    rng = np.random.default_rng(0)
    return Baskets.of([[str(item) for item in rng.choice(40, 12, replace=False)] for _ in range(300)])


def wide(columns):
    rng = np.random.default_rng(1)
    return Table.of({f"c{i}": [f"v{v}" for v in rng.integers(0, 2, 60)] for i in range(columns)})


def answers(seed, sensitive=()):
    data = survey(respondents=120, issues=4, profiles=3, answered=0.9, noise=0.2, seed=seed)
    return data.with_sensitive([data.issues[i] for i in sensitive])


#: What forces a note, what does not, the data, the promise, and the note.
CASES = {
    "cahd": (CAHD(), CAHD(alpha=30), holders_first, "degree(p=2)", "alpha"),
    "pattern-ka": (PatternKa(work=1), None, dense, "k-anonymity(k=5)", "work"),
    "pattern-ka-table": (
        PatternKaTable(choices=5),
        PatternKaTable(),
        lambda: wide(6),
        "k-anonymity(k=4)",
        "choices",
    ),
    "hghs": (HgHs(work=1), HgHs(), many, "km-anonymity(k=5, m=4)", "work"),
    "mhghs": (MHgHs(work=1), MHgHs(), many, "km-anonymity(k=5, m=4)", "work"),
    "mm": (MM(work=1), MM(), many, "km-anonymity(k=5, m=4)", "work"),
    "aa": (AA(taxonomy=TREE, trials=1), AA(taxonomy=TREE), sparse, "km-anonymity(k=3, m=2)", "trials"),
    "suppress-rounds": (Suppress(rounds=1), Suppress(), lambda: answers(2), "k-eps-l(k=3, epsilon=1)", "rounds"),
    "suppress-tries": (
        Suppress(tries=1),
        Suppress(),
        lambda: answers(1, [0]),
        "k-eps-l(k=4, epsilon=1, l=1)",
        "tries",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_cut_a_search_short_is_noted_and_the_promise_kept(case):
    forced, patient, data, promise, note = case
    release = forced.anonymize(data(), guarantee(promise))
    assert release.notes == (note,)
    assert release.made.notes == (note,)
    [declared] = [p for p in parameters_of(type(forced)) if p.name == note]
    assert "may" in declared.cut_short
    assert check_release(guarantee(promise), release).holds
    if patient is not None:
        assert patient.anonymize(data(), guarantee(promise)).notes == ()


@pytest.mark.parametrize("module", [aa, mm], ids=["aa", "mm"])
def test_mhghs_says_when_what_it_compares_with_was_cut_short(monkeypatch, module):
    rows = [["x", c] for c in "abcdef"] * 2 + [[c] for c in "abcdef"] * 2 + [["x"]]
    data, promise = Baskets.of(rows), guarantee("km-anonymity(k=3, m=2)")
    assert MHgHs().anonymize(data, promise).notes == ()
    monkeypatch.setattr(module, "MEMBERS", 0)
    release = MHgHs().anonymize(data, promise)
    assert release.notes == ("work",)
    assert check_release(promise, release).holds


def shop_like():
    rng = np.random.default_rng(5)
    rows = [{f"i{j}" for j in rng.integers(0, 16, rng.integers(0, 6))} for _ in range(300)]
    return [row | {"s"} if rng.random() < 0.1 else row for row in rows]


@pytest.mark.parametrize(
    ("method", "promise"), [(PatternKa(), "k-anonymity(k=4)"), (MM(), "coherence(h=0.5, k=3, p=2)")]
)
def test_normal_runs_have_no_notes(method, promise):
    data = Baskets.of(shop_like(), sensitive=["s"])
    assert method.anonymize(data, guarantee(promise)).notes == ()


def test_notes_are_in_the_release_as_it_is_read_back(tmp_path):
    covey.publish(dense(), tmp_path / "out", "k-anonymity(k=5)", "pattern-ka", work=1)
    assert covey.read_release(tmp_path / "out").notes == ("work",)
