"""What every method owes, run over the whole registry: every method with every guarantee it claims."""

import dataclasses

import numpy as np
import pytest

import covey
from covey.guarantees import GUARANTEES
from covey.registry import METHODS
from covey.verify import check_release

#: One feasible instance of each guarantee on the data below.
INSTANCES = {
    "coherence": "coherence(h=0.8, k=3, p=2)",
    "degree": "degree(p=4)",
    "k-anonymity": "k-anonymity(k=4)",
    "k-eps-l": "k-eps-l(k=4, epsilon=1, l=1)",
    "km-anonymity": "km-anonymity(k=3, m=2)",
    "l-diversity": "l-diversity(l=2, k=3)",
}

PAIRS = [(m, g) for m in METHODS for g in m.guarantees]
BASKET_PAIRS = [(m, g) for m, g in PAIRS if m.data == "baskets"]


def shop_like():
    rng = np.random.default_rng(5)
    rows = []
    for i in range(300):
        taste = i % 3
        row = {f"t{taste}-{j}" for j in rng.integers(0, 8, rng.integers(0, 6))}
        row |= {f"any-{j}" for j in rng.integers(0, 5, rng.integers(0, 3))}
        if rng.random() < 0.12:
            row.add(f"secret-{taste}")
        if rng.random() < 0.03:
            row.add("secret-rare")
        rows.append(sorted(row))
    secrets = sorted({x for row in rows for x in row if x.startswith("secret")})
    return covey.Baskets.of(rows, sensitive=secrets)


def label(pair):
    return f"{pair[0].name}-{pair[1]}"


def test_every_guarantee_has_an_instance_here():
    assert set(INSTANCES) == set(GUARANTEES)


@pytest.mark.parametrize("entry", METHODS, ids=lambda m: m.name)
def test_a_method_is_a_frozen_keyword_only_dataclass(entry):
    cls = entry.load()
    assert cls.name == entry.name
    made = cls()
    assert dataclasses.is_dataclass(made)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.seed = 1
    with pytest.raises(TypeError):
        cls(1)
    assert "seed" not in made.options()
    assert set(made.options()) <= {f.name for f in dataclasses.fields(made)}


@pytest.mark.parametrize("pair", BASKET_PAIRS, ids=label)
@pytest.mark.parametrize("csv", [False, True], ids=["parquet", "csv"])
def test_written_releases_verify_against_the_original(pair, csv, tmp_path):
    entry, name = pair
    data = shop_like()
    published = covey.publish(data, tmp_path / "out", INSTANCES[name], entry.name, csv=csv)
    assert published.verdict.holds
    assert published.manifest.kind == entry.release
    verdict = covey.verify(tmp_path / "out", data)
    assert verdict.holds, verdict.failures()
    assert covey.guarantee(published.manifest.guarantee) == covey.guarantee(INSTANCES[name])


@pytest.mark.parametrize("pair", BASKET_PAIRS, ids=label)
def test_same_seed_same_release_and_input_untouched(pair):
    entry, name = pair
    data = shop_like()
    before = (data.indptr.copy(), data.indices.copy(), data.sensitive.copy())
    first = covey.anonymize(data, INSTANCES[name], entry.name, seed=11)
    again = covey.anonymize(data, INSTANCES[name], entry.name, seed=11)
    assert first.transactions == again.transactions
    assert first.counts() == again.counts()
    for now, then in zip((data.indptr, data.indices, data.sensitive), before, strict=True):
        assert (now == then).all()


@pytest.mark.parametrize("pair", [p for p in BASKET_PAIRS if p[1] == "degree"], ids=label)
def test_infeasible_degrees_are_refused(pair):
    with pytest.raises(covey.Infeasible) as caught:
        covey.anonymize(shop_like(), "degree(p=200)", pair[0].name)
    best = caught.value.best
    release = covey.anonymize(shop_like(), f"degree(p={best})", pair[0].name)
    assert check_release(covey.guarantee(f"degree(p={best})"), release).holds


def test_a_method_that_does_not_keep_the_guarantee_is_refused():
    with pytest.raises(covey.CoveyError, match="Did you mean 'cahd'"):
        covey.anonymize(shop_like(), "degree(p=2)", "chad")
