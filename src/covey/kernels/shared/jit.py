"""The one way a function becomes a kernel: compiled once, cached on disk, run without the GIL.

numba is loaded when the first kernel is called, so that commands which need none do not wait for it. Loading it takes
longer than a plain loop over a few thousand numbers: kernels of linear cost say so (``kernel(linear=True)``) and run as
they are written, uncompiled, as long as nothing larger has come along. Some are also written with numpy
(``kernel(small=…)``); that runs instead, on data twenty times as large.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar, overload

import numpy as np

#: The first and the last numba whose cached kernels covey loads in its own way.
TESTED = (0, 61), (0, 68)
P = ParamSpec("P")
R = TypeVar("R")


class Kernel(Generic[P, R]):
    """A function that is compiled when it is first needed, by a caller or by another kernel."""

    #: Numbers that uncompiled kernels may still look at in this process, and at most in one call. Each
    #: takes up to a microsecond, so that all of them take no longer than loading numba.
    plain_left, plain_most = 300_000, 100_000
    #: So many numbers cost numpy as much as one costs a plain loop.
    numpy_faster = 20

    def __init__(
        self, function: Callable[P, R], linear: bool, small: Callable[P, R] | None = None, lanes: bool = False
    ) -> None:
        update_wrapper(self, function)
        self.function, self.linear, self.small, self.lanes = function, linear or small is not None, small, lanes

    @cached_property
    def compiled(self) -> Callable[P, R]:
        """What numba makes of it; the machine code is cached beside the module."""
        import numba

        _note_compilations()
        made = numba.njit(cache=True, nogil=True)(self.function)
        if made is self.function:  # as with NUMBA_DISABLE_JIT
            return np.errstate(over="ignore")(made)  # compiled code wraps around without a word
        if self.lanes:
            _compile_lanes(made)
        _compile_once(made)
        _load_alone(made)
        return made

    @property
    def _numba_type_(self) -> object:
        """Asked for by numba when it compiles a kernel that calls this one."""
        return self.compiled._numba_type_  # type: ignore[attr-defined]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run it: compiled, or as written on small arrays while that is faster."""
        if self.linear and "numba" not in sys.modules and self._is_small(args):
            with np.errstate(over="ignore"):  # compiled code wraps around without a word
                made: R = _as_compiled((self.small or self.function)(*args, **kwargs))
                return made
        return self.compiled(*map(_as_writable, args), **kwargs)

    def _is_small(self, args: tuple[object, ...]) -> bool:
        numbers = sum(arg.size for arg in args if isinstance(arg, np.ndarray))
        if self.small is not None:
            numbers //= Kernel.numpy_faster
        if numbers > min(Kernel.plain_most, Kernel.plain_left):
            return False
        Kernel.plain_left -= numbers
        return True

    def __reduce__(self) -> str:
        """Pickled by name, as functions are."""
        return self.__name__  # type: ignore[attr-defined,no-any-return]


def _compile_once(dispatcher: Any) -> None:
    """Have kernels that call this one use one version of it: numba would make one for each constant they give it.

    Nor is there another one for a number that comes out of an array of 32 bits.
    """
    from numba.core import types

    def plain(given: Any) -> Any:
        wide = types.unliteral(given)  # type: ignore[no-untyped-call]
        return types.int64 if wide == types.int32 else wide

    asked = dispatcher.get_call_template

    def answer(args: Any, kws: Any) -> Any:
        return asked(tuple(map(plain, args)), {name: plain(given) for name, given in kws.items()})

    dispatcher.get_call_template = answer


def _compile_lanes(dispatcher: Any) -> None:
    """Have steps that a kernel takes alike on neighbouring numbers become vector instructions, in the order written.

    numba has switched that off, since LLVM has made mistakes in large functions (numba's pull request 8852). So it is
    for short kernels, which tests compare bit by bit with what is written.
    """
    from numba.core import config
    from numba.core.compiler_lock import global_compiler_lock

    usual, settings = dispatcher.compile, vars(config)

    def compile_lanes(signature: Any) -> Any:
        with global_compiler_lock:  # so that nothing else is compiled meanwhile
            before, settings["SLP_VECTORIZE"] = settings["SLP_VECTORIZE"], 1
            try:
                return usual(signature)
            finally:
                settings["SLP_VECTORIZE"] = before

    dispatcher.compile = compile_lanes


def _load_alone(dispatcher: Any) -> None:
    """Have cached machine code loaded as `covey.kernels.shared.loading` does it.

    That takes the place of code of numba's own, so a numba that covey was not tested with starts as it always did.
    """
    import numba

    if not TESTED[0] <= numba.version_info.short <= TESTED[1]:
        return
    from covey.kernels.shared.loading import lightly, shipped_beside

    cache, beside = dispatcher._cache, shipped_beside(dispatcher)

    def load(signature: Any, target: Any) -> Any:
        with cache._guard_against_spurious_io_errors(), lightly(target.codegen()):
            found = cache._load_overload(signature, target)
            if found is None and beside is not None:
                data = beside.load(cache._index_key(signature, target.codegen()))
                found = None if data is None else cache._impl.rebuild(target, data)
            return found

    cache.load_overload = load
    dispatcher._compilation_chain_init_hook = lambda: None  # looks for extensions of numba, as the compiler does


class _Alias:
    """The memory of an array, said to be writable."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        interface = array.__array_interface__
        self.array, self.__array_interface__ = array, {**interface, "data": (interface["data"][0], False)}


def _as_writable(value: Any) -> Any:
    """`value` with arrays of one type, writable or not: numba would compile a kernel again for each combination.

    What may not be written to is not protected by this: kernels are also tested uncompiled, where numpy forbids it.
    """
    if isinstance(value, np.ndarray):
        return value if value.flags.writeable else np.asarray(_Alias(value))
    if type(value) is tuple:
        return tuple(map(_as_writable, value))
    return value


def _as_compiled(result: Any) -> Any:
    """A result with plain numbers where compiled code returns such."""
    if isinstance(result, tuple):
        return tuple(_as_compiled(part) for part in result)
    return result.item() if isinstance(result, np.generic) else result


@overload
def kernel(function: Callable[P, R]) -> Kernel[P, R]: ...
@overload
def kernel(*, linear: bool) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
@overload
def kernel(*, small: Callable[P, R]) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
@overload
def kernel(*, lanes: bool) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def kernel(
    function: Callable[P, R] | None = None,
    *,
    linear: bool = False,
    small: Callable[P, R] | None = None,
    lanes: bool = False,
) -> Any:
    """Compile `function` in nopython mode when it is needed; `linear` promises a cost linear in its arrays.

    `small` does exactly the same with numpy, at a cost that is nearly linear: see `kernels.shared.small`. `lanes` says
    that it does the same to a few numbers side by side, written out one after the other: the compiler does it at once.

    The GIL is released while it runs, so that a progress bar and Ctrl-C keep working.
    """
    if function is None:
        return lambda wanted: Kernel(wanted, linear, small, lanes)
    return Kernel(function, linear)


_compiled: list[str] = []


def _note_compilations() -> None:
    """Have numba tell of kernels that must be compiled because no cache has them."""
    if _listening:
        return
    from numba.core import event

    class Compilations(event.Listener):
        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            if function.__module__.startswith("covey."):  # and not a part of numba that a kernel calls
                _compiled.append(f"{function.__module__}.{function.__name__}")

        def on_end(self, event: object) -> None:
            pass

    _listening.append(Compilations())
    event.register("numba:compile", _listening[0])  # type: ignore[no-untyped-call]


_listening: list[object] = []


def compiled_now() -> list[str]:
    """The kernels that this process has begun to compile; none when all came from the cache."""
    return _compiled
