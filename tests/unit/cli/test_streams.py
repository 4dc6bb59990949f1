"""Output that goes nowhere: closed, full, or a pipe nobody reads. The work is done, and the exit code is right."""

import os
import subprocess

import pytest

from covey.checking import verify
from runs import DATA, RELEASE, covey_command, left_in, run_covey

ANONYMIZE = ("anonymize", "data.dat", "-o", "new", *RELEASE)

#: The arguments, and the exit code where everything can be printed.
COMMANDS = {
    "anonymize": (ANONYMIZE, 0),
    "anonymize --json": ((*ANONYMIZE, "--json"), 0),
    "anonymize, refused": (("anonymize", "data.dat", "-o", "out", *RELEASE), 2),
    "anonymize --json, refused": (("anonymize", "data.dat", "-o", "out", *RELEASE, "--json"), 2),
    "verify": (("verify", "out"), 0),
    "verify, broken": (("verify", "broken"), 1),
    "generate": (("generate", "quest", "-o", "quest.dat", "-n", "10"), 0),
    "methods": (("methods",), 0),
    "version": (("--version",), 0),
    "help": (("anonymize", "--help"), 0),
    "wrong usage": (("anonymize", "--nonsense"), 2),
}

#: What the shell does to the streams, and whether it means to print and cannot.
WAYS = {
    "standard output is closed": (">&-", False),
    "standard output is full": (">/dev/full", True),
    "nobody reads standard output": ("| true", False),
    "standard error is closed": ("2>&-", False),
    "standard error is full": ("2>/dev/full", False),
    "everything is closed": ("<&- >&- 2>&-", False),
    "everything is full": (">/dev/full 2>/dev/full", True),
}


FULL, UNREAD = "standard output is full", "nobody reads standard output"
#: Every way for what matters most, and for the rest the two that can change an exit code; most of them are slow.
PAIRS = [
    *(("anonymize", way) for way in WAYS),
    *(("verify, broken", way) for way in (FULL, UNREAD)),
    *((command, FULL) for command in ("anonymize --json", "help", "wrong usage")),
    *(
        pytest.param(command, way, marks=pytest.mark.slow)
        for command in COMMANDS
        for way in (FULL, UNREAD)
        if command not in ("anonymize", "verify, broken")
    ),
]


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Data, a release of it, and one that was tampered with."""
    folder = tmp_path_factory.mktemp("releases")
    (folder / "data.dat").write_text(DATA)
    for name in ("out", "broken"):
        assert run_covey("anonymize", "data.dat", "-o", name, *RELEASE, cwd=folder).returncode == 0
    with (folder / "broken" / "sensitive.parquet").open("ab") as file:
        file.write(b"?")
    return folder


def in_a_shell(redirection, arguments, folder):
    """Run the command with its streams as the shell makes them; a pipe has lost its reader before it is written to."""
    if redirection.startswith("|"):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = run_covey(*arguments, stdout=writer, cwd=folder)
        finally:
            os.close(writer)
        return done
    command = ["sh", "-c", f'"$@" {redirection}', "sh", *covey_command(*arguments)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize(("command", "way"), PAIRS)
def test_output_that_goes_nowhere(command, way, releases, tmp_path):
    folder = tmp_path
    for name in left_in(releases):
        (folder / name).symlink_to(releases / name)
    arguments, own = COMMANDS[command]
    redirection, lost = WAYS[way]
    done = in_a_shell(redirection, arguments, folder)
    if own == 2 and "--json" not in arguments:
        lost = False  # all there was to print went to standard error
    assert done.returncode == (own or (2 if lost else 0)), done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr
    if lost and "2>" not in redirection:
        assert "The result could not be printed: No space left on device." in done.stderr
        assert ("new is in place." in done.stderr) == (own == 0 and arguments[0] == "anonymize" and "-o" in arguments)
    if arguments[:4] == ANONYMIZE[:4]:
        assert verify(folder / "new", folder / "data.dat", sensitive="s").holds
        assert left_in(folder) == ["broken", "data.dat", "new", "out"]


def test_files_are_not_written_to_in_place_of_closed_streams(tmp_path):
    # The first file to be opened would get the number of standard output, and what is printed.
    (tmp_path / "data.dat").write_text(DATA)
    arguments = ("anonymize", "data.dat", "-o", "out", "--csv", *RELEASE)
    assert in_a_shell("<&- >&- 2>&-", arguments, tmp_path).returncode == 0
    assert verify(tmp_path / "out", tmp_path / "data.dat", sensitive="s").holds


@pytest.mark.slow
def test_the_demo_goes_on_when_its_reader_is_gone(tmp_path):
    done = in_a_shell("| true", ("demo", "--data", "shop", "-o", "out"), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert verify(tmp_path / "out").holds
