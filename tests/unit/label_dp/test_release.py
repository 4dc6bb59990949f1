"""Releases of a model: verified from their files, asked, drawn from, measured, and refused where they must be."""

import math
from dataclasses import replace

import duckdb
import numpy as np
import pandas
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import covey
from covey.cli.verify import verdict_lines
from covey.errors import CoveyWarning
from covey.measure.model import coverage
from covey.release.manifest import file_digest
from covey.release.store import save, seal
from covey.verify.label_dp import compare
from unit.label_dp.test_mechanism import released, shop


@pytest.fixture(scope="module")
def data():
    return shop(n=2000)


@pytest.fixture(scope="module")
def written(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("model") / "out"
    covey.publish(data, out, "label-dp(epsilon=1)")
    return out


def tampered(written, tmp_path, change, table="models"):
    """A copy in which a table was edited, and manifest and README made to fit."""
    release = covey.read_release(written)
    out = tmp_path / "forged"
    out.mkdir()
    manifest = save(release, out)
    path = out / f"{table}.parquet"
    pq.write_table(change(pq.read_table(path)), path, compression="zstd", store_schema=False)
    seal(out, replace(manifest, files={**manifest.files, path.name: file_digest(path)}), release.named_columns())
    return covey.verify(out)


def test_holds_with_and_without_the_original(written, data):
    assert covey.verify(written).holds
    verdict = covey.verify(written, data)
    assert verdict.holds
    assert "false alarm rate 1e-09" in verdict.checks[-1].detail


@pytest.mark.parametrize("seed", range(3))
def test_other_noise_than_stated_is_found_with_the_original(data, seed):
    release = released(data, seed=seed)
    secret = release.secrets[0]
    for off in (release.secrets[1].sums[0] // 4, 40_000_000):
        wrong = replace(release, secrets=(secret._replace(sums=secret.sums + off), *release.secrets[1:]))
        assert not compare(wrong, data)[-1].passed
    assert compare(release, data)[-1].passed


def test_a_sum_edited_by_hand_is_found(written, tmp_path):
    def change(table):
        value = pc.add(table["sum"], pc.if_else(pc.equal(table["part"], "item"), 4_000_000, 0))
        return table.set_column(3, "sum", value)

    assert not tampered(written, tmp_path, change).holds


def test_a_weight_edited_by_hand_is_found(written, tmp_path):
    def change(table):
        return table.set_column(5, "weight", pc.add(table["weight"], 0.3))

    verdict = tampered(written, tmp_path, change)
    assert [check.name for check in verdict.failures()] == ["the weights of the models follow from the noisy sums"]


def test_sums_of_another_epsilon_are_found(data, tmp_path):
    release = released(data, epsilon=2)
    out = tmp_path / "out"
    out.mkdir()
    save(replace(release, made=replace(release.made, guarantee="label-dp(epsilon=1)")), out)
    assert not covey.verify(out).holds


def test_a_transaction_in_another_cell_is_found(written, tmp_path):
    def change(table):
        return table.set_column(0, "cell", pc.subtract(int(pc.max(table["cell"]).as_py()), table["cell"]))

    verdict = tampered(written, tmp_path, change, "transactions")
    assert not verdict.holds


def test_a_seeded_release_says_so_first(data, tmp_path):
    published = covey.publish(data, tmp_path / "out", "label-dp(epsilon=1)", insecure_seed=5)
    verdict = covey.verify(tmp_path / "out")
    first = "label-dp(epsilon=1) holds for a test only: its noise follows from the seed 5, which it states"
    assert str(verdict).splitlines()[0] == first
    assert str(next(verdict_lines(verdict, compared=False))).startswith(first)
    covey.report(tmp_path / "out", output=tmp_path / "report.html")
    assert f"Verified: {first}" in (tmp_path / "report.html").read_text()
    assert published.manifest.options["insecure_seed"] == 5


def test_a_seed_is_refused(data):
    with pytest.raises(covey.CoveyError, match="whoever knew it could remove the noise"):
        covey.anonymize(data, "label-dp(epsilon=1)", seed=1)


def test_readme_computes_what_estimate_says(written):
    release = covey.read_release(written)
    item, secret = release.transactions.items[3], release.sensitive_items[0]
    wanted = release.estimate(secret, present=[item]).estimate
    text = (written / "README.md").read_text()
    text = text.replace("AN ORDINARY ITEM", item).replace("A SENSITIVE ITEM", secret)
    sql, python = text.split("```sql\n")[1].split("```")[0], text.split("```python\n")[1].split("```")[0]
    for table in ("transactions", "cells", "models"):
        sql = sql.replace(f"'{table}.parquet'", f"'{written / table}.parquet'")
        python = python.replace(f'"{table}.parquet"', repr(str(written / f"{table}.parquet")))
    assert duckdb.sql(sql).limit(1).fetchall()[0][0] == pytest.approx(wanted)
    printed = []
    exec(python, {"pandas": pandas, "math": math, "print": printed.append})
    assert printed[0] == pytest.approx(wanted)


def test_csv_has_the_same_answers(written, tmp_path):
    release = covey.read_release(written)
    out = tmp_path / "csv"
    out.mkdir()
    save(release, out, csv=True)
    again = covey.read_release(out)
    for secret in release.sensitive_items:
        assert again.estimate(secret) == release.estimate(secret)


def test_answers_are_near_the_truth_as_often_as_they_say(data):
    within = []
    for seed in range(2):
        found = coverage(released(data, seed=seed), data, each=8, seed=seed)
        within += [(one["within"], one["questions"]) for one in found if one["questions"]]
    share, many = np.array(within).T
    assert np.average(share, weights=many) > 0.9


def test_questions_that_make_no_sense_are_refused(written):
    release = covey.read_release(written)
    secret, item = release.sensitive_items[0], release.transactions.items[0]
    for asked in ({"present": [secret]}, {"present": [item], "absent": [item]}, {"present": ["no such item"]}):
        with pytest.raises(covey.CoveyError):
            release.estimate(secret, **asked)
    assert release.estimate(present=[item]).standard_error == 0


def test_draws_hold_sensitive_items_as_often_as_estimated(written):
    release = covey.read_release(written)
    drawn = release.draw(seed=1)
    assert drawn.only(~drawn.sensitive).items == release.transactions.items
    for label in release.sensitive_items:
        expected = release.estimate(label).estimate
        assert abs(drawn.supports()[drawn.items.index(label)] - expected) < 5 * math.sqrt(expected)


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "inf"])
def test_impossible_epsilons_are_refused(epsilon):
    with pytest.raises(covey.CoveyError, match=r"must be a number > 0"):
        covey.guarantee(f"label-dp(epsilon={epsilon})")


def test_a_large_epsilon_is_warned_of():
    with pytest.warns(CoveyWarning, match=r"by a factor of 7\.2e\+10"):
        covey.guarantee("label-dp(epsilon=25)")


def test_no_sensitive_items_are_refused():
    with pytest.raises(covey.CoveyError, match="none is named"):
        covey.anonymize([["a"], ["b"]], "label-dp(epsilon=1)")


@pytest.mark.parametrize(
    ("rows", "sensitive"),
    [
        ([["a", "s"]] * 30, ["s"]),
        ([["a", "s"]] * 3 + [["b", "a"], ["b"], ["c"]] * 30, ["s"]),
        ([["s"]] * 40 + [["a"], []] * 20, ["s"]),
        ([["a", *(f"s{k:03}" for k in range(500))], *[["b", "a"]] * 40], [f"s{k:03}" for k in range(500)]),
    ],
    ids=["every basket", "three holders", "empty baskets", "500 items"],
)
def test_unusual_data_is_published_and_verified(rows, sensitive, tmp_path):
    data = covey.Baskets.of(rows, sensitive=sensitive)
    published = covey.publish(data, tmp_path / "out", "label-dp(epsilon=1, cap=3)")
    assert published.verdict.holds
    assert published.manifest.counts["empty_transactions"] == sum(not set(row) - set(sensitive) for row in rows)
    assert published.manifest.facts["epsilon_item"] == 2
    assert published.manifest.facts["epsilon_all"] == min(6, len(sensitive))


def test_empty_baskets_can_be_refused():
    data = covey.Baskets.of([["a"], ["s"]], sensitive=["s"])
    with pytest.raises(covey.CoveyError, match="1 transaction would be published empty"):
        covey.anonymize(data, "label-dp(epsilon=1)", empty="error")


def test_an_item_that_nobody_holds_is_published_like_any_other(data):
    labels = [*data.items, "secret-9"]
    more = covey.Baskets.build(data.indptr.copy(), data.indices.copy(), labels, [*data.sensitive_items(), "secret-9"])
    release = covey.anonymize(more, "label-dp(epsilon=1)")
    assert "secret-9" in release.sensitive_items
    assert all(check.passed for check in compare(release, more))


def test_evaluation_and_draws_of_persons(data, tmp_path):
    visits = replace(data, person=np.repeat(np.arange(500, dtype=np.int32), 4))
    published = covey.publish(visits, tmp_path / "out", "label-dp(epsilon=1)")
    assert published.verdict.holds
    assert (published.manifest.facts["unit"], published.manifest.facts["rows_each"]) == ("person", 4)
    found = covey.evaluate(covey.read_release(tmp_path / "out"), visits)
    asked = [one["items"] for one in found["coverage"]]  # combinations that too few baskets hold are not asked for
    assert asked[0] == 1
    assert asked == sorted({*asked} & {1, 2, 3, 4})
    assert all(one["questions"] > 0 for one in found["coverage"])
    assert found["kl"]["support"]["mean"] >= 0
    assert found["kl"]["support"]["blind"] > 0


def test_data_as_it_is_cannot_be_checked(data):
    with pytest.raises(covey.CoveyError, match="no data keeps it as it is"):
        covey.check(data, "label-dp(epsilon=1)")


def test_choices_that_depend_on_exact_data_are_refused(data):
    with pytest.raises(covey.CoveyError, match="decide by the exact data"):
        covey.anonymize(data, "label-dp(epsilon=1)", audit=1.5)
    with pytest.raises(covey.CoveyError, match="decide by the exact data"):
        covey.anonymize(data, "label-dp(epsilon=1)", keep_at_least=0.5)
    with pytest.raises(covey.CoveyError, match="the choice would tell something"):
        covey.anonymize(data, "label-dp(epsilon=1)", "auto")


@pytest.mark.parametrize("visits", [1, 4], ids=["transactions", "persons"])
def test_attackers_gain_no_more_than_epsilon_allows(data, visits):
    data = data if visits == 1 else replace(data, person=np.arange(2000, dtype=np.int32) // visits)
    found = {one.attack: one for one in covey.attack(released(data), data).results}
    assert set(found) == {"half known", "all others known", "grey"}
    known = found["all others known"].details
    assert 0.5 < known["largest_log_ratio"] <= known["epsilon"] == 1
    for one in found.values():
        assert one.success_rate < one.baseline + 0.1


def test_saved_dataset_keeps_the_sum_of_epsilon(tmp_path):
    small = shop(n=60)
    small.save(tmp_path / "shop.covey")
    loaded = covey.load(tmp_path / "shop.covey")
    spent = [
        covey.publish(loaded, tmp_path / name, f"label-dp(epsilon={epsilon})").spent
        for name, epsilon in (("one", 1), ("two", 0.5))
    ]
    assert spent == [1, 1.5]
    assert covey.load(tmp_path / "shop.covey") == small
    assert covey.publish(small, tmp_path / "three", "label-dp(epsilon=1)").spent is None


def test_inspect_says_which_guarantee_serves_an_item_better(data):
    found = {one["item"]: one for one in covey.inspect(data, known=1)["better"]}
    assert {one["better"] for one in found.values()} == {"label-dp"}
    assert found["secret-0"]["holders"] == data.supports()[data.items.index("secret-0")]
    visits = replace(data, person=np.repeat(np.arange(250, dtype=np.int32), 8))  # eight times the noise
    assert {one["better"] for one in covey.inspect(visits, known=1)["better"]} == {"degree"}


@pytest.mark.parametrize(("together", "least"), [(90, 45), (25, 0)], ids=["many", "few"])
def test_telltale_item_is_estimated_as_well_as_its_error_says(together, least):
    rng, rows = np.random.default_rng(1), []
    for row in range(4000):
        items = {f"i{j:02}" for j in rng.choice(40, 5, replace=False)}
        telltale = row < 1.2 * together
        holds = row < together or (not telltale and rng.random() < 0.08)
        rows.append(sorted(items | ({"telltale"} if telltale else set()) | ({"secret"} if holds else set())))
    data = covey.Baskets.of(rows, sensitive=["secret"])
    answers = [released(data, seed=seed).estimate("secret", present=["telltale"]) for seed in range(6)]
    near = [abs(answer.estimate - together) <= 2 * answer.standard_error for answer in answers]
    assert sum(near) >= 5
    assert np.mean([answer.estimate for answer in answers]) > least


@pytest.mark.parametrize("visits", [1, 4], ids=["transactions", "persons"])
def test_telltale_companions_are_within_two_standard_errors(visits):
    rng, rows, n, secrets = np.random.default_rng(2), [], 4000, 8
    for row in range(n):
        items = {f"i{j:02}" for j in rng.choice(60, 6, replace=False)}
        secret = row % (n // 100)  # each secret has 100 holders, and most of them a companion that few others have
        held = secret < secrets
        if (held and rng.random() < 0.7) or rng.random() < 0.01:
            items.add(f"companion-{secret if held else rng.integers(secrets)}")
        rows.append(sorted(items | ({f"secret-{secret}"} if held else set())))
    names = [f"secret-{number}" for number in range(secrets)]
    data = covey.Baskets.of(rows, sensitive=names)
    if visits > 1:
        data = replace(data, person=rng.permutation(n).astype(np.int32) // visits)
    near = []
    for seed in range(3):
        release = released(data, seed=seed)
        for number, name in enumerate(names):
            truth = sum(name in row and f"companion-{number}" in row for row in rows)
            answers = {(): 100, (f"companion-{number}",): truth, ("i00",): sum({name, "i00"} <= set(r) for r in rows)}
            for present, wanted in answers.items():
                answer = release.estimate(name, present=present)
                near.append(abs(answer.estimate - wanted) <= 2 * answer.standard_error)
            answer = release.estimate(name, absent=[f"companion-{number}"])
            near.append(abs(answer.estimate - (100 - truth)) <= 2 * answer.standard_error)
    assert np.mean(near) >= 0.93
