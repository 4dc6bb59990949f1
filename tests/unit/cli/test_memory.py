"""Memory that is freed returns to the system."""

import platform
import subprocess
import sys

import pytest

HELD = """
from covey.cli.memory import give_back

give_back()
del_me = bytearray(30 << 20)
del del_me  # glibc would take such blocks from its heap from now on
blocks = [bytearray(b"x") * (2 << 20) for _ in range(50)]
blocks[:-1] = []  # the last one stays, above the hole that the others leave
with open("/proc/self/status") as status:
    print(next(int(line.split()[1]) for line in status if line.startswith("VmRSS")))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries have no such setting")
def test_large_blocks_leave_no_hole():
    def held(code):
        return int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout)

    assert held(HELD) < held(HELD.replace("\ngive_back()\n", "\n")) - (50 << 10)
