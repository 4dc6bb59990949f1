"""What explains a release says exactly what follows from the rest."""

import json

import pytest

from forge.tools import DOCUMENTS, KINDS, refused


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_not_a_word_can_be_added_or_left_out(forge, kind, name):
    for change in (
        lambda text: text + b"ann smith\n",
        lambda text: text[:-1],
        lambda text: text.replace(b"covey", b"coveY"),
    ):
        refused(forge(kind).text(name, change), f"{name} does not say what follows")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_they_are_there(forge, name):
    release = forge("suppressed")
    (release.path / name).unlink()
    refused(release.seal(), f"{name} is missing")


def test_the_manifest_does_not_list_them(forge):
    release = forge("suppressed")
    listed = {**release.manifest["files"], "README.md": "0" * 64}
    refused(release.seal(files=listed), "which is not a file of a release")


@pytest.mark.parametrize(
    "about", [{"title": ""}, {"title": "two\nlines"}, {"title": " x"}, {"title": "x" * 201}, {"title": None},
              {"title": 3}, {"license": "all rights, I think"}, {"contact": "ann"}, {"author": "ann"}, [], None]
)  # fmt: skip
def test_what_a_publisher_says_has_its_form(forge, about):
    refused(forge("suppressed").seal(about=about))


def test_what_a_publisher_says_is_part_of_them(forge):
    refused(forge("suppressed").seal(explain=False, about={"title": "Sales"}), "README.md does not say what follows")


def test_the_form_is_that_of_a_data_package(honest):
    """Written here anew: names, paths and digests of the tables, and nothing else."""
    body = json.loads((honest("table").path / "datapackage.json").read_text())
    found = {part["path"]: part["hash"].removeprefix("sha256:") for part in body["resources"]}
    assert found == honest("table").manifest["files"]
