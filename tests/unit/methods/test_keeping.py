"""People who were together stay together, and the promise is kept all the same."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import covey
from covey.guarantees import guarantee
from covey.methods.keeping import filled_up, keep_classes, keep_company
from covey.registry import method, methods
from releases import few

people = st.lists(st.tuples(st.sets(st.sampled_from("st")), st.integers(-1, 2)), min_size=4, max_size=24)


def with_groups(rows):
    data = covey.Baskets.of([[*held, f"i{i % 5}"] for i, (held, _) in enumerate(rows)], sensitive=[])
    named = [s for s in "st" if s in data.items]
    return data.with_sensitive(named), np.array([before for _, before in rows])


@few
@given(people, st.integers(2, 3))
def test_every_block_keeps_the_degree(rows, p):
    data, before = with_groups(rows)
    secret = data.only(data.sensitive)
    assume(all(p * often <= data.n for often in secret.supports()))
    block = filled_up(
        np.unique(before, return_inverse=True)[1].reshape(-1), secret, p, before, np.random.default_rng(0)
    )
    for one in np.unique(block):
        members = np.flatnonzero(block == one)
        assert all(p * often <= len(members) for often in secret.take(members).supports())
    moved = np.array([block[i] != block[j] for i in range(data.n) for j in range(i) if before[i] == before[j]])
    short = [g for g in set(before.tolist()) if any(p * x > (before == g).sum() for x in held_in(secret, before == g))]
    # Nobody moves unless some group needs to be filled up.
    assert short or not moved.any()


def held_in(secret, mask):
    return secret.take(np.flatnonzero(mask)).supports().tolist()


@pytest.mark.parametrize("name", [entry.name for entry in methods(guarantee="degree")])
def test_new_groups_lie_within_earlier_ones_with_every_method(name):
    rng = np.random.default_rng(0)
    rows = [{f"i{j}" for j in rng.integers(0, 30, 4)} | ({"s"} if i % 12 == 0 else set()) for i in range(360)]
    data = covey.Baskets.of(rows, sensitive=["s"])
    before = np.arange(360) // 60 - 1
    promise, chosen = guarantee("degree(p=4)"), method(name, seed=0)
    made = keep_company(lambda some: chosen.groups(some, promise, lambda *_: None), data, promise, before, [0])
    for g in range(made.number):
        assert len(set(before[made.group == g].tolist())) == 1
    assert np.bincount(made.group).min() >= 4
    release = chosen.anonymize(data, promise, before=before)
    assert covey.check(release, promise).holds


persons = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from("xy"), st.sampled_from("uvw"), st.integers(-1, 2)),
    min_size=4,
    max_size=24,
)


@few
@given(persons, st.sampled_from(["k-anonymity(k=2)", "l-diversity(l=2, k=3)"]))
def test_new_classes_keep_the_promise_and_lie_within_earlier_ones_that_do(rows, text):
    *columns, before = (list(column) for column in zip(*rows, strict=True))
    data = covey.Table.of(dict(zip(("age", "sex", "ill"), columns, strict=True)), sensitive=["ill"])
    promise, chosen = guarantee(text), method("mondrian", data="table", seed=0)

    def keeps(members):
        values = {rows[i][2] for i in members}
        return len(members) >= promise.k and len(values) >= getattr(promise, "l", 1)

    assume(keeps(range(len(rows))))
    made = keep_classes(lambda some: chosen.groups(some, promise, lambda *_: None), data, promise, np.array(before))
    classes = [[i for i in range(len(rows)) if made.group[i] == g] for g in range(made.number)]
    assert all(keeps(members) for members in classes)
    assert sum(map(len, classes)) == len(rows)
    earlier = {b: [i for i in range(len(rows)) if before[i] == b] for b in set(before)}
    able = {b for b, members in earlier.items() if keeps(members)}
    for members in classes:
        together = {before[i] for i in members}
        # Two earlier classes meet only where one of them could not keep the promise any more.
        assert len(together & able) <= 1 or together - able
    if able == set(before):
        assert all(len({before[i] for i in members}) == 1 for members in classes)
    assert covey.check(chosen.anonymize(data, promise, before=np.array(before)), promise).holds


def test_persons_who_are_alike_are_placed_without_a_warning():
    # Any of those with the same baskets and secrets may stand for another; only who could be elsewhere is warned of.
    rows = [["a"], ["b"]] * 8 + [["a", "s"], ["b", "s"]]
    visits = covey.Baskets.of(rows, sensitive=["s"], persons=[f"p{i}" for i in range(18)])
    earlier = covey.anonymize(visits, "degree(p=4)", "cahd(merge=false)", seed=1)
    assert earlier.groups > 1
    assert covey.check(covey.anonymize(visits, "degree(p=4)", "cahd", like=earlier, seed=2), "degree(p=4)").holds
