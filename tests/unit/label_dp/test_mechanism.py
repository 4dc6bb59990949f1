"""The mechanism of label-dp: sums, caps, noise, and the likelihood ratio of neighbours."""

import random
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import covey
from covey.guarantees import guarantee
from covey.methods.noisy_model import NoisyModel, capped, measured_sums, noise
from oracles import label_dp as oracle


def shop(seed=5, n=400, secrets=3):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        taste = rng.integers(3)
        row = {f"t{taste}-{j:02}" for j in rng.integers(0, 12, rng.integers(0, 9))}
        row |= {f"secret-{s}" for s in range(secrets) if rng.random() < (0.3 if taste == s else 0.05)}
        rows.append(sorted(row))
    return covey.Baskets.of(rows, sensitive=[f"secret-{s}" for s in range(secrets)])


def released(data, epsilon=1.0, seed=3, **options):
    return NoisyModel(insecure_seed=seed, **options).anonymize(data, guarantee(f"label-dp(epsilon={epsilon:g})"))


def published(release, number):
    """The noisy sums of a sensitive item, and their scales, as the oracle has them."""
    table = release.to_frame("models", library="arrow").to_pylist()
    mine = [row for row in table if row["sensitive"] == release.sensitive_items[number]]
    cell = {"wide": "cell", "middle": "cell"}
    sums = {(cell.get(row["part"], row["part"]), row["name"]): row["sum"] for row in mine}
    return sums, {cell.get(row["part"], row["part"]): row["scale"] for row in mine}


def vectors(release, number):
    """What each published transaction would add to the sums of a sensitive item, by the oracle."""
    level = release.secrets[number].level
    centres = release.to_frame("centres", library="arrow").to_pylist()
    cells, labels = release.joined.shape[1], release.transactions.items
    scores = {(row["item"], row["cell"]): row["score"] for row in centres}
    supports = release.transactions.supports()
    frequent = {labels[i]: supports[i] for i in release.public().frequent} if level else {}
    found = []
    for row in range(release.n):
        items = release.transactions.basket(row)
        cell = oracle.cell_of(items, scores, cells)
        assert cell == release.cell[row]
        found.append(oracle.vector(items, frequent, release.joined[level][cell]))
    return found


def exact(monkeypatch):
    """Releases without noise."""
    monkeypatch.setitem(
        vars(sys.modules[NoisyModel.__module__]), "noise_source", lambda seed: lambda values, scale: values
    )


def order_of(data, seed=3):
    return np.random.default_rng([seed, 1]).permutation(data.n)


def holders(data, seed=3):
    """For each sensitive item the published rows that hold it."""
    secret = data.only(data.sensitive).take(order_of(data, seed))
    return [set(secret.row_of_entries()[secret.indices == s].tolist()) for s in range(secret.d)]


def test_golden_sums_of_six_baskets(monkeypatch):
    exact(monkeypatch)
    rows = [["a", "b", "s"], ["a", "s"], ["b"], ["a", "c"], ["s"], ["a", "b", "c", "s"]]
    release = released(covey.Baskets.of(rows, sensitive=["s"]), epsilon=20)
    # Supports a 4, b 3, c 2: of three items, one counts 2^20 / √support out of 2 together, rounded down: 2 of 1,871,138
    a, b, c = (2 * 65536 * one // (524288 + 605395 + 741455) for one in (524288, 605395, 741455))
    assert (a, b, c) == (36726, 42407, 51938)
    assert published(release, 0)[0] == {
        ("total", ""): 4 * 65536,
        ("item", "a"): 2 * 65536 + a,
        ("item", "b"): 65536 + b,
        ("item", "c"): c,
        ("cell", "0"): 4 * 65536,
        **{("length", str(items)): 65536 for items in range(4)},
    }
    # 1 of 65536 per .06, .48, .36 and .1 of 20, times 1, 2, 1 and 1, rounded up
    assert published(release, 0)[1] == {"total": 54614, "item": 13654, "cell": 9103, "length": 32768}


@pytest.mark.parametrize("epsilon", [0.5, 4, 16])
def test_sums_are_those_of_the_oracle(monkeypatch, epsilon):
    exact(monkeypatch)
    data = shop(n=150)
    release = released(data, epsilon)
    for number, rows in enumerate(holders(data)):
        added, (values, _) = vectors(release, number), published(release, number)
        true = oracle.sums_of(added[row] for row in rows)
        assert values == {key: true.get(key, 0) for key in values}
        assert set(true) <= set(values)


def test_noise_of_all_sums_costs_epsilon_and_no_more():
    release = released(shop(), 0.7)
    for number, secret in enumerate(release.secrets):
        _, scale = published(release, number)
        cost = sum(Fraction(oracle.GRID * change, scale[part]) for part, change in
                   {"total": 1, "item": 2, "cell": 1, "length": 1}.items() if part in scale)  # fmt: skip
        assert 0.9999 * 0.7 < cost <= Fraction(0.7)
        assert tuple(scale.values()) == tuple(s for s in release.scales(secret) if s)


@pytest.mark.parametrize(("epsilon", "flips"), [(1.0, 300), pytest.param(1.0, 10_000, marks=pytest.mark.slow)])
def test_likelihood_ratio_of_neighbours_is_at_most_epsilon(epsilon, flips):
    data = shop(n=500)
    release, rng = released(data, epsilon), random.Random(7)
    largest = Fraction(0)
    held = holders(data)
    added = [vectors(release, number) for number in range(len(held))]
    sums = [oracle.sums_of(added[number][row] for row in rows) for number, rows in enumerate(held)]
    noisy = [published(release, number) for number in range(len(held))]
    for _ in range(flips):
        number, row = rng.randrange(len(held)), rng.randrange(release.n)
        change, sign = added[number][row], -1 if row in held[number] else 1
        values, scale = noisy[number]
        assert set(change) <= set(values)
        near = {key: values[key] for key in change}
        others = {key: sums[number][key] + sign * value for key, value in change.items()}
        largest = max(largest, abs(oracle.log_ratio(near, scale, sums[number], others)))
    assert epsilon / 3 < largest <= Fraction(epsilon)


def test_persons_change_the_sums_by_no_more_than_their_measured_transactions():
    data = shop(n=600)
    data = replace(data, person=np.repeat(np.arange(120, dtype=np.int32), 5))
    release = released(data, rows_each=2)
    people = np.repeat(np.arange(120), 5)[order_of(data)]
    assert np.bincount(people[release.measured]).tolist() == [2] * 120
    added, (values, scale) = vectors(release, 0), published(release, 0)
    for person in range(120):
        rows = np.flatnonzero((people == person) & release.measured)
        most = oracle.sums_of(added[row] for row in rows)
        cost = sum(Fraction(value, scale[key[0]]) for key, value in most.items() if key in values)
        assert cost <= 1


def test_a_long_transaction_counts_no_more_than_a_short_one(monkeypatch):
    exact(monkeypatch)
    long = [f"i{j:02}" for j in range(60)]
    release = released(covey.Baskets.of([[*long, "s"]] * 4 + [[item] for item in long], sensitive=["s"]), epsilon=20)
    values, _ = published(release, 0)
    assert 0 < sum(value for (part, _), value in values.items() if part == "item") <= 4 * 2 * oracle.GRID


def test_nothing_but_the_sums_depends_on_who_holds_what():
    data = shop()
    rng = np.random.default_rng(1)
    rows = [[*data.basket(row)] for row in range(data.n)]
    mixed = [[item for item in row if not item.startswith("secret")] for row in rows]
    for number, row in enumerate(rng.choice(data.n, 40, replace=False)):
        mixed[row].append(f"secret-{number % 3}")
    one, two = released(data), released(covey.Baskets.of(mixed, sensitive=data.sensitive_items()))
    assert one.counts() == two.counts()
    assert one.facts() == two.facts()
    assert one.made == two.made
    assert one.transactions == two.transactions
    for name in ("cell", "scored", "scores", "joined"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.public().offsets, two.public().offsets)


def test_what_is_measured_depends_on_the_noisy_total_alone():
    release = released(shop())
    rows, public = release.public().rows, release.public()
    for total in (3, 100, 5000):

        def add_noise(values, scale, total=total):
            return np.full_like(values, total * oracle.GRID)

        seen = {measured_sums(rows.some(np.arange(held)), public, 1.0, 1, add_noise)[0] for held in (0, 10, 399)}
        assert len(seen) == 1


def test_every_sum_has_noise_of_its_own():
    rows = [[f"i{j % 7}", f"j{j % 11}"] for j in range(300)] + [["i1", *(f"s{k:02}" for k in range(20))]] * 20
    release = released(covey.Baskets.of(rows, sensitive=[f"s{k:02}" for k in range(20)]), epsilon=20)
    noisy = np.array([list(published(release, s)[0].values())[1:] for s in range(20)], np.float64)
    assert np.abs(np.corrcoef(noisy - np.median(noisy, axis=0)) - np.eye(20)).max() < 0.9
    assert len(np.unique(noisy)) > 0.97 * noisy.size  # a few are equal by chance


@pytest.mark.parametrize("seed", [None, 1], ids=["opendp", "seeded"])
def test_noise_is_discrete_laplace(seed):
    scale = 40
    drawn = noise.noise_source(seed)(np.zeros(20_000, np.int64), scale)
    assert drawn.dtype == np.int64
    q, sizes = np.exp(-1 / scale), np.arange(-400, 401)
    chance = (1 - q) / (1 + q) * q ** np.abs(sizes)
    found = np.array([(drawn <= size).mean() for size in sizes])
    assert np.abs(found - np.cumsum(chance)).max() < 0.02  # Kolmogorov: above 0.02 once in 5 million


def test_noise_of_releases_comes_from_opendp(monkeypatch):
    import opendp.prelude as dp

    asked, returned, real = [], [], dp.m.make_laplace

    def recorded(*space, scale):
        asked.append(scale)
        return lambda values: returned.append(real(*space, scale=scale)(values)) or returned[-1]

    monkeypatch.setattr(dp.m, "make_laplace", recorded)
    release = covey.anonymize(shop(n=100), "label-dp(epsilon=1)")
    assert asked == [scale for secret in release.secrets for scale in release.scales(secret) if scale]
    assert noise.noise_source(None)(np.arange(50), 7).tolist() == returned[-1]


def test_cap_keeps_a_random_choice_of_each_person():
    data = covey.Baskets.of([["s", "t", "u"]] * 3000 + [["a"]], sensitive=["s", "t", "u"])
    kept = capped(data.only(data.sensitive), 1, np.random.default_rng(1))
    assert set(kept.lengths()[:-1].tolist()) == {1}
    assert np.abs(kept.supports() - 1000).max() < 150
    visits = replace(data, person=np.append(np.repeat(np.arange(1500, dtype=np.int32), 2), 1500).astype(np.int32))
    kept = capped(visits.only(visits.sensitive), 2, np.random.default_rng(1)).by_person()
    assert set(kept.lengths()[:-1].tolist()) == {2}
