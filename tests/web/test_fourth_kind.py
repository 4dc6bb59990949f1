"""A fourth kind of data and of release walks the page, from the form that reads it to a verified release."""

import html
import shutil
from pathlib import Path

import pytest

import covey
from covey.registry import METHODS
from covey.web.server.settings import Settings
from serving import finished, serving, text_of, uploaded
from toy_kind import COUNT, Answers, register

#: How a process of its own, such as a worker, gets to know the kind: by the lines that a registry would have.
REGISTERING = """\
import operator, sys, types
sys.path.append({tests!r})
import toy_kind
toy_kind.register(types.SimpleNamespace(setitem=operator.setitem))
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("registering")
    (folder / "sitecustomize.py").write_text(REGISTERING.format(tests=str(Path(__file__).parents[1])))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder), prepend=":")
        register(patch)
        with serving(Settings(data=tmp_path_factory.mktemp("served"))) as both:
            yield both
        METHODS.remove(COUNT)


def page_of(answer):
    return html.unescape(text_of(answer))


@pytest.fixture(scope="module")
def answers(served):
    """The id of a file of answers that was read as such, by way of the form."""
    client = served[1]
    id = uploaded(served, "answers.txt", b"red red blue blue blue green\n")
    assert 'name="kind" value="answers"' in page_of(client.get(f"/data/{id}"))
    form = {"kind": "answers", "upper": "yes"}
    assert client.post(f"/data/{id}", data=form).headers["location"] == f"/data/{id}"
    return id


def test_its_file_is_read_with_its_own_options(served, answers):
    service, client = served
    read = service.datasets.wait(answers)
    assert (read.kind, read.state, read.options) == ("answers", "ready", {"upper": "yes"})
    page = page_of(client.get(f"/data/{answers}"))
    assert 'name="upper" value="yes"' in page
    assert 'name="encoding"' in page
    assert 'name="transaction"' not in page
    assert "What must not be linked to a person." in page
    assert "BLUE" in page  # as what can be marked
    assert 'id="taxonomy"' not in page


def test_its_risk_is_told(served, answers):
    service, client = served
    assert service.exposure.wait(answers).state == "ready"
    page = page_of(client.get(f"/data/{answers}/risk"))
    assert "by how many of its answers are known" in page


def test_a_promise_is_chosen_and_kept(served, answers):
    service, client = served
    service.exposure.wait(answers)
    page = page_of(client.get(f"/data/{answers}/promise"))
    assert 'value="k-anonymity"' in page
    assert "This data allows 2 to 6." in page
    page = page_of(client.get(f"/data/{answers}/method?name=k-anonymity&k=2"))
    assert "Counts answers and leaves out rare ones" in page
    assert 'name="option.spare"' in page
    id = finished(served, answers, "k-anonymity(k=2)", method="count", options={"spare": 1}, seed=1).id
    page = page_of(client.get(f"/jobs/{id}"))
    assert "Verified release" in page
    assert "Every published answer is identical to at least 1 other." in page
    assert 'id="groups"' not in page  # it brings no view of them
    assert "kind='answers'" in page  # of the script that does the same


def test_what_was_made_is_the_release(served, answers, tmp_path):
    service, client = served
    job = service.jobs.wait(service.start(answers, "k-anonymity(k=2)", seed=1).id)
    packed = tmp_path / "release.zip"
    packed.write_bytes(client.get(f"/jobs/{job.id}/release.zip").content)
    shutil.unpack_archive(packed, tmp_path)
    assert covey.read_release(tmp_path / "release").tally == {"BLUE": 3, "RED": 2}
    assert covey.verify(tmp_path / "release", Answers(("RED", "RED", "BLUE", "BLUE", "BLUE", "GREEN"))).holds
    assert "answers that are published" in page_of(client.get(f"/jobs/{job.id}/report.html"))
