"""What an officer signs: promise, best attack against claim and baseline, what was left out, and lines to sign on."""

import pytest

import covey
from covey.errors import AuditFailed, ParameterError
from covey.measure.attacks.result import AttackResult, exceeds, gains, ratios_of, unpromised
from covey.measure.kept import unusable, usable_share

QUESTIONS = (
    "What exactly is promised?",
    "What is not promised, and to whom?",
    "What did the best attack achieve?",
    "What was left out?",
    "What may I tell the public?",
)
WITHOUT = "more than 1.3 times as often as someone who knows the population does without the release"


@pytest.fixture(scope="module")
def shop():
    return covey.synth.shop(transactions=1_500, seed=3).baskets


@pytest.fixture(scope="module")
def reports(shop, tmp_path_factory):
    """The reports of a release with and without the original, and its fingerprint."""
    folder = tmp_path_factory.mktemp("report")
    covey.publish(shop, folder / "out", "degree(p=10)", "anatomy", seed=1, title="Sales of <2024>")
    for name, original in (("inside", shop), ("alone", None)):
        covey.report(folder / "out", original, output=folder / f"{name}.html", date="2026-11-17")
    pages = {name: (folder / f"{name}.html").read_text() for name in ("inside", "alone")}
    return pages, covey.verify(folder / "out").figures["fingerprint"]


def test_five_questions_are_answered_with_links(reports):
    for page in reports[0].values():
        for question in QUESTIONS:
            assert f"<dt>{question}</dt>" in page
        for link in (part.partition('"')[0] for part in page.split('<a href="#')[1:]):
            assert f'id="{link}"' in page
    assert "Attacks were not measured" in reports[0]["alone"]


def test_limits_name_those_who_learn_more(reports):
    answer = reports[0]["alone"].partition("to whom?</dt><dd>")[2].partition("</dd>")[0]
    for whom in ("knows how groups are made, or what goes with the item", "sensitive items of other members"):
        assert whom in answer
    assert "another release about them" in answer


@pytest.mark.parametrize(
    ("guarantee", "persons", "said"),
    [
        ("degree(p=3)", False, "files keep it; that they are true is stated"),
        ("degree(p=3)", True, "files keep it; that they are true and whose is stated"),
        (
            "label-dp(epsilon=1)",
            False,
            "files are those of this fingerprint; that the noise was drawn at random is stated",
        ),
    ],
)
def test_public_is_told_what_can_be_checked(tmp_path, guarantee, persons, said):
    rows = [["ale", "test"] if i % 8 == 0 else ["ale"] for i in range(48)]
    given = {"persons": [str(i // 2) for i in range(48)]} if persons else {}
    covey.publish(covey.Baskets.of(rows, sensitive=["test"], **given), tmp_path / "out", guarantee)
    covey.report(tmp_path / "out", output=tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert f"{said} by the publisher" in page
    assert "check this" not in page


def test_title_is_the_heading(reports):
    assert "<h1>Sales of &lt;2024&gt;</h1>" in reports[0]["inside"]
    assert "<title>Sales of &lt;2024&gt; · covey report</title>" in reports[0]["alone"]


def test_attacks_stand_in_a_warning_and_not_in_the_green_box(reports):
    page = reports[0]["inside"]
    box = page.partition('<div class="verdict">')[2].partition("</div></div>")[0]
    assert "guesses" not in box
    notice = page.partition("Best attack:")
    assert notice[0].endswith('<div class="note warn"><p>')
    assert "times the claim" in notice[2][:400]
    assert "times the baseline" in notice[2][:400]
    assert ">times the baseline</th>" in page


def test_reports_are_fit_to_sign(reports):
    pages, fingerprint = reports
    for page in pages.values():
        signed = page.partition("<h2>Approval</h2>")[2]
        for text in (fingerprint, "degree(p=10)", "pregnancy test", "all passed 2026-11-17"):
            assert text in signed
        for line in ("Name", "Role", "Place and date", "Signature"):
            assert f"<span>{line}</span>" in signed


def test_columns_and_issues_are_named_as_sensitive(tmp_path):
    columns = {"age": [30, 31, 50, 51], "city": ["a", "a", "b", "b"], "<ill>": list("xyxy")}
    table = covey.Table.of(columns, sensitive=["<ill>"])
    covey.publish(table, tmp_path / "table", "l-diversity(l=2, k=2)")
    ratings = covey.Ratings.of([{"tax": 3, "war": 1}, {"tax": 3, "war": 2}], scale="1:6", sensitive=["war"])
    covey.publish(ratings, tmp_path / "ratings", "k-eps-l(k=2, epsilon=1)")
    for name, marked in (("table", "&lt;ill&gt;"), ("ratings", "war")):
        covey.report(tmp_path / name, output=tmp_path / f"{name}.html")
        assert f"<td>Sensitive</td><td>{marked}</td>" in (tmp_path / f"{name}.html").read_text()


@pytest.mark.parametrize(
    ("success", "claim", "baseline", "over"),
    [
        (0.5, 0.1, 0.4, True),
        (0.5, 0.4, 0.1, True),
        (0.5, 0.4, 0.4, False),
        (0.5, None, None, False),
        (0.5, 0, 0.45, False),
    ],
)
def test_either_ratio_above_the_limit_is_too_much(success, claim, baseline, over):
    attack = {"success_rate": success, "claim": claim, "baseline": baseline}
    assert exceeds(attack) is over is bool(gains([{**attack, "attack": "pivot"}]))  # colours and text agree
    assert ratios_of(attack)[1] == (success / baseline if baseline else None)


def attack(name, claim, baseline, rate=0.5):
    given = {"claim": claim, "baseline": baseline, "chance": 0.0, "targets": 10_000, "explanation": ""}
    return AttackResult.of(name, rate, **given).to_dict()


def test_each_attack_is_compared_with_what_it_has():
    found = [attack("linkage", 0.2, None), attack("whole", 0.2, None)]
    found += [attack("inference", None, 0.3), attack("pivot", 0.1, 0.2)]
    assert gains(found) == (
        "“Looking up what is known” and “Knowing all that is published about the target” guess right more than 1.3 "
        f"times as often as promised. “Guessing what is not known” guesses right {WITHOUT}. “Guessing whom a group was "
        f"built around” guesses right more than 1.3 times as often as promised, and {WITHOUT}."
    )
    assert unpromised(found) == ""
    found = [attack("linkage", None, None, 0.25), attack("inference", None, 0.6)]
    assert gains(found) == ""
    assert (
        unpromised(found) == "Nothing is promised of “Looking up what is known”, right in 25.0 % of its 10,000 guesses."
    )


def test_release_without_usable_links_is_pointed_out():
    found = {"kind": "grouped", "patterns": {"patterns": 100, "kept": 0, "tolerance": 0.25}}
    assert unusable(found).startswith("It keeps no usable association with a sensitive item")
    assert "What would help: a smaller p" in unusable(found)
    assert unusable({**found, "patterns": {**found["patterns"], "kept": 1}}) == ""
    assert usable_share({**found, "patterns": {**found["patterns"], "patterns": 0}}) is None


def test_release_that_keeps_too_little_is_not_written(shop, tmp_path, covey_cli):
    asked = {"seed": 1}
    share = usable_share(covey.evaluate(covey.anonymize(shop, "degree(p=4)", "cahd", **asked), shop, seed=1)).value
    assert 0 < share < 1
    covey.publish(shop, tmp_path / "enough", "degree(p=4)", "cahd", keep_at_least=share, **asked)
    with pytest.raises(AuditFailed, match="keeps too little: of the 100 most frequent"):
        covey.publish(shop, tmp_path / "little", "degree(p=4)", "cahd", keep_at_least=share + 0.01, **asked)
    assert not (tmp_path / "little").exists()
    covey.io.write(shop, tmp_path / "sales.csv")
    (tmp_path / "s.txt").write_text("\n".join(shop.sensitive_items()) + "\n")
    command = ["anonymize", tmp_path / "sales.csv", "-s", tmp_path / "s.txt", "-g", "degree(p=4)", "-o", tmp_path / "x"]
    code, _, errors = covey_cli(*command, "-m", "cahd", "--keep-at-least", "0.99")
    assert (code, "at least 99.0 % is wanted" in " ".join(errors.split())) == (1, True), errors


def test_kl_is_on_a_scale_from_no_information_to_exact(shop):
    rows = dict(covey.evaluate(covey.anonymize(shop, "degree(p=4)", seed=1), shop).rows())
    value = next(value for what, value in rows.items() if "KL divergence" in what)
    assert "% of the way from no information to exact" in value
    one = covey.anonymize(shop, f"degree(p={shop.n // max(shop.supports()[shop.sensitive])})", seed=1)
    blind = covey.evaluate(one, shop)["kl"]["support"]
    if one.groups == 1:
        assert blind["mean"] == pytest.approx(blind["blind"])


def test_what_the_exact_data_would_decide_is_refused_for_label_dp(shop):
    with pytest.raises(ParameterError, match="decide by the exact data"):
        covey.anonymize(shop, "label-dp(epsilon=1)", keep_at_least=0.1)
    with pytest.raises(ParameterError, match="would"):
        covey.anonymize(shop, "label-dp(epsilon=1)", "auto")
