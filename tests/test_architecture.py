"""The architecture: which package imports which, from where third-party packages are imported, and what is public.

Adding a package of rocscope is one line in ORDER; allowing it a third-party package is one entry in THIRD_PARTY. The
packages are described in docs/architecture.md.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import rocscope

SOURCE = Path(rocscope.__file__).parent

# The import order: a package imports only itself and the packages before it.
ORDER = [
    *("version", "record", "errors", "distributions", "numbers", "text", "registry"),
    *("formula", "measures", "names", "estimate", "tally", "table", "hull", "curves"),
    "multiclass",
    *("decisions", "intervals", "significance", "splits", "recalibration"),
    *("sources", "verdicts", "evaluation", "validation"),
    *("lessons", "report", "plots", "sklearn", "serve", "cli", "__main__", "pytest_plugin"),
]

# Packages that compute may import NumPy anywhere.
WITHOUT_NUMPY = {"version", "record", "errors", "distributions", "text", "registry", "cli", "__main__", "pytest_plugin"}
NUMERIC = set(ORDER) - WITHOUT_NUMPY

# third-party package -> packages that may import it at the top of a module, and inside functions
THIRD_PARTY: dict[str, tuple[set[str], set[str]]] = {
    "numpy": (NUMERIC, {"cli"}),
    "scipy": (set(), NUMERIC - {"formula", "names"}),
    "sympy": (set(), {"formula", "measures", "table", "lessons"}),
    "narwhals": ({"sources"}, {"tally", "table"}),
    "duckdb": ({"sources"}, set()),
    "pandas": (set(), {"sources"}),
    "polars": (set(), {"sources"}),
    "pyarrow": (set(), {"sources"}),
    "openpyxl": (set(), {"sources"}),
    "dask": (set(), {"sources"}),
    "ibis": (set(), {"sources"}),
    "sklearn": ({"sklearn"}, {"splits", "validation"}),
    "joblib": (set(), {"validation"}),
    "matplotlib": (set(), {"plots"}),
    "starlette": ({"serve"}, set()),  # loaded by the command `serve` alone
    "uvicorn": ({"serve"}, set()),
    "click": ({"cli"}, set()),
    "pytest": ({"pytest_plugin"}, set()),
    "rich": (set(), {"cli"}),
}

# Parts of the standard library that are not used: no network (but the local page), no pickle.
BANNED = {"pickle", "shelve", "marshal", "urllib.request", "http.client", "ftplib", "smtplib", "ssl", "telnetlib"}
ONLY_SERVE = {"socket", "socketserver", "http.server", "webbrowser"}


@dataclass(frozen=True)
class Import:
    """One imported name: where it stands, what it names, and whether it stands inside a function."""

    path: Path
    line: int
    name: str
    inside: bool
    for_types: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(SOURCE)}:{self.line} imports {self.name}"


def package_of_module(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def modules() -> list[Path]:
    return [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


def package_of(path: Path) -> list[str]:
    return ["rocscope", *path.relative_to(SOURCE).parent.parts]


def imported_names(node: ast.Import | ast.ImportFrom, path: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    package = package_of(path)
    base = package[: len(package) - node.level + 1] if node.level else []
    start = ".".join([*base, *([node.module] if node.module else [])])
    # `from rocscope import curves` names a package: the imported name belongs to the address.
    return [f"{start}.{alias.name}" for alias in node.names] if start == "rocscope" else [start]


def is_for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(path: Path) -> Iterator[Import]:
    def walk(node: ast.AST, inside: bool, for_types: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                for name in imported_names(child, path):
                    yield Import(path, child.lineno, name, inside, for_types)
            else:
                function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                types = for_types or (isinstance(child, ast.stmt) and is_for_types(child))
                yield from walk(child, inside or function, types)

    yield from walk(ast.parse(path.read_text("utf-8")), inside=False, for_types=False)


ALL = [found for path in modules() for found in imports(path)]


def violation_of_order(found: Import) -> str:
    """Why an import of our own is not allowed, or ''."""
    here = package_of_module(found.path)
    target = found.name.split(".")[1] if "." in found.name else ""
    if target == "wire" and found.inside:
        return ""  # the one import against the order, listed in WIRES
    if target == "__version__" and here in ("cli", "report"):
        return ""
    if found.name == "rocscope" and here == "cli":
        return ""  # the command line uses the library by its lazy names, so that printing help loads none of it
    if target not in ORDER:
        return f"{found}: there is no package of that name"
    return "" if ORDER.index(target) <= ORDER.index(here) else f"{found}: {target} comes after {here}"


def violation_of_packages(found: Import) -> str:
    """Why an import of another's package is not allowed, or ''."""
    here, package = package_of_module(found.path), found.name.split(".")[0]
    if package in sys.stdlib_module_names:
        kept_out = found.name in BANNED or (found.name in ONLY_SERVE and here != "serve")
        return f"{found}: not allowed in rocscope" if kept_out else ""
    if package not in THIRD_PARTY:
        return f"{found}: not a dependency of rocscope"
    top, inside = THIRD_PARTY[package]
    if here in top or (here in inside and (found.inside or found.for_types)):
        return ""
    return f"{found}: {'only inside functions' if here in inside else f'not in {here}'}"


def test_every_module_belongs_to_a_package() -> None:
    assert {package_of_module(path) for path in modules()} <= set(ORDER)


def test_packages_import_only_packages_above() -> None:
    ours = [found for found in ALL if found.name.split(".")[0] == "rocscope"]
    assert [why for found in ours if (why := violation_of_order(found))] == []


def test_third_party_packages_are_imported_where_they_may_be() -> None:
    others = [found for found in ALL if found.name.split(".")[0] not in ("rocscope", "__future__")]
    assert [why for found in others if (why := violation_of_packages(found))] == []


def import_in(package: str, name: str, *, inside: bool = False, for_types: bool = False) -> Import:
    return Import(SOURCE / f"{package}.py", 1, name, inside, for_types)


@pytest.mark.parametrize(
    "wrong",
    [
        import_in("table", "rocscope.curves"),
        import_in("table", "rocscope.curves", inside=True),
        import_in("table", "rocscope.curves", for_types=True),
        import_in("table", "rocscope.wire"),
        import_in("table", "rocscope.Counts", inside=True),
        import_in("measures", "rocscope.names"),
    ],
    ids=str,
)
def test_an_import_against_the_order_would_be_seen(wrong: Import) -> None:
    assert violation_of_order(wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        import_in("errors", "numpy"),
        import_in("curves", "scipy.stats"),
        import_in("curves", "pandas", inside=True),
        import_in("cli", "numpy"),
        import_in("cli", "rich.console"),
        import_in("curves", "torch", inside=True),
        import_in("sources", "pickle", inside=True),
        import_in("report", "socket", inside=True),
    ],
    ids=str,
)
def test_a_third_party_import_in_the_wrong_package_would_be_seen(wrong: Import) -> None:
    assert violation_of_packages(wrong)


def test_relative_imports_are_read_as_absolute_ones() -> None:
    node = ast.parse("from .sheet import Grid\nfrom .. import curves\nfrom ..errors import RocscopeError").body
    path = SOURCE / "cli" / "matrix.py"
    names = [imported_names(n, path) for n in node if isinstance(n, ast.Import | ast.ImportFrom)]
    assert names == [["rocscope.cli.sheet"], ["rocscope.curves"], ["rocscope.errors"]]


# --- rules that hold in every line


def calls_of(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func)
        elif isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.argv":
            yield node.lineno, "sys.argv"


def test_only_the_command_line_prints_reads_arguments_or_exits() -> None:
    ours_alone = {"print", "sys.exit", "exit", "quit", "sys.argv", "input", "sys.stdout.write", "sys.stderr.write"}
    found = [
        f"{path.relative_to(SOURCE)}:{line} {name}"
        for path in modules()
        if package_of_module(path) not in ("cli", "__main__")
        for line, name in calls_of(path)
        if name in ours_alone
    ]
    assert found == []


def test_text_is_never_run_as_code() -> None:
    runs = {"eval", "exec", "compile", "sympy.sympify", "sympify", "sympy.parse_expr", "parse_expr", "__import__"}
    # a record writes `__init__` from the names of its fields, as dataclasses do
    others = [path for path in modules() if path != SOURCE / "record.py"]
    found = [f"{path.name}:{line} {name}" for path in others for line, name in calls_of(path) if name in runs]
    assert found == []


def test_frozen_classes_are_records() -> None:
    found = [path.name for path in modules() if "@dataclass(frozen" in path.read_text("utf-8")]
    assert found == ["record.py"]  # which names it in its docstring


# --- public names


def names_for_type_checkers() -> set[str]:
    tree = ast.parse((SOURCE / "__init__.py").read_text("utf-8"))
    block = next(node for node in tree.body if is_for_types(node))
    assert isinstance(block, ast.If)
    inner = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname for node in inner for alias in node.names if alias.asname}


def test_type_checkers_see_the_public_names() -> None:
    assert names_for_type_checkers() == {*rocscope.__all__, *rocscope._INNER} - {"__version__"}


@pytest.mark.parametrize("name", rocscope.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(rocscope, name) is not None
    assert name in dir(rocscope)


def test_a_misspelt_public_name_gets_a_hint() -> None:
    with pytest.raises(AttributeError, match="Did you mean 'RocscopeError'"):
        _ = rocscope.RocscopeErorr  # type: ignore[attr-defined]
    assert not hasattr(rocscope, "__path_of_no_kind__")


def test_wires_lead_from_methods_to_functions_further_down() -> None:
    for verb, (module, worker) in rocscope.WIRES.items():
        owner, method = verb.split(".")
        source_package = rocscope._HOMES[owner].split(".")[1]
        assert ORDER.index(module.split(".")[1]) > ORDER.index(source_package), f"{verb} needs no wire"
        assert callable(getattr(importlib.import_module(module), worker)), verb
        assert f'wire("{verb}")' in inspect.getsource(getattr(getattr(rocscope, owner), method))


def test_every_wire_that_is_asked_for_is_in_the_table() -> None:
    asked = {
        ast.literal_eval(node.args[0])
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "wire"
    }
    assert asked == set(rocscope.WIRES)


def test_a_wire_finds_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(rocscope.WIRES, "Result.save", ("os.path", "join"))
    assert rocscope.wire("Result.save")("a", "b").startswith("a")


# --- what an import loads

HEAVY = set(THIRD_PARTY) - {"click"}


def loaded_names(statement: str) -> set[str]:
    code = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def loaded_by(statement: str) -> set[str]:
    return {name.split(".")[0] for name in loaded_names(statement)}


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import rocscope", set()),
        ("import rocscope; dir(rocscope); rocscope.RocscopeError", set()),
        ("import rocscope.cli", set()),
        ("import rocscope.cli; rocscope.cli.main(['--help'])", set()),
        ("import rocscope; rocscope.table", {"numpy"}),
        ("import rocscope; rocscope.measures", {"numpy"}),
        ("import rocscope; rocscope.Counts(tp=7, fp=7, fn=3, tn=13).precision", {"numpy"}),
        ("import rocscope; rocscope.ScoreTable.from_scores([0, 1], [0.1, 0.9])", {"numpy"}),
    ],
)
def test_an_import_loads_no_more_than_it_needs(statement: str, allowed: set[str]) -> None:
    assert loaded_by(statement) & HEAVY <= allowed


@pytest.mark.parametrize("command", ["evaluate", "compare", "validate", "matrix", "gate", "explain"])
def test_help_loads_no_numbers(command: str) -> None:
    assert loaded_by(f"import rocscope.cli; rocscope.cli.main(['{command}', '--help'])") & HEAVY <= set()


def test_every_command_declares_its_options_without_numbers() -> None:
    commands = [path.stem for path in sorted((SOURCE / "cli").glob("*.py")) if path.stem != "__init__"]
    assert loaded_by("\n".join(f"import rocscope.cli.{name}" for name in commands)) & HEAVY == set()


def test_a_small_file_is_evaluated_with_numpy_alone(tmp_path: Path) -> None:
    path = tmp_path / "small.csv"
    path.write_text("y,p\n" + "".join(f"{i % 3 == 0:d},{(i * 37 % 100) / 100}\n" for i in range(1000)))
    run = f"import rocscope.cli; rocscope.cli.main([{str(path)!r}, '--output', {str(tmp_path / 'answer.json')!r}])"
    assert loaded_by(run) & HEAVY == {"numpy"}
    assert (tmp_path / "answer.json").stat().st_size > 1000


def test_what_is_heavy_would_be_seen() -> None:
    assert "numpy" in loaded_by("import numpy")


# What a command may load of our own modules: `python tools/imports.py FILE` prints them. A new one needs its reason.
MOST_MODULES = {"evaluate": 166, "compare": 186, "report": 206}


# What only other data or other answers need: several classes, slices, JSON lines, large files, drawings.
OF_OTHER_ANSWERS = {
    "evaluation.class_comparison", "evaluation.classes", "evaluation.multilabel", "evaluation.slices.estimates",
    "intervals.case_statistics", "multiclass.class_sums", "multiclass.predictions",
    "decisions.decision_sums", "sources.json_lines", "sources.plain_csv", "plots", "lessons", "validation",
}  # fmt: skip


@pytest.mark.parametrize("command", MOST_MODULES)
def test_a_command_loads_few_modules(command: str, tmp_path: Path) -> None:
    path, page = tmp_path / "small.csv", str(tmp_path / "report.html")
    rows = (f"{i % 3 == 0:d},{(i * 37 % 100) / 100},{(i * 41 % 100) / 100}\n" for i in range(1000))
    path.write_text("y,p,q\n" + "".join(rows))
    words = [str(path), "--label", "y", "--score", "p", "--output", str(tmp_path / "answer.txt")]
    two = ["compare", *words, "--score", "q"]
    arguments = {"evaluate": ["evaluate", *words], "compare": two, "report": [*two, "--html", page]}[command]
    done = f"import rocscope.cli; rocscope.cli.main({arguments!r})"
    loaded = loaded_names(done)
    assert {name.split(".")[0] for name in loaded} & HEAVY == {"numpy"}
    assert sum(name.startswith("rocscope") for name in loaded) <= MOST_MODULES[command]
    assert {f"rocscope.{name}" for name in OF_OTHER_ANSWERS} & loaded == set()
    assert {"numpy.ma", "scipy", "importlib.resources"} & loaded == set()  # each takes as long as a drawing


def lazy_packages() -> list[str]:
    paths = [path for path in modules() if path.name == "__init__.py" and "on_first_use(__name__" in path.read_text()]
    return [".".join(package_of(path)) for path in paths]


@pytest.mark.parametrize("package", lazy_packages())
def test_names_loaded_on_first_use_are_those_that_type_checkers_see(package: str) -> None:
    path = SOURCE.parent / package.replace(".", "/") / "__init__.py"
    block = next(node for node in ast.parse(path.read_text("utf-8")).body if is_for_types(node))
    assert isinstance(block, ast.If)
    named = {
        (alias.name, str(node.module).removeprefix(f"{package}."))
        for node in block.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(package)
        for alias in node.names
    }
    call = next(node for node in ast.walk(ast.Module(block.orelse, [])) if isinstance(node, ast.Call))
    homes = ast.literal_eval(call.args[1])
    later = {(name, module) for module, names in homes.items() for name in names.split()}
    assert {one for one in named if one[0] in importlib.import_module(package).__all__} == later
    assert all(getattr(importlib.import_module(package), name) is not None for name, _ in later)


# --- what a package shows to others


def public_names(package: str) -> set[str]:
    return set(getattr(importlib.import_module(f"rocscope.{package}"), "__all__", ()))


def lazy_uses() -> Iterator[tuple[str, str]]:
    """What the command line asks of a package by its lazy name: rs.sources.guess as ("sources", "guess")."""
    for path in (SOURCE / "cli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            parts = ast.unparse(node).split(".") if isinstance(node, ast.Attribute) else []
            if len(parts) == 3 and parts[0] == "rs":
                yield parts[1], parts[2]


def test_the_command_line_uses_public_names() -> None:
    uses = {(package, name) for package, name in lazy_uses() if package in ORDER}
    assert len(uses) > 30
    assert {(package, name) for package, name in uses if name not in public_names(package)} == set()


def inner_imports() -> Iterator[str]:
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("rocscope."):
                continue
            module = str(node.module)
            target = module.split(".")[1]
            if target == package_of_module(path) or not (SOURCE / target).is_dir():
                continue
            public = public_names(target) if module.count(".") == 1 else set()
            yield from (f"{module} {alias.name}" for alias in node.names if alias.name not in public)


def test_only_public_names_are_imported_from_another_package() -> None:
    assert sorted(inner_imports()) == [], "import it from the package and list it in its __all__"


# Modules that a function of the same name hides: `import rocscope.plots.ranks` would bind the function.
SHADOWED: set[str] = set()


def test_no_module_is_hidden_by_a_name_of_its_package() -> None:
    found = {
        f"{package.name}.{path.stem}"
        for package in SOURCE.iterdir()
        if (package / "__init__.py").exists() and package.name not in ("page", "serve", "cli")
        for path in package.glob("*.py")
        if path.stem in public_names(package.name)
    }
    assert found == SHADOWED, "a module needs another name, or is no longer hidden: take it off the list"


# Class names that stand for different things in different modules.
TWO_MEANINGS: set[str] = set()


def test_a_class_name_has_one_meaning() -> None:
    places: dict[str, list[str]] = {}
    for path in modules():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    several = {name: where for name, where in places.items() if len(where) > 1}
    assert {name: where for name, where in several.items() if name not in TWO_MEANINGS} == {}
    assert sorted(TWO_MEANINGS - set(several)) == [], "no longer needed: take it off the list"
