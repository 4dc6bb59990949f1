"""Measure the size of covey and compare it with tools/budget.toml; `make lint` fails above the budget.

    python tools/budget.py              check; exit code 1 above the budget
    python tools/budget.py --tighten    lower sums and habits to what is measured, set folders

Lines are those of Python files. Code tokens are the names, numbers, strings and operators of `tokenize`: comments,
docstrings' length and layout do not change them.
"""

from __future__ import annotations

import ast
import io
import os
import re
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUDGET = ROOT / "tools" / "budget.toml"
SOURCES = ROOT / "src" / "covey"
CODE = {tokenize.NAME, tokenize.NUMBER, tokenize.STRING, tokenize.OP}
IMPORT_STRING = re.compile(r"covey(\.\w+)+:\w+")
#: Parts of dependencies that are not public although no name in them begins with an underscore.
PRIVATE_MODULES = ("numba.core", "llvmlite", "pyarrow.vendored", "pyarrow.lib", "site")
#: Ways to change how the process or another package works.
HOOKS = ("sys.meta_path", "gc.set_threshold", "gc.freeze", "gc.disable")
BASKETS = "transaction,item\n1,wine\n1,bread\n2,milk\n2,test\n3,bread\n3,milk\n4,wine\n"


def main() -> int:
    """Measure, print a table, and return 1 where a figure is above its budget."""
    measured, budget = measure(), tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    if "--tighten" in sys.argv:
        BUDGET.write_text(tightened(BUDGET.read_text(encoding="utf-8"), measured), encoding="utf-8")
        budget = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    over = []
    for table, figures in measured.items():
        for name, value in figures.items():
            limit = budget.get(table, {}).get(name)
            if limit is None or value > limit:
                over.append(
                    f"{table}.{name} is {value:,}; the budget is {'missing' if limit is None else f'{limit:,}'}"
                )
            if "-v" in sys.argv:
                print(f"{table:>8}  {name:<18} {value:>9,} of {limit or 0:>9,}")
    print(f"covey: {', '.join(f'{value:,} {name}' for name, value in measured['sums'].items())}", flush=True)
    for line in over:
        print(f"Above tools/budget.toml: {line}", file=sys.stderr)
    return 1 if over else 0


def measure() -> dict[str, dict[str, int]]:
    """Return all figures, by table of the budget."""
    lines, tokens, found = Counter[str](), Counter[str](), Counter[str]()
    for path in sorted(SOURCES.rglob("*.py")):
        text, folder = path.read_text(encoding="utf-8"), folder_of(path)
        lines[folder] += text.count("\n")
        tokens[folder] += code_tokens(text)
        found.update(habits(ast.parse(text)))
    sums = {"lines": lines.total(), "tokens": tokens.total(), "modules": len([*SOURCES.rglob("*.py")])}
    other = {
        "anonymize_modules": modules_of_anonymize(),
        **{name: found[name] for name in ("late_imports", "import_strings", "any", "private", "hooks")},
        "test_lines": lines_of("tests", ".py"),
        "tool_lines": sum(lines_of(folder, ".py") for folder in ("tools", "benchmarks", "experiments")),
        "template_lines": lines_of("src/covey", ".html", ".css", ".js", ".md", ".sql", ".jinja", ".j2"),
        "doc_words": sum(len(p.read_text(encoding="utf-8").split()) for p in [ROOT / "README.md", *pages()]),
    }
    return {"sums": sums, "lines": dict(lines), "tokens": dict(tokens), "other": other}


def folder_of(path: Path) -> str:
    """Return the folder of covey that a module belongs to."""
    parts = path.relative_to(SOURCES).parts
    return parts[0] if len(parts) > 1 else "top"


def code_tokens(text: str) -> int:
    """Count names, numbers, strings and operators; a formatted string is one, whatever the version of Python."""
    start, end = getattr(tokenize, "FSTRING_START", None), getattr(tokenize, "FSTRING_END", None)
    count = depth = 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == start:
            count, depth = count + (depth == 0), depth + 1
        elif token.type == end:
            depth -= 1
        elif depth == 0 and token.type in CODE:
            count += 1
    return count


def habits(tree: ast.Module) -> Iterator[str]:
    """Yield the name of each habit that is counted, once per occurrence."""
    foreign: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                inner = [part for part in ast.walk(node) if isinstance(part, ast.Import | ast.ImportFrom)]
                yield from ["late_imports"] * sum(imported(part)[0].startswith("covey") for part in inner)
            case ast.Import() | ast.ImportFrom():
                module, names = imported(node)
                if not module.startswith(("covey", "__future__")):
                    foreign |= names
                    if is_private_import(module, names):
                        yield "private"
            case ast.Name(id="Any"):
                yield "any"
            case ast.Constant(value=str(text)) if IMPORT_STRING.fullmatch(text):
                yield "import_strings"
            case ast.Attribute(attr=name):
                whole = ast.unparse(node)
                if is_private(name) and whole.partition(".")[0] in foreign and whole != "os._exit":  # documented
                    yield "private"
                if whole in HOOKS:
                    yield "hooks"
            case ast.Subscript(ctx=ast.Store() | ast.Del()) if ast.unparse(node.value) == "sys.modules":
                yield "hooks"


def is_private_import(module: str, names: set[str]) -> bool:
    """Return whether an import from a dependency takes a part that is not public."""
    parts = [*module.split("."), *names]
    hidden = any(f"{module}.".startswith(f"{private}.") for private in PRIVATE_MODULES)
    return hidden or any(is_private(part) for part in parts)


def is_private(name: str) -> bool:
    """Return whether a name begins with an underscore and is no special one of Python's."""
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def imported(node: ast.Import | ast.ImportFrom) -> tuple[str, set[str]]:
    """Return the module and the names that an import binds."""
    if isinstance(node, ast.ImportFrom):
        return node.module or "", {alias.asname or alias.name for alias in node.names}
    return node.names[0].name, {alias.asname or alias.name.partition(".")[0] for alias in node.names}


def lines_of(folder: str, *endings: str) -> int:
    """Return the number of lines of the files with one of these endings."""
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in endings and "vendor" not in path.parts]
    return sum(path.read_text(encoding="utf-8").count("\n") for path in files)


def pages() -> list[Path]:
    """Return the pages of the documentation."""
    return sorted((ROOT / "docs").rglob("*.md"))


def modules_of_anonymize() -> int:
    """Return how many modules of covey one `covey anonymize` of a basket file imports."""
    with tempfile.TemporaryDirectory() as folder:
        data, release = Path(folder) / "shop.csv", Path(folder) / "release"
        data.write_text(BASKETS, encoding="utf-8")
        command = ["covey", "anonymize", str(data), "--sensitive", "test", "--guarantee", "degree(p=2)"]
        command += ["--output", str(release), "--json"]
        script = (
            "import sys\nfrom covey.cli.app import run\n"
            f"sys.argv = {command!r}\ncode = run()\n"
            "print(code, sum(n.partition('.')[0] == 'covey' for n in sys.modules), file=sys.stderr)"
        )
        env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=True)
        code, count = run.stderr.split()[-2:]
        if code != "0":
            raise SystemExit(f"covey anonymize failed: {run.stdout}{run.stderr}")
        return int(count)


def tightened(text: str, measured: dict[str, dict[str, int]]) -> str:
    """Return the budget with sums and habits lowered to what is measured; none is raised.

    Folders are set to what is measured, because a folder may lend to another as long as the sum does not grow.
    """
    table, out = "", []
    for line in text.splitlines():
        if header := re.fullmatch(r"\[(\w+)\]", line):
            table = header[1]
            folders = measured[table] if table in ("lines", "tokens") else {}
            line += "".join(f"\n{name} = {value:_}" for name, value in folders.items() if f"\n{name} = " not in text)
        elif (entry := re.fullmatch(r"(\w+) = ([\d_]+)(.*)", line)) and table in measured:
            value = measured[table].get(entry[1])
            if value is None:
                continue
            if table in ("sums", "other"):
                value = min(value, int(entry[2].replace("_", "")))
            line = f"{entry[1]} = {value:_}{entry[3]}"
        out.append(line)
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    sys.exit(main())
