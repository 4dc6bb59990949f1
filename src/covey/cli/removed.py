"""Commands and options that were removed, each with what to use instead; those of methods are in `covey.registry`."""

from __future__ import annotations

from covey.errors import ParameterError

OPTIONS = {
    "--names": "Use --names-column if the data has a column with the names, or replace the codes in the file.",
    "--project": "Give the options themselves, for example in a script that is kept for the next file.",
    "--publish-codes": "Leave out --names-column, and the codes are published.",
    "--save-project": "Keep the command itself, for example in a script.",
}

COMMANDS = {"compare": "Use `covey explore DATA… -g GUARANTEE… -m METHOD… --seeds 3 -o DIR`; it needs no TOML file."}


def refuse_removed(option: str) -> None:
    """Raise `ParameterError` if an option or command was removed.

    Examples
    --------
    >>> refuse_removed("--save-project")
    Traceback (most recent call last):
    covey.errors.ParameterError: --save-project was removed. Keep the command itself, for example in a script.
    """
    told = OPTIONS.get(option) or COMMANDS.get(option)
    if told:
        raise ParameterError(f"{option} was removed. {told}")
