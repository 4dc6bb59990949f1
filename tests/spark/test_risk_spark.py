"""Risk on Spark is that of the local engine, and does not depend on how the data is split."""

from __future__ import annotations

import json

import numpy as np
import pytest

import covey
from covey.engines.spark.measure.inspection import ration


@pytest.fixture(scope="module")
def baskets() -> covey.Baskets:
    rng = np.random.default_rng(8)
    rows = [
        [f"i{item:02d}" for item in rng.choice(14, rng.integers(0, 6), replace=False)] + ["s"] * (row % 8 == 0)
        for row in range(300)
    ]
    return covey.Baskets.of(rows, sensitive=["s"])


@pytest.fixture(scope="module")
def sets(baskets, spark):
    from covey.engines.spark.reading import frame_of, read

    return read(frame_of(baskets, spark), sensitive=["s"]).persist()


@pytest.mark.slow
def test_the_cases_do_not_depend_on_the_partitions(baskets, sets, spark):
    from covey.engines.spark.measure.inspection import risks
    from covey.engines.spark.reading import frame_of, read

    split = read(frame_of(baskets, spark).repartition(5), sensitive=["s"])
    once, again = risks(sets, 3, samples=50, seed=1), risks(split, 3, samples=50, seed=1)
    assert [risk.samples for risk in once] == [0, 50, 50]
    for one, other in zip(once, again, strict=True):
        assert one.to_dict() == pytest.approx(other.to_dict())
    assert risks(sets, 3, samples=50, seed=2)[1] != once[1]


@pytest.mark.parametrize(("eligible", "samples"), [(1, 1000), (999, 1000), (10**9, 1000)])
def test_about_as_many_cases_are_taken_as_wanted(eligible, samples):
    copies, limit = ration(eligible, samples)
    expected = eligible * copies * int(limit) / 2**64
    assert samples <= expected + 1
    assert expected <= 2 * samples


@pytest.mark.slow
def test_the_command_line_inspects_on_both_engines_alike(baskets, covey_cli, spark, tmp_path):
    file = tmp_path / "data.dat"
    file.write_text("".join(" ".join(baskets.basket(row)) + "\n" for row in range(100, 300)).lstrip("\n"))
    command = ("inspect", file, "--json", "--sensitive", "s", "--known", "6", "--samples", "2000")
    code, printed, said = covey_cli(*command, "--engine", "spark")
    assert code == 0, said
    ours, theirs = json.loads(printed), json.loads(covey_cli(*command)[1])
    for name in ("transactions", "items", "entries", "length", "support", "items_seen_once", "most_frequent"):
        assert ours[name] == theirs[name], name
    assert ours["sensitive"] == theirs["sensitive"]
    assert ours["risk"][0] == pytest.approx(theirs["risk"][0])
    for mine, local in zip(ours["risk"], theirs["risk"], strict=True):
        assert mine["eligible"] == local["eligible"]
        assert mine["risk"] == pytest.approx(local["risk"], abs=0.03)
        assert mine["low"] <= mine["risk"] <= mine["high"]
