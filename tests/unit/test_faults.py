"""The faults that `tools/mutants.py` plants change what a function does, and nothing else."""

import ast
import runpy
from pathlib import Path

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "faults.py"))
MODULE = '''
LIMIT = 3

@kernel
def first(values: list[int], start: int = 1) -> int:
    """Return the 1st value below 9."""
    for value in values[start:]:
        if value < max(value, start) and not value:
            continue
        return value + 2
    raise ValueError(f"none of {len(values) + 1}" + "5")
'''


def faults(folder):
    (folder / "module.py").write_text(MODULE)
    return list(TOOL["faults_of"](folder, "module.py", "methods"))


def test_every_operator_has_its_fault(tmp_path):
    made = {(fault.kind, fault.described()["after"]) for fault in faults(tmp_path)}
    assert made == {
        ("slice", "for value in values[start + 1:]:"),
        ("comparison", "if value <= max(value, start) and (not value):"),
        ("and/or", "if value < max(value, start) or not value:"),
        ("min/max", "if value < min(value, start) and (not value):"),
        ("not", "if value < max(value, start) and value:"),
        ("return value", "return None"),
        ("plus/minus", "return value - 2"),
        ("constant", "return value + 3"),
        ("deleted statement", "pass"),
    }


def test_a_fault_changes_one_place_of_valid_code(tmp_path):
    made = faults(tmp_path)
    sources = {TOOL["replaced"](fault.tree, fault.old, fault.new) for fault in made}
    assert len(sources) == len(made)
    assert all(ast.unparse(ast.parse(source)) == source for source in sources)
    assert ast.unparse(made[0].tree) == ast.unparse(ast.parse(MODULE))


def test_kernels_are_tested_as_plain_python(tmp_path):
    assert {fault.mode for fault in faults(tmp_path)} == {"plain"}
