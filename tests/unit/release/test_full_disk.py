"""A disk that is full, or becomes full: nothing is left behind, and the message says what to do."""

import os

from runs import left_in, run_script

FULL = """
    import resource, signal, sys
    from pathlib import Path
    import covey
    from covey.errors import OutputError
    rows = [[f"item {i}", f"item {i * 7 % 1000}"] + (["s"] if i % 50 == 0 else []) for i in range(3000)]
    data = covey.Baskets.of(rows, sensitive=["s"])
    # The system refuses to let any file grow beyond 4 KiB, as a full disk would.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    try:
        covey.publish(data, Path(sys.argv[1]) / "made" / "out", "degree(p=10)")
    except OutputError as error:
        print(error)
"""


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    # The limit would hit numba's cache as well.
    said = run_script(FULL, tmp_path, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    assert said.startswith(f"{tmp_path / 'made' / 'out'} cannot be written: ")
    assert "Free some space" in said
    assert left_in(tmp_path) == []
