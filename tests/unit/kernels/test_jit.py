import ast
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numba
import pytest

import covey
from covey.kernels.shared import jit
from covey.kernels.shared.csr import transpose

SCRIPT = """
import numba
import numpy as np
from covey.kernels.shared.csr import transpose
from covey.kernels.shared.jit import compiled_now
before = len(compiled_now())
transpose(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2)
print(before, len(compiled_now()))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled without the JIT")
def test_only_what_no_cache_has_counts_as_compiled(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def counts():
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        return [int(word) for word in done.stdout.split()]

    before, after = counts()
    assert before == 0
    assert after > 0
    assert counts() == [0, 0]


PLAIN = """
import sys
import numpy as np
from covey.kernels.shared.csr import count_behind, count_items, first_bad_row
from covey.kernels.shared.jit import Kernel
few, many = np.zeros(9, np.int32), np.zeros(Kernel.plain_most + 1, np.int32)
assert count_behind(np.array([0, 9]), few, 2).tolist() == [36, 0]
assert count_items(many, 2).tolist() == [len(many), 0]
assert type(first_bad_row(np.array([0, 1]), few[:1], 1)) is int
assert "numba" not in sys.modules
assert count_behind(np.array([0, 2]), many, 1).tolist() == [1]
assert "numba" in sys.modules
"""


def test_numba_is_loaded_for_what_is_worth_it():
    subprocess.run([sys.executable, "-c", PLAIN], check=True)


def test_little_by_little_is_too_much_in_the_end():
    code = PLAIN.split("few, many")[0] + "while 'numba' not in sys.modules: count_items(np.zeros(99_999, np.int32), 1)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


ONCE = """
import numpy as np
from covey.kernels.shared.tokens import digits_of, format_pairs
rows, ids, pool = np.array([0, 1]), np.zeros(1, np.int32), np.zeros(9, np.uint8)
assert format_pairs(ids, rows, ids, 0, pool, np.array([0, 1]), 44, np.zeros(99, np.uint8)) == (1, 6)
print(len(digits_of.compiled.signatures))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled without the JIT")
def test_a_kernel_that_others_call_is_compiled_once(tmp_path):
    """Also when it is given constants, or numbers out of arrays of 32 and of 64 bits."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", ONCE], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1"]


CALLED = """
import numpy as np
from covey.kernels.shared.jit import compiled_now
from covey.kernels.shared.tokens import digits_of, put_number
assert digits_of(12345) == 5
print(len(compiled_now()))
"""
CALLER = (
    CALLED
    + """
out = np.zeros(5, np.uint8)
assert put_number(123, out, 1) == 4
assert bytes(out) == b"\\x00123\\x00"
print(len(compiled_now()))
"""
)


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled without the JIT")
def test_a_kernel_can_be_compiled_that_calls_one_from_the_cache(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}

    def counts(code):
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        return [int(word) for word in done.stdout.split()]

    assert counts(CALLED) == [1]
    loaded, compiled = counts(CALLER)
    assert loaded == 0
    assert compiled > 0
    assert counts(CALLER) == [0, 0]


def test_kernels_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(transpose)) is transpose


def test_no_kernel_hashes():
    """Cached kernels are loaded without what hashing needs."""
    hashing = ("hash", "set", "dict", "frozenset")
    found = []
    for path in Path(covey.__file__).parent.rglob("*.py"):
        functions = [f for f in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(f, ast.FunctionDef)]
        kernels = [f for f in functions if any("kernel" in ast.unparse(by) for by in f.decorator_list)]
        for node in (node for kernel in kernels for node in ast.walk(kernel)):
            called = isinstance(node, ast.Call) and ast.unparse(node.func) in hashing
            if called or isinstance(node, ast.Set | ast.Dict | ast.SetComp | ast.DictComp):
                found.append(f"{path.name}:{node.lineno}")
    assert found == []


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is cached without the JIT")
def test_a_numba_that_was_not_tested_loads_kernels_its_own_way(monkeypatch):
    made = numba.njit(cache=True)(lambda: 0)
    monkeypatch.setattr(jit, "TESTED", ((0, 1), (0, 2)))
    before = made._cache.load_overload
    jit._load_alone(made)
    assert made._cache.load_overload == before
    monkeypatch.undo()
    jit._load_alone(made)
    assert made._cache.load_overload != before
