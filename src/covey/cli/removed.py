"""Commands and options that were removed, each with what to use instead; those of methods are in `covey.registry`."""

from __future__ import annotations

from covey.errors import ParameterError

OPTIONS = {
    "--contact": "Give --about contact=ADDRESS.",
    "--fold-case": "covey prepare --query 'SELECT * REPLACE (plain(COLUMN) AS COLUMN) FROM data' does it.",
    "--license": "Give --about license=NAME.",
    "--missing-person": "covey prepare --missing error, drop or keep is for persons, too.",
    "--names": "Use covey prepare --name if the data has a column with the names, or replace the codes in the file.",
    "--project": "Keep the dataset that covey prepare makes; --like repeats its choices for the next file.",
    "--quantity": "Put quantities into the names of items: covey prepare --query.",
    "--title": "Give --about title=TEXT.",
    "--where": "Filter rows by SQL: covey prepare --query 'SELECT * FROM data WHERE …'.",
}

COMMANDS = {"compare": "Use `covey explore DATA… -g GUARANTEE… -m METHOD… --seeds 3 -o DIR`; it needs no TOML file."}


def refuse_removed(option: str) -> None:
    """Raise `ParameterError` if an option or command was removed.

    Examples
    --------
    >>> refuse_removed("--title")
    Traceback (most recent call last):
    covey.errors.ParameterError: --title was removed. Give --about title=TEXT.
    """
    told = OPTIONS.get(option) or COMMANDS.get(option)
    if told:
        raise ParameterError(f"{option} was removed. {told}")
