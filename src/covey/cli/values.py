"""Values of options without pydantic, which typer else loads for them: that takes as long as numpy does.

Texts, paths, plain numbers and lists of texts are what they are. Anything else, and whatever may be wrong, is left to
typer, so that it means what it always did and is refused in the same words.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, get_args, get_origin

_UNSURE = object()
#: What typer checks of a path unless it is told otherwise: that it can be read, if there is something.
_OF_PATHS: dict[str, Any] = {"exists": False, "file_okay": True, "dir_okay": True, "writable": False, "readable": True}
_OF_PATHS |= {"resolve_path": False, "allow_dash": False, "path_type": None}


def spare_pydantic(param: Any) -> None:
    """Have typer ask `PlainValues` first; a typer that works in another way is left alone."""
    asked_before = "get_runtime_param" in vars(param)
    if not asked_before and hasattr(param, "get_runtime_param") and hasattr(param, "type_descriptor"):
        values = PlainValues(param.get_runtime_param, param.type_descriptor)
        param.get_runtime_param = lambda: values


class PlainValues:
    """Turns the words given for one option into its value."""

    def __init__(self, by_typer: Any, described: Any) -> None:
        self._by_typer, self._wanted, self._info = by_typer, described.annotation, described.parameter_info

    def coerce(self, value: Any, *, param: Any, ctx: Any) -> Any:
        """The value; raises typer's own error if it is none."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        made = self._several(value) if several else self._one(value, self._wanted)
        return self._by_typer().coerce(value, param=param, ctx=ctx) if made is _UNSURE else made

    def _several(self, value: Any) -> Any:
        if get_origin(self._wanted) is not list or not isinstance(value, list | tuple):
            return _UNSURE
        made = [self._one(one, get_args(self._wanted)[0]) for one in value]
        return _UNSURE if any(one is _UNSURE for one in made) else made

    def _one(self, value: Any, wanted: Any) -> Any:
        if self._info.parser is not None:
            return _UNSURE
        if type(value) is wanted and wanted in (bool, str):
            return value
        if type(value) is wanted or (wanted is int and type(value) is str and value.isascii() and value.isdecimal()):
            return self._within(value, wanted)
        if wanted is Path and type(value) is str and (os.access(value, os.R_OK) or not os.path.lexists(value)):
            usual = all(getattr(self._info, name, usual) == usual for name, usual in _OF_PATHS.items())
            return Path(value) if usual else _UNSURE
        return _UNSURE

    def _within(self, value: Any, wanted: Any) -> Any:
        """A number, if it is one and not out of range."""
        if wanted not in (int, float):
            return _UNSURE
        least, most, number = self._info.min, self._info.max, wanted(value)
        return number if (least is None or number >= least) and (most is None or number <= most) else _UNSURE
