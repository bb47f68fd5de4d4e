"""The house keeps its own rules of size and naming."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "src" / "broadsheet"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if "migrations" not in path.parts)
NO_NAMES = {
    "utils", "helpers", "common", "misc", "base", "core", "manager", "service", "handler", "processor",
    "engine", "repository", "models", "schemas", "types", "constants",
}  # fmt: skip
# Optional extras and what would slow every start; each stands with its reason where it is imported.
LATE_IMPORTS = {"search/conversion/onnx_files.py", "library/database.py", "sources/weights.py"}

Function = ast.FunctionDef | ast.AsyncFunctionDef


def _functions() -> Iterator[tuple[str, Function]]:
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, Function):
                yield f"{path.relative_to(SOURCE)}:{node.name}", node


def test_no_module_is_longer_than_400_lines() -> None:
    long = {
        str(p.relative_to(SOURCE)): n for p in MODULES if (n := len(p.read_text("utf-8").splitlines())) > 400
    }
    assert long == {}


def test_no_function_is_longer_than_40_lines() -> None:
    long = {
        name: length
        for name, node in _functions()
        if not name.startswith("cli/") and (length := (node.end_lineno or 0) - node.lineno + 1) > 40
    }
    assert long == {}


def test_no_module_or_folder_has_a_name_that_says_nothing() -> None:
    names = {part.removesuffix(".py") for path in MODULES for part in path.relative_to(SOURCE).parts}
    assert names & NO_NAMES == set()


def test_imports_stand_at_the_top_but_for_optional_extras() -> None:
    late = {
        name.split(":")[0]
        for name, node in _functions()
        if any(isinstance(inner, ast.Import | ast.ImportFrom) for inner in ast.walk(node))
    }
    assert late <= LATE_IMPORTS


def test_at_most_three_handlers_catch_everything() -> None:
    broad = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or (isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException"))
        )
    ]
    assert len(broad) <= 3, broad
