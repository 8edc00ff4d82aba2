"""Calls of the public functions, recorded while the examples of the documentation run; what a call answers, as text."""

from __future__ import annotations

import ast
import copy
import dataclasses
import doctest
import importlib
import inspect
import io
import os
import re
import sys
import tomllib
import types
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from typing import Any

import numpy as np

from rocscope.registry import Registry

TOOLS = Path(__file__).parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
import python_reference  # noqa: E402

sys.path.remove(str(TOOLS))

Arguments = dict[str, Any]
TIMES = re.compile("seconds|^times$")  # never twice the same
CALLS_EACH = 5  # of one function: the first may be one that leaves little to change


@dataclasses.dataclass
class PublicFunction:
    """A public function or method, by its dotted name."""

    name: str
    function: Callable[..., Any]
    signature: inspect.Signature
    calls: list[Arguments] = dataclasses.field(default_factory=list)

    @property
    def parameters(self) -> list[str]:
        kinds = self.signature.parameters.values()
        return [one.name for one in kinds if one.name not in ("self", "cls") and one.kind is not one.VAR_KEYWORD]

    def call(self, given: Arguments) -> Any:
        """The function called with arguments by name."""
        place: list[Any] = []
        named: Arguments = {}
        for one in self.signature.parameters.values():
            if one.name not in given:
                continue
            if one.kind is one.VAR_POSITIONAL:
                place += given[one.name]
            elif one.kind is one.VAR_KEYWORD:
                named |= given[one.name]
            elif one.kind is one.KEYWORD_ONLY:
                named[one.name] = given[one.name]
            else:
                place.append(given[one.name])
        return self.function(*place, **named)


def public_functions(package: str) -> dict[str, PublicFunction]:
    found = {}
    for name, value in python_reference.callables(package).items():
        with suppress(ValueError, TypeError):
            found[name] = PublicFunction(name, value, inspect.signature(value))
    return found


def code_of(function: Any) -> types.CodeType | None:
    inner = inspect.unwrap(function)
    return getattr(getattr(inner, "__func__", inner), "__code__", None)


@contextmanager
def recording(wanted: dict[types.CodeType, PublicFunction]) -> Iterator[None]:
    """The arguments of each call of these functions, as they were when it began."""
    left = dict(wanted)

    def notice(frame: types.FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code not in left:
            return
        known = left[frame.f_code]
        sys.setprofile(None)
        try:
            held = inspect.getargvalues(frame)
            names = [*held.args, *filter(None, (held.varargs, held.keywords))]
            given = {name: copied(held.locals[name]) for name in names if name in held.locals}
            if set(given) == set(known.signature.parameters):
                known.calls.append(given)
            if len(known.calls) >= CALLS_EACH:
                del left[frame.f_code]
        finally:
            sys.setprofile(notice)

    sys.setprofile(notice)
    try:
        yield
    finally:
        sys.setprofile(None)


def copied(value: Any) -> Any:
    """A copy where there can be one."""
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def recorded() -> dict[str, PublicFunction]:
    """The public functions of every package, with the calls that the examples make of them.

    The examples are those of docstrings, of tools/examples.toml and of more_calls.toml.
    """
    functions = {name: one for package in python_reference.PACKAGES for name, one in public_functions(package).items()}
    wanted = {code: one for one in functions.values() if (code := code_of(one.function)) is not None}
    known = dict(python_reference._given())
    more = tomllib.loads((Path(__file__).parent / "more_calls.toml").read_text("utf-8"))
    exec(more.pop("common"), known)
    with redirect_stdout(io.StringIO()), registries_kept():
        for name, text in (*more.items(), *python_reference.examples().items()):
            for line in ast.parse(text.strip()).body:
                with recording(wanted):
                    exec(compile(ast.Module([line], []), name, "exec"), known)
        for package in python_reference.PACKAGES:
            for module in modules(package):
                for example in doctest.DocTestFinder(exclude_empty=True).find(module):
                    for one in example.examples:
                        with recording(wanted), suppress(Exception):  # an example may show a refusal
                            exec(compile(one.source, example.name, "single"), example.globs)
    return functions


@contextmanager
def registries_kept() -> Iterator[None]:
    """Whatever is declared meanwhile is forgotten again."""
    found = [one for module in list(sys.modules.values()) if (getattr(module, "__name__", "")).startswith("rocscope")
             for one in vars(module).values() if isinstance(one, Registry)]  # fmt: skip
    held = [part for one in found for part in vars(one).values() if isinstance(part, dict)]
    before = [dict(part) for part in held]
    try:
        yield
    finally:
        for part, old in zip(held, before, strict=True):
            part.clear()
            part.update(old)


def modules(package: str) -> list[types.ModuleType]:
    root = importlib.import_module(f"rocscope.{package}")
    folder = Path(str(root.__file__))
    if folder.name != "__init__.py":
        return [root]
    names = [".".join(path.relative_to(folder.parents[1]).with_suffix("").parts)
             for path in sorted(folder.parent.rglob("*.py"))]  # fmt: skip
    return [importlib.import_module(f"rocscope.{name.removesuffix('.__init__')}") for name in names]


# ---- what a call answers ----


def answer(function: PublicFunction, given: Arguments, folder: Path) -> str:
    """What a call gives, changes, prints and writes, as text; or how it is refused."""
    mine = {name: copied(value) for name, value in given.items()}
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    printed = io.StringIO()
    old = Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stdout(printed):
            made = function.call(mine)
            text = said(made)
    except Exception as error:
        return f"refused: {type(error).__name__}: {error}"
    finally:
        os.chdir(old)
    files = [f"{path.name} {path.read_bytes()!r}" for path in sorted(folder.rglob("*"))
             if path.is_file() and path.stat().st_mtime_ns != before.get(path)]  # fmt: skip
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()
    owner = said(mine["self"]) if "self" in mine else ""
    return "\n".join([text, owner, printed.getvalue(), *files])


def said(value: Any, depth: int = 0) -> str:
    """Everything about a value that can be seen, without addresses."""
    if depth > 8:
        return "..."
    deeper = depth + 1
    if isinstance(value, np.ndarray):
        return f"{value.dtype.kind}{value.shape}{value.tolist()}"
    if isinstance(value, str | bytes | int | float | complex | bool | np.generic) or value is None:
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, Mapping):
        known = {k: v for k, v in value.items() if not (isinstance(k, str) and TIMES.search(k))}
        return "{" + ", ".join(f"{said(k, deeper)}: {said(v, deeper)}" for k, v in known.items()) + "}"
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(said(one, deeper) for one in value)) + "}"
    if isinstance(value, list | tuple | types.GeneratorType | range):
        return f"{type(value).__name__} [" + ", ".join(said(one, deeper) for one in list(value)[:200]) + "]"
    if hasattr(value, "savefig") or hasattr(value, "figure"):
        return drawn(value)
    if callable(getattr(value, "to_dict", None)) and not isinstance(value, type):
        with suppress(TypeError):
            return f"{type(value).__name__} {said(value.to_dict(), deeper)}"
    if isinstance(value, types.FunctionType):
        inside = [said(cell.cell_contents, deeper) for cell in value.__closure__ or ()]
        return f"function {value.__qualname__} {inside}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        held = {one.name: getattr(value, one.name) for one in dataclasses.fields(value)}
        return f"{type(value).__name__} {said(held, deeper)}"
    printed = re.sub(r" at 0x[0-9a-f]+", "", repr(value))
    state = getattr(value, "__dict__", {}) if not isinstance(value, type | types.ModuleType) else {}
    return f"{printed} {said(dict(state), deeper)}"


def drawn(value: Any) -> str:
    """A figure as the SVG that it is."""
    import matplotlib

    figure = value if hasattr(value, "savefig") else value.figure
    target = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "x"}):
        figure.savefig(target, format="svg", metadata={"Date": None})
    return target.getvalue().decode()
