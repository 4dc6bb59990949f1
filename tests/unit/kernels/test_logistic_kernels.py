"""Propensities: the solver finds the minimum that it claims, and nobody is judged by what was learned from them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import covey
from covey.data.csr import transpose
from covey.data.propensity import (
    LANES,
    SHAPE,
    fit_logistic,
    fit_propensity,
    item_step,
    log_odds_of,
)
from strategies import baskets_of, examples, transactions

pytestmark = pytest.mark.kernel


@examples(30)
@given(transactions(max_rows=30), st.integers(1, 4))
def test_weights_minimise_loss_and_ridge(data, ridge):
    rows, hidden = data
    if not set().union(*hidden) or not set().union(*rows):
        return
    public, secret = baskets_of(rows, hidden).split()
    length = (public.lengths() % 3).astype(np.int32)
    shape = np.array([[1, -1.0, 1.0], [1, 0.25, 0.5], [1, 1.0, 2.0]])
    items, targets = public.to_scipy().toarray().astype(float), secret.to_scipy().toarray().astype(float)
    table = np.hstack([shape[length], items])
    often = 1.0 + np.arange(public.n) % 3
    seen = table.T @ (often[:, None] * targets)
    weights = np.empty((len(seen), 0))
    for first in range(0, secret.d, LANES):
        some = seen[:, first : first + LANES]
        filled = np.hstack([some, np.zeros((len(seen), LANES - some.shape[1]))])
        by_item = transpose(public.indptr, public.indices, public.d)
        fitted = fit_logistic(*by_item, shape, length, often, filled, float(ridge), 2000, 1e-9)
        weights = np.hstack([weights, fitted[:, : some.shape[1]]])
    assert np.isfinite(weights).all()
    pulled = np.array([0.0] + [1.0] * (SHAPE - 1 + public.d))
    for s in range(secret.d):

        def loss(w, s=s):
            odds = table @ w
            return often @ (np.logaddexp(0, odds) - targets[:, s] * odds) + ridge / 2 * (pulled * w**2).sum()

        if 0 < targets[:, s].sum() < len(rows):  # or else the constant has no finite optimum
            best = minimize(loss, np.zeros(table.shape[1]), tol=1e-12)
            assert loss(weights[:, s]) <= best.fun + 1e-6
    # Every other row is judged by a model that says twice as much of everything.
    asked, part = np.arange(public.n)[::-1].copy(), (np.arange(public.n) % 2).astype(np.uint8)
    models = np.stack([weights, 2 * weights])
    found = log_odds_of(public.indptr, public.indices, asked, part, shape, length, models)
    assert found == pytest.approx((table @ weights * (1 + part[:, None]))[::-1])


def propensities(public, secret, **options):
    return fit_propensity(public, secret, **options).of(np.arange(public.n))


def test_nobody_is_judged_by_a_model_that_saw_them():
    # Only one person holds both, so whoever did not see that person cannot know that they go together.
    rows = [["odd", "s"]] + [["plain"]] * 30 + [["other", "s"]] * 3
    public, secret = covey.Baskets.of(rows, sensitive=["s"]).split()
    odds = propensities(public, secret, seed=0)[:, 0]
    assert odds[0] < 0
    assert odds[-3:].mean() > odds[1:31].mean()


@examples(100)
@given(st.floats(-1e3, 1e3), st.floats(1e-3, 1e4), st.floats(0.01, 10))
def test_a_step_ends_where_the_bound_of_the_slope_reaches_the_pull(pull, bend, ridge):
    x = abs(item_step(pull, bend, ridge))
    reached = bend * np.expm1(x) + ridge * x
    assert abs(pull) * (1 - 1e-9) - 1e-12 <= reached <= abs(pull) * 1.06 + 1e-12


def test_rows_with_the_same_items_are_learned_from_as_one():
    rng = np.random.default_rng(0)
    rows = [{f"i{j}" for j in rng.integers(0, 4, 2)} | ({"s"} if rng.random() < 0.3 else set()) for _ in range(200)]
    public, secret = covey.Baskets.of(rows, sensitive=["s"]).split()
    numbers: dict[bytes, int] = {}
    alike = [numbers.setdefault(row.tobytes(), len(numbers)) for row in np.split(public.indices, public.indptr[1:-1])]
    one_by_one = propensities(public, secret, seed=1, rounds=50)
    assert propensities(public, secret, seed=1, rounds=50, alike=np.array(alike)) == pytest.approx(one_by_one, abs=1e-2)


def test_more_items_than_are_fitted_at_once_come_out_as_if_alone():
    rng = np.random.default_rng(0)
    rows = [{f"i{j}" for j in rng.integers(0, 9, 3)} | {f"s{j:02}" for j in rng.integers(0, 5, 1)} for _ in range(60)]
    data = covey.Baskets.of(rows)
    marked = data.with_sensitive([item for item in data.items if item.startswith("s")])
    public, secret = marked.split()
    alone = secret.only(np.arange(secret.d) == secret.d - 1)
    together = propensities(public, secret, seed=1, rounds=500)[:, -1]
    assert together == pytest.approx(propensities(public, alone, seed=1, rounds=500)[:, 0], abs=1e-2)


def test_a_part_of_the_rows_teaches_what_all_of_them_do():
    rng = np.random.default_rng(0)
    rows = [["a" if i % 2 else "b", *(["s"] if rng.random() < (0.4 if i % 2 else 0.1) else [])] for i in range(8000)]
    public, secret = covey.Baskets.of(rows, sensitive=["s"]).split()
    drawn = propensities(public, secret, seed=1, suffice=1500)[:, 0]
    assert drawn[:2] == pytest.approx(np.log([0.1 / 0.9, 0.4 / 0.6]), abs=0.3)
    assert not np.array_equal(drawn, propensities(public, secret, seed=1)[:, 0])
