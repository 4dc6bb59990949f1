"""Options that covey had once: each is answered with what to use instead."""

from __future__ import annotations

from covey.errors import ParameterError

#: Options of any command.
OPTIONS = {
    "--names": "Use --names-column if the data has a column with the names, or replace the codes in the file.",
    "--project": "Give the options themselves, for example in a script that is kept for the next file.",
    "--publish-codes": "Leave out --names-column, and the codes are published.",
    "--save-project": "Keep the command itself, for example in a script.",
}
#: Options of methods, as in ``--set swaps=true``.
SETTINGS = {
    "swaps": "Leave it out. `covey methods` lists the options of each method.",
}


def refuse_removed(option: str) -> None:
    """Raise `ParameterError` if an option was removed.

    Examples
    --------
    >>> refuse_removed("--save-project")
    Traceback (most recent call last):
    covey.errors.ParameterError: --save-project was removed. Keep the command itself, for example in a script.
    """
    if option in OPTIONS:
        raise ParameterError(f"{option} was removed. {OPTIONS[option]}")


def refuse_removed_setting(name: str) -> None:
    """Raise `ParameterError` if an option of methods was removed."""
    if name in SETTINGS:
        raise ParameterError(f"--set {name} was removed. {SETTINGS[name]}")
