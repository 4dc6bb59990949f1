"""Cached machine code loaded without what only the compiler would need, which takes half of numba's start.

Where no cache has a kernel, the compiler loads the rest itself. Kernels that hash would need more: none does, as a test
makes sure.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba.core import environment
from numba.core.caching import IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.runtime import _nrt_python  # type: ignore[attr-defined]

from covey.kernels.shipped import NOTE


class Library(JITCodeLibrary):
    """Machine code; what other kernels would be linked with is parsed when one of them is compiled."""

    _bitcode: bytes | None = None

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, form, data = state
        if form != "object":
            return JITCodeLibrary._unserialize(codegen, state)
        made = cls(codegen, name)
        made.enable_object_caching()
        made._set_compiled_object(data[0])
        made._bitcode = data[1]
        made._finalize_final_module()
        return made

    def _get_module_for_linking(self) -> Any:
        if self._bitcode is not None:
            self._shared_module, self._bitcode = binding.parse_bitcode(self._bitcode), None
            self._codegen._engine._load_defined_symbols(self._shared_module)
        return super()._get_module_for_linking()

    def get_pointer_to_function(self, name: str) -> Any:
        """Where a function of this library begins."""
        if self._bitcode is not None:  # its names are not known yet
            return self._codegen._engine.get_function_address(name)
        return super().get_pointer_to_function(name)


def _environment(module: str, constants: Any, name: str) -> Any:
    """What numba keeps of a function inside a kernel, without importing the module of numba that it comes from."""
    made = environment.lookup_environment(name)
    if made is None:
        found = sys.modules.get(module)
        made = environment.Environment(vars(found) if found else {"__name__": module})
        made.consts[:], made.env_name = constants, name
        environment.Environment._memo[name] = made
    return made


@cache
def _tell_addresses() -> None:
    """Make known where the functions of numba's runtime are that kernels call."""
    for name, address in _nrt_python.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


def shipped_beside(dispatcher: Any) -> Any:
    """The kernels that covey was installed with, if numba looks elsewhere, for want of leave to write beside them."""
    cache, beside = dispatcher._cache, Path(dispatcher.py_func.__code__.co_filename).parent / "__pycache__"
    if not NOTE.is_file() or Path(cache.cache_path) == beside:
        return None
    return IndexDataCacheFile(str(beside), cache._impl.filename_base, cache._impl.locator.get_source_stamp())


@contextmanager
def lightly(codegen: Any) -> Iterator[None]:
    """Within this, cached kernels are loaded as they are; numba's lock must be held, as it is when it loads any."""
    _tell_addresses()
    usual = environment._rebuild_env
    environment._rebuild_env, codegen._library_class = _environment, Library
    try:
        yield
    finally:
        environment._rebuild_env = usual
        del codegen._library_class
