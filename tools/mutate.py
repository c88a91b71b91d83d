"""Change one operator or number of the arithmetic at a time, and report the changes that no test detects.

    python tools/mutate.py pairs            # the files of a family, in indices/ and statistics/
    python tools/mutate.py tables/sums   # or a file or folder of the package

The tests are loaded once. Each change is tried in a fork, where the function gets the changed code; no file on disk
changes. Tests that name the function run first, and the first failure ends the fork.
"""

from __future__ import annotations

import ast
import gc
import os
import signal
import sys
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "clustermark"
FOLDERS = ["tests/frozen", "tests/indices", "tests/statistics", "tests/registry"]
OPTIONS = ["-x", "-o", "addopts=", *("-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:xdist")]
OPTIONS += ["--hypothesis-profile=quick", "-m", "not (slow or peer or engine or browser)"]
SECONDS = 300  # processor seconds; a change may make a loop endless
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult, ast.Mod: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
NOT_ITS_CODE = ("decorator_list", "annotation", "returns", "args")  # not executed when the function is called


class Change(NamedTuple):
    """One node of a function or method, and its new value."""

    function: str
    node: Any
    attribute: str
    value: Any


def others(node: ast.AST) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of a node that can be changed, each with its new value."""
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in SWAPPED:
        yield "op", SWAPPED[type(node.op)]()
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            if type(op) in SWAPPED:
                yield "ops", [*node.ops[:i], SWAPPED[type(op)](), *node.ops[i + 1 :]]
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        yield "value", node.value + 1 if isinstance(node.value, int) else node.value * 2 or 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "op", ast.UAdd()


def changes(node: ast.AST, inside: str = "", in_function: bool = False) -> Iterator[Change]:
    if in_function:
        yield from (Change(inside, node, *other) for other in others(node))
    elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        inside, in_function = f"{inside}.{node.name}".lstrip("."), isinstance(node, ast.FunctionDef)
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not (isinstance(node, ast.FunctionDef) and name in NOT_ITS_CODE):
                yield from changes(child, inside, in_function)


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def apply(path: Path, tree: ast.Module, function: str) -> None:
    """Replace the code of the loaded function by its changed code."""
    module = compile(ast.fix_missing_locations(tree), str(path), "exec")
    (changed,) = [code for code in codes(module) if code.co_qualname == function]
    ending = str(path.relative_to(PACKAGE.parent))
    loaded = [
        found
        for found in gc.get_objects()
        if isinstance(found, FunctionType)
        and found.__code__.co_qualname == function
        and found.__code__.co_filename.endswith(ending)
    ]
    assert loaded, f"{function} of {ending} is not loaded"
    for found in loaded:
        found.__code__ = changed


class Judge:
    """A plugin of pytest that runs the tests once without a change, then once for each change, each time in a fork."""

    def __init__(self, changed: list[tuple[Path, int]]) -> None:
        self.waiting = changed
        self.codes: dict[tuple[Path, int], int] = {}
        self.is_fork = False
        self.console = os.dup(1)  # which pytest does not capture

    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if not (process := os.fork()):
            self.enter_fork()
            return None  # pytest then runs the tests
        if os.waitpid(process, 0)[1]:
            sys.exit("the tests fail, or take too long, without any change")
        running: dict[int, tuple[Path, int]] = {}
        while self.waiting or running:
            if self.waiting and len(running) < (os.cpu_count() or 1):
                task = self.waiting.pop()
                if not (process := os.fork()):
                    name = make(*task).function.rpartition(".")[2]
                    session.items.sort(key=lambda item: name not in item.nodeid)
                    self.enter_fork()
                    return None
                running[process] = task
            else:
                process, status = os.wait()
                task = running.pop(process)
                self.codes[task] = os.waitstatus_to_exitcode(status)
                if not status:
                    os.write(self.console, f"{describe(*task)}\n".encode())
        return True

    def enter_fork(self) -> None:
        self.is_fork = True
        signal.setitimer(signal.ITIMER_PROF, SECONDS)


def make(path: Path, number: int) -> Change:
    """Apply one of the possible changes of a file, and return it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    change = list(changes(tree))[number]
    setattr(change.node, change.attribute, change.value)
    apply(path, tree, change.function)
    return change


def describe(path: Path, number: int) -> str:
    change = list(changes(ast.parse(path.read_text(encoding="utf-8"))))[number]
    before = ast.unparse(change.node)
    setattr(change.node, change.attribute, change.value)
    place = f"{path.relative_to(ROOT)}:{change.node.lineno}, {change.function}"
    return f"{place}: {before}  ->  {ast.unparse(change.node)}"


def files_of(name: str) -> list[Path]:
    """Return the files of a family, or of a path in the package."""
    places = [PACKAGE / folder / name for folder in ("indices", "statistics", "")]
    found = [path for place in places for path in (place.with_suffix(".py"), *sorted(place.rglob("*.py")))]
    return [path for path in found if path.is_file()] or sys.exit(f"{name}: no family and no path in {PACKAGE}")


def main() -> None:
    os.chdir(ROOT)
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in files_of(sys.argv[1])}
    judge = Judge([(path, number) for path, tree in trees.items() for number, _ in enumerate(changes(tree))])
    code = pytest.main([*OPTIONS, *(folder for folder in FOLDERS if Path(folder).exists())], plugins=[judge])
    if judge.is_fork:
        os._exit(code)
    if code:
        sys.exit(int(code))
    ends = list(judge.codes.values())
    stuck = sum(code < 0 for code in ends)
    print(f"{len(ends)} changes: {ends.count(1)} fail a test, {stuck} do not end, {ends.count(0)} survive")
    if wrong := [task for task, code in judge.codes.items() if code > 1]:
        sys.exit(f"pytest itself failed on {wrong}")


if __name__ == "__main__":
    main()
