"""The verbs give small objects: figures, a frame, a table in a notebook, a plot."""

import pytest

import covey

ROWS = [["a", "b"], ["a", "c"], ["b", "c"], ["a", "<b>"]] * 5
BASKETS = covey.Baskets.of([row + (["s"] if n % 5 == 0 else []) for n, row in enumerate(ROWS)], sensitive=["s"])


@pytest.fixture(scope="module")
def release():
    return covey.anonymize(BASKETS, "degree(p=3)", seed=1)


def found(release):
    return [
        covey.inspect(BASKETS, known=2),
        covey.evaluate(release, BASKETS, items=2, queries=5, known=1),
        covey.attack(release, BASKETS),
    ]


def test_results_are_figures_frames_tables_and_plots(release):
    for result in found(release):
        frame = result.to_frame()
        assert list(frame.columns) == list(result.frame_heads)
        assert len(frame) == len(result.frame_rows()) > 0
        assert result.to_frame(library="arrow").num_rows == len(frame)
        assert result._repr_html_().count("<tr>") == len(result.rows()) + 1
        assert result.title in repr(result)
        assert dict(result) == result.to_dict()
        assert result.plot().axes[0].get_title()


def test_verdicts_lists_and_published_releases_are_tables_too(release, tmp_path):
    published = covey.publish(BASKETS, tmp_path / "out", "degree(p=3)", seed=1)
    for shown, column in ((published.verdict, "passed"), (covey.items(BASKETS), "support")):
        frame = shown.to_frame()
        assert len(frame) == len(shown.rows()) > 0
        assert column in frame.columns
        assert shown._repr_html_().count("<tr>") == len(frame) + 1
    assert published.verdict._repr_html_() in published._repr_html_()
    assert published.manifest.fingerprint in published._repr_html_()
    assert "degree(p=3) holds" in published.verdict.title
    assert "&lt;b&gt;" in covey.items(BASKETS)._repr_html_()


def test_the_frame_of_an_evaluation_can_be_computed_with(release):
    measured = covey.evaluate(release, BASKETS, items=2, queries=5, known=1)
    values = measured.to_frame().set_index("measure")["value"]
    assert values["kl.uniform.mean"] == measured["kl"]["uniform"]["mean"]
    assert values.dtype == float


def test_attacks_are_printed_as_the_command_does(release):
    attacks = covey.attack(release, BASKETS)
    linkage, *others = attacks.results
    _, heads, first, *lines = repr(attacks).splitlines()
    assert heads.split() == list(attacks.heads)
    assert linkage.baseline is None  # which is not 0 %
    assert first.split()[-4:] == ["33.3", "%", f"{linkage.lift:.2f}", f"{linkage.targets:,}"]
    assert [line.split()[-2:] for line in lines] == [[f"{one.lift:.2f}", f"{one.targets:,}"] for one in others]
    frame = attacks.to_frame().set_index("attack")
    assert frame["baseline"].isna()["linkage"]
    assert frame["lift"]["linkage"] == linkage.lift


def test_marks_in_labels_take_no_effect():
    from covey.results import Evaluation

    shown = Evaluation({"kind": "ratings", "guarantee": "<b>", "method": "x", "records_kept": 0.5, "ratings_kept": 1.0})
    assert "<b>" not in shown._repr_html_()


def test_files_and_memory_give_the_same(release, tmp_path):
    from covey.release.store import save

    (tmp_path / "out").mkdir()
    save(release, tmp_path / "out")
    for verb in (covey.evaluate, covey.attack):
        assert verb(tmp_path / "out", BASKETS).to_dict() == verb(release, BASKETS).to_dict()
