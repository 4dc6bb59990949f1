"""Whoever signs finds what is promised, what attacks achieve against claim and baseline, and a warning if too much."""

import pytest

import covey
from covey.errors import AuditFailed, ParameterError
from covey.measure.attacks.result import exceeds, ratios_of
from covey.measure.kept import unusable, usable_share

QUESTIONS = (
    "What exactly is promised?",
    "What is not promised, and to whom?",
    "What did the best attack achieve?",
    "What was left out?",
    "What may I tell the public?",
)


@pytest.fixture(scope="module")
def shop():
    return covey.synth.shop(transactions=1_500, seed=3).baskets


@pytest.fixture(scope="module")
def report(shop, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    covey.publish(shop, folder / "out", "degree(p=10)", "anatomy", seed=1, title="Sales of <2024>")
    covey.report(folder / "out", folder / "inside.html", shop)
    covey.report(folder / "out", folder / "alone.html")
    return {name: (folder / f"{name}.html").read_text() for name in ("inside", "alone")}


def test_five_questions_are_answered_with_links(report):
    for page in report.values():
        for question in QUESTIONS:
            assert f"<dt>{question}</dt>" in page
        for link in (part.partition('"')[0] for part in page.split('<a href="#')[1:]):
            assert f'id="{link}"' in page
    assert "Attacks were not measured" in report["alone"]


def test_the_title_is_the_heading(report):
    assert "<h1>Sales of &lt;2024&gt;</h1>" in report["inside"]
    assert "<title>Sales of &lt;2024&gt; · covey report</title>" in report["alone"]


def test_attacks_stand_in_a_warning_and_not_in_the_green_box(report):
    page = report["inside"]
    box = page.partition('<div class="verdict">')[2].partition("</div></div>")[0]
    assert "guesses" not in box
    notice = page.partition("Best attack:")
    assert notice[0].endswith('<div class="banner">')
    assert "times the claim" in notice[2][:400]
    assert "times the baseline" in notice[2][:400]
    assert ">times the baseline</th>" in page


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
    assert exceeds(attack) is over
    assert ratios_of(attack)[1] == (success / baseline if baseline else None)


def test_a_release_without_usable_links_is_said_to_be_one():
    found = {"kind": "grouped", "patterns": {"patterns": 100, "kept": 0, "tolerance": 0.25}}
    assert unusable(found).startswith("It keeps no usable association with a sensitive item")
    assert "What would help: a smaller p" in unusable(found)
    assert unusable({**found, "patterns": {**found["patterns"], "kept": 1}}) == ""
    assert usable_share({**found, "patterns": {**found["patterns"], "patterns": 0}}) is None


def test_a_release_that_keeps_too_little_is_not_written(shop, tmp_path, covey_cli):
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
    with pytest.raises(ParameterError, match="would"):
        covey.anonymize(shop, "label-dp(epsilon=1)", keep_at_least=0.1)
    with pytest.raises(ParameterError, match="would"):
        covey.anonymize(shop, "label-dp(epsilon=1)", "auto")
