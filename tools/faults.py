"""Small faults that can be planted in the functions of a module, for `tools/mutants.py`.

A fault is a changed operator, constant, slice or return value, or a deleted statement. Messages, annotations, defaults
and what stands outside functions have none.
"""

from __future__ import annotations

import ast
import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

#: The folder of each group under src/covey.
GROUPS = {"methods": "methods", "verifiers": "verify", "readers": "io"}
#: How the functions with a fault are run: kernels as plain Python.
MODES = ("compiled", "plain")
#: Operators that are swapped.
FLIPS: dict[type, type] = {ast.Lt: ast.LtE, ast.Gt: ast.GtE, ast.Eq: ast.NotEq, ast.In: ast.NotIn, ast.Is: ast.IsNot}
FLIPS |= {ast.Add: ast.Sub, ast.And: ast.Or}
FLIPS |= {other: one for one, other in FLIPS.items()}
#: Functions that are swapped.
OPPOSITES = {"min": "max", "minimum": "maximum", "argmin": "argmax"}
OPPOSITES |= {other: one for one, other in OPPOSITES.items()}


class Fault(NamedTuple):
    """One fault: the node `old` of a file becomes `new`."""

    group: str
    file: str
    kind: str
    mode: str
    function: str
    identity: str
    tree: ast.Module
    statement: ast.stmt
    old: ast.expr | ast.stmt
    new: ast.AST

    @property
    def key(self) -> str:
        """Return the function that it is in, as maps name it."""
        return f"{self.file}::{self.function}"

    def described(self) -> dict[str, object]:
        """Return what the result says about it, with the first line of the statement before and after."""
        texts = ast.unparse(self.statement), replaced(self.statement, self.old, self.new)
        before, after = (text.split("\n")[0] for text in texts)
        place = {"group": self.group, "file": self.file, "line": self.old.lineno}
        return {**place, "kind": self.kind, "mode": self.mode, "before": before, "after": after}


def functions_of(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef, str]]:
    """Yield the functions and methods of a file with their names and modes."""
    for scope in (tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))):
        prefix = f"{scope.name}." if isinstance(scope, ast.ClassDef) else ""
        for function in (node for node in scope.body if isinstance(node, ast.FunctionDef)):
            decorators = " ".join(map(ast.unparse, function.decorator_list))
            yield prefix + function.name, function, MODES["kernel" in decorators or "jit" in decorators]


def faults_of(root: Path, file: str, group: str) -> Iterator[Fault]:
    """Yield every fault in the functions and methods of a file."""
    tree = ast.parse((root / file).read_bytes())
    for name, function, mode in functions_of(tree):
        code, seen = hashlib.sha256(ast.dump(function).encode()).hexdigest(), Counter[str]()
        bound = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}
        for statement in statements(function.body):
            for old in (statement, *expressions(statement)):
                for kind, new in variants(old, bound):
                    seen[kind] += 1
                    identity = f"{code} {kind} {seen[kind]}"
                    yield Fault(group, file, kind, mode, name, identity, tree, statement, old, new)
            bound |= stored_names(statement)


def statements(body: list[ast.AST]) -> Iterator[ast.stmt]:
    """Yield the statements of a body and those inside them, in order."""
    for node in body:
        if isinstance(node, ast.stmt):
            yield node
        for name in ("body", "handlers", "cases", "orelse", "finalbody"):
            yield from statements(getattr(node, name, []))


def expressions(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the expressions of a statement, without definitions, annotations and messages."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Raise):
        return
    for child in ast.iter_child_nodes(node):
        annotation = isinstance(node, ast.AnnAssign) and child is node.annotation
        if not annotation and not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case | ast.JoinedStr):
            if isinstance(child, ast.expr):
                yield child
            yield from expressions(child)


def stored_names(statement: ast.stmt) -> set[str]:
    """Return the names that a statement assigns to."""
    names = (node for node in expressions(statement) if isinstance(node, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def variants(node: ast.AST, bound: set[str]) -> Iterator[tuple[str, ast.AST]]:
    """Yield what a statement or expression can become; the names in `bound` have a value before it."""
    match node:
        case ast.Continue() | ast.Break() | ast.Raise() | ast.AugAssign() | ast.Expr(value=ast.Call()):
            yield "deleted statement", ast.Pass()
        case ast.Assign() if stored_names(node) <= bound:
            yield "deleted statement", ast.Pass()
    match node:
        case ast.Return(value=ast.expr() as value) if ast.unparse(value) != "None":
            yield "return value", changed(node, value=ast.Constant(None))
        case ast.Compare(ops=ops):
            for at, op in enumerate(ops):
                yield "comparison", changed(node, ops=[*ops[:at], FLIPS[type(op)](), *ops[at + 1 :]])
        case ast.BoolOp(op=op):
            yield "and/or", changed(node, op=FLIPS[type(op)]())
        case ast.BinOp(op=ast.Add() | ast.Sub() as op) | ast.AugAssign(op=ast.Add() | ast.Sub() as op):
            if not any(map(is_text, ast.iter_child_nodes(node))):
                yield "plus/minus", changed(node, op=FLIPS[type(op)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "not", operand
        case ast.Constant(value=bool(value)):
            yield "constant", changed(node, value=not value)
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", changed(node, value=value + 1)
        case ast.Call(func=ast.Name(id=name) as function) if name in OPPOSITES:
            yield "min/max", changed(node, func=changed(function, id=OPPOSITES[name]))
        case ast.Call(func=ast.Attribute(attr=name) as function) if name in OPPOSITES:
            yield "min/max", changed(node, func=changed(function, attr=OPPOSITES[name]))
        case ast.Slice():
            for side, value in (("lower", node.lower), ("upper", node.upper)):
                if value and not isinstance(value, ast.Constant):
                    yield "slice", changed(node, **{side: ast.BinOp(value, ast.Add(), ast.Constant(1))})


def is_text(node: ast.AST) -> bool:
    """Return whether it is a string, so that a sum with it is one."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def changed(node: ast.AST, **fields: object) -> ast.AST:
    """Return a copy of a node with some fields changed."""
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


def replaced(tree: ast.AST, old: ast.AST, new: ast.AST) -> str:
    """Return the source of `tree` with `new` in the place of `old`; the tree stays as it is."""

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is old else self.generic_visit(node)

    text = ast.unparse(Replace().visit(tree))
    old, new = new, old
    Replace().visit(tree)
    return text


def sample(faults: list[Fault], seed: int, count: int) -> list[Fault]:
    """Draw `count` faults, the groups by turns, at most one per line.

    The number that is drawn for a fault follows from its function and the seed alone, so that code which moves keeps
    most of its faults.
    """
    ranked = sorted(faults, key=lambda fault: hashlib.sha256(f"{seed} {fault.identity}".encode()).digest())
    one_per_line: dict[tuple[str, int], Fault] = {}
    for fault in ranked:
        one_per_line.setdefault((fault.file, fault.old.lineno), fault)
    groups = [[fault for fault in one_per_line.values() if fault.group == group] for group in GROUPS]
    in_turn = [fault for several in zip_longest(*groups) for fault in several if fault is not None]
    return in_turn[:count]
