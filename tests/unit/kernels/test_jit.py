import os
import subprocess
import sys

import pytest

SCRIPT = """
import numpy as np
from covey.data.csr import transpose
from covey.data.jit import compiled_kernels
before = len(compiled_kernels())
transpose(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2)
print(before, len(compiled_kernels()))
"""


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled without the JIT")
def test_counts_kernels_that_no_cache_has(tmp_path):
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
