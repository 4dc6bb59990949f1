"""TOML files that people write: every table is checked, and an error names the place and what would work."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from covey.errors import InputError
from covey.parameters import did_you_mean

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")


def read_toml(path: Path) -> dict[str, Any]:
    """The content of a TOML file."""
    try:
        with path.open("rb") as stream:
            return tomllib.load(stream)
    except OSError as error:
        raise InputError(f"it cannot be read: {error.strerror}", file=path) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"it is not valid TOML: {error}", file=path) from None


class Section:
    """One table of the file, with reading that complains in place."""

    def __init__(self, entry: Any, place: str, file: Path, allowed: tuple[str, ...]) -> None:
        self.place, self.file = place, file
        if not isinstance(entry, Mapping):
            self.fail(f"it must be a table, not {entry!r}")
        self.entry: Mapping[str, Any] = entry
        for key in entry:
            if key not in allowed or key == "name":
                keys = ", ".join(a for a in allowed if a != "name")
                self.fail(f"there is no key '{key}'", f"{did_you_mean(key, allowed)} Keys: {keys}.".strip())

    def fail(self, problem: str, remedy: str = "") -> None:
        """Raise an error that names this place."""
        raise InputError(f"{self.place}: {problem}", file=self.file, remedy=remedy)

    def known(self, what: str, word: str, words: Any) -> None:
        """Fail unless a word is one of those that are known."""
        if word not in words:
            listed = ", ".join(map(str, words)) or "none"
            self.fail(f"there is no {what} '{word}'", f"{did_you_mean(word, words)} Known: {listed}.".strip())

    def text(self, key: str, default: Any) -> Any:
        """A text that is not empty, or the default."""
        value = self.entry.get(key, default)
        if key in self.entry and not (isinstance(value, str) and value):
            self.fail(f"'{key}' must be a text, not {value!r}")
        return value

    def texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Texts, each once; one alone needs no list."""
        value = self.entry.get(key, list(default))
        listed = [value] if isinstance(value, str) else value
        if not isinstance(listed, list) or not all(isinstance(one, str) and one for one in listed):
            self.fail(f"'{key}' must be a list of texts, not {value!r}")
        if len(set(listed)) < len(listed):
            self.fail(f"'{key}' lists an entry twice")
        return tuple(listed)

    def table(self, key: str) -> dict[str, Any]:
        """A table below this one; empty if it is not there."""
        value = self.entry.get(key, {})
        if not isinstance(value, Mapping):
            self.fail(f"'{key}' must be a table, not {value!r}")
        return dict(value)

    def tables(self, key: str) -> Mapping[str, Any]:
        """Tables below this one, by plain names."""
        value = self.table(key)
        for name in value:
            if not _NAME.match(name):
                self.fail(f"the name {name!r} of [{key}.…] may hold letters, digits, '.', '_' and '-' only")
        return value

    def path(self, text: str) -> str:
        """A path relative to the file."""
        return str((self.file.parent / self.expanded(text)).resolve())

    def expanded(self, text: str) -> str:
        """A text with the variables of the environment put in."""

        def environment(found: re.Match[str]) -> str:
            name = found.group(1)
            if name not in os.environ:
                self.fail(f"the environment variable {name} is not set", f"Set {name} to where the data is.")
            return os.environ[name]

        return re.sub(r"\$\{(\w+)\}", environment, text)
