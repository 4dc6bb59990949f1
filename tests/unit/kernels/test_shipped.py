"""Kernels that a wheel ships are asked for where they can be used, and nowhere else."""

import json
import sys

import numba
import pytest

from covey.kernels import shipped


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A process that has not loaded numba, of an installation that has shipped kernels."""
    monkeypatch.setattr(shipped, "NOTE", tmp_path / "shipped.json")
    monkeypatch.setenv("NUMBA_CPU_NAME", "")  # so that what is set here is taken back
    monkeypatch.setenv("NUMBA_CPU_FEATURES", "")
    monkeypatch.delenv("NUMBA_CPU_NAME")
    monkeypatch.delitem(sys.modules, "numba")
    shipped.NOTE.write_text(json.dumps({"numba": numba.__version__}))
    return shipped.NOTE


def test_they_are_asked_for(fresh, monkeypatch):
    assert shipped.use_shipped()
    assert shipped.os.environ["NUMBA_CPU_NAME"] == "generic"


def test_a_checkout_has_none(fresh):
    fresh.unlink()
    assert not shipped.use_shipped()
    assert "NUMBA_CPU_NAME" not in shipped.os.environ


@pytest.mark.parametrize("note", ['{"numba": "0.1"}', "{}", "no json"])
def test_those_of_another_numba_are_left_alone(fresh, note):
    fresh.write_text(note)
    assert not shipped.use_shipped()
    assert "NUMBA_CPU_NAME" not in shipped.os.environ


def test_what_the_user_said_stands(fresh, monkeypatch):
    monkeypatch.setenv("NUMBA_CPU_NAME", "haswell")
    assert not shipped.use_shipped()
    assert shipped.os.environ["NUMBA_CPU_NAME"] == "haswell"


def test_nothing_is_changed_once_numba_is_there(fresh, monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", numba)
    assert not shipped.use_shipped()
