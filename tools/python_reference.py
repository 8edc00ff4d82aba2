"""Pages of the Python reference, one per public package, made when the site is built (`tools/site_hooks.py`).

A page lists the public names with the first line of their docstrings, then shows each one with its signature and its
docstring, which mkdocstrings takes from the source.
"""

from __future__ import annotations

import importlib
import inspect
from types import ModuleType
from typing import Any

import rocscope

# package -> title of its page, in the order of the navigation
PACKAGES = {
    "measures": "Measures of counts and matrices",
    "estimate": "Estimates and intervals of counts",
    "table": "Counts, confusion matrices and score tables",
    "curves": "Curves, areas and losses",
    "hull": "Convex hull and isotonic regression",
    "multiclass": "Several classes and labels",
    "decisions": "Costs, thresholds and decisions",
    "intervals": "Intervals of areas, thresholds and costs; planning",
    "significance": "Tests between classifiers",
    "splits": "Resampling plans",
    "evaluation": "Evaluation and comparison",
    "validation": "Cross-validation of models",
    "report": "Reports",
    "plots": "Figures",
    "verdicts": "Verdicts",
    "lessons": "Worked examples and exercises",
    "sklearn": "Drop-in for scikit-learn's metrics",
    "formula": "Formulas",
    "errors": "Exceptions",
}


def pages() -> dict[str, str]:
    """Every page of the Python reference: its name and its text."""
    found = {f"python/{name}.md": _page(name, title) for name, title in PACKAGES.items()}
    return {"python/index.md": _index(), **found}


def public_names(module: ModuleType) -> list[str]:
    """The public classes and functions of a module: those in `__all__`, or those it defines."""
    listed = getattr(module, "__all__", None)
    own = [name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
    return [name for name in listed or own if not name.startswith("_") and _is_documented(getattr(module, name))]


def _is_documented(value: Any) -> bool:
    return inspect.isclass(value) or inspect.isroutine(value) or hasattr(value, "__wrapped__")


def _index() -> str:
    lines = [
        "# Python reference\n",
        "Names at the top level, `import rocscope as rs`:\n",
        "| name | what it is |",
        "| --- | --- |",
    ]
    for name in sorted(set(rocscope.__all__) - {"__version__"}, key=str.lower):
        value = getattr(rocscope, name)
        package = name if isinstance(value, ModuleType) else value.__module__.split(".")[1]
        shown = f"[`rs.{name}`]({package}.md)" if package in PACKAGES else f"`rs.{name}`"
        lines.append(f"| {shown} | {_first_line(value)} |")
    lines += ["", "Every package:\n", "| package | topic |", "| --- | --- |"]
    lines += [f"| [`rocscope.{name}`]({name}.md) | {title} |" for name, title in PACKAGES.items()]
    return "\n".join([*lines, ""])


def _page(name: str, title: str) -> str:
    module = importlib.import_module(f"rocscope.{name}")
    known = {one: getattr(module, one) for one in public_names(module)}
    lines = [f"# {title}\n", f"`rocscope.{name}`: {_first_line(module)}\n", "| name | what it is |", "| --- | --- |"]
    lines += [f"| [`{one}`](#{_address(value)}) | {_first_line(value)} |" for one, value in known.items()]
    for one, value in known.items():
        lines += ["", f"::: {_address(value)}", "    options:", f'      heading: "{name}.{one}"']
    return "\n".join([*lines, ""])


def _address(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


def _first_line(value: Any) -> str:
    text = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    return text.replace("<", "&lt;")
