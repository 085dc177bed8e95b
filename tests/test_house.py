"""The house rules that a reader relies on: arrows point down, heavy imports stay inside functions, commands are quick."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HOME = Path(__file__).parent.parent
MAY_IMPORT = {
    "taxonomy": set(),
    "catalog": set(),
    "lookbench_eval": set(),
    "crawlers": {"catalog"},
    "generation": {"catalog", "taxonomy"},
    "curation": {"catalog", "taxonomy"},
    "annotation": {"catalog", "taxonomy"},
    "releases": {"catalog", "taxonomy", "lookbench_eval"},
    "demo": set(),
    "flows": {
        "annotation", "catalog", "crawlers", "curation", "demo", "generation", "lookbench_eval", "releases", "taxonomy",
    },
}  # fmt: skip
HEAVY = {
    "torch", "torchvision", "cv2", "onnxruntime", "scrapy", "scrapy_playwright", "playwright", "diffusers", "transformers",
    "ultralytics", "faiss", "datasets", "label_studio_sdk", "skia", "twisted", "scipy", "sklearn",
}  # fmt: skip


def _modules() -> Iterator[tuple[str, Path]]:
    for room in MAY_IMPORT:
        folder = HOME / "harness" / room if room == "lookbench_eval" else HOME / room
        for path in sorted(folder.rglob("*.py")):
            yield room, path


def _imports(nodes: Iterator[ast.AST]) -> set[str]:
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def _at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """Walk what runs when the module is imported: not function bodies, not ``if TYPE_CHECKING``."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            typing_only = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            if not typing_only and not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                waiting.append(child)


@pytest.mark.parametrize(("room", "path"), list(_modules()), ids=lambda value: getattr(value, "name", value))
def test_rooms_know_only_the_floors_below(room: str, path: Path) -> None:
    found = _imports(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    strangers = (found & set(MAY_IMPORT)) - MAY_IMPORT[room] - {room}
    assert not strangers, f"{path.relative_to(HOME)} imports {sorted(strangers)}"


@pytest.mark.parametrize(("room", "path"), list(_modules()), ids=lambda value: getattr(value, "name", value))
def test_heavy_imports_stay_inside_functions(room: str, path: Path) -> None:
    if _is_plugin(path):
        pytest.skip("loaded by name by the library it extends, never by ours")
    heavy = _imports(_at_import(ast.parse(path.read_text(encoding="utf-8")))) & HEAVY
    assert not heavy, f"{path.relative_to(HOME)} imports {sorted(heavy)} when it is imported"


def _is_plugin(path: Path) -> bool:
    return '"""' in (text := path.read_text(encoding="utf-8")) and "Loaded by name" in text.split('"""')[1]


def test_help_needs_no_heavy_library() -> None:
    code = (
        "import sys; from typer.testing import CliRunner; import flows.cli as c;"
        "r = CliRunner().invoke(c.app, ['--help']); assert r.exit_code == 0, r.output;"
        f"print(sorted(set(sys.modules).intersection({sorted(HEAVY | {'prefect', 'pyarrow', 'numpy'})!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=HOME, check=True)
    assert done.stdout.strip() == "[]"
