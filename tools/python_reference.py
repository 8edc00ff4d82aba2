"""Pages of the Python reference, one per public package, made when the site is built (`tools/site_hooks.py`).

A page lists the public names with the first line of their docstrings, then shows each one with its signature and its
docstring, which mkdocstrings takes from the source.
"""

from __future__ import annotations

import atexit
import importlib
import inspect
import re
import shutil
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
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
    "recalibration": "Calibrators",
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
        lines += _parameter_table(f"{name}.{one}", value)
        lines += example(f"{name}.{one}", value)
    return "\n".join([*lines, ""])


def callables(package: str) -> dict[str, Any]:
    """The public functions and methods of a package, by their dotted names."""
    module = importlib.import_module(f"rocscope.{package}")
    found: dict[str, Any] = {}
    for name in public_names(module):
        value = getattr(module, name)
        if not inspect.isclass(value):
            found[f"{package}.{name}"] = value
            continue
        methods = {key: getattr(one, "__func__", one) for key, one in vars(value).items() if not key.startswith("_")}
        found |= {f"{package}.{name}.{key}": one for key, one in methods.items() if inspect.isfunction(one)}
    return found


def meanings(function: str, value: Any) -> dict[str, str]:
    """What each parameter of a function means; '' where parameters.toml does not say."""
    glossary = tomllib.loads((Path(__file__).parent / "parameters.toml").read_text("utf-8"))
    try:
        names = [name for name in inspect.signature(value).parameters if name not in ("self", "cls")]
    except ValueError:  # a class of C has no signature
        return {}
    return {name: glossary.get(f"{function}.{name}", glossary.get(name, "")) for name in names}


def _parameter_table(function: str, value: Any) -> list[str]:
    """The parameters of a function with what they mean, below its signature."""
    known = {} if inspect.isclass(value) else {name: says for name, says in meanings(function, value).items() if says}
    if not known:
        return []
    return ["", "| parameter | meaning |", "| --- | --- |", *(f"| `{name}` | {says} |" for name, says in known.items())]


# what the examples of examples.toml take as given: where a name stands in an example, the lines that make it
GIVEN = {
    r"\bnp\.": "import numpy as np",
    r"\bFraction\(": "from fractions import Fraction",
    r"\bPath\(": "from pathlib import Path",
    r"\bfolder\b": "import tempfile\nfolder = tempfile.mkdtemp()",
    r"\bGaussianNB\b|\bva\b": "from sklearn.naive_bayes import GaussianNB",
    r"\b(y|s|t|ev)\b": "y, s = [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]",
    r"\bt\b": "t = rs.ScoreTable.from_scores(y, s)",
    r"\bev\b": "ev = rs.evaluate(y, s)",
    r"\bm\b": "m = rs.Confusion.from_labels([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])",
    r"\bva\b": "from sklearn.dummy import DummyClassifier\n"
    "models = {'nb': GaussianNB(), 'majority': DummyClassifier()}\n"
    "va = rs.validate(models, [[i] for i in range(12)], [0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1], plan='3-fold')",
}
LONGEST = 400  # letters of a shown value


@cache
def examples() -> dict[str, str]:
    """The examples of examples.toml by public name: an expression, perhaps after lines that prepare it."""
    return tomllib.loads((Path(__file__).parent / "examples.toml").read_text("utf-8"))


@cache
def _given() -> dict[str, Any]:
    import matplotlib

    matplotlib.use("Agg")
    made: dict[str, Any] = {}
    exec("import rocscope as rs\n" + "\n".join(GIVEN.values()), made)
    atexit.register(shutil.rmtree, made["folder"], ignore_errors=True)
    for package in (*PACKAGES, "sources"):
        importlib.import_module(f"rocscope.{package}")
    return made


def example(name: str, value: Any) -> list[str]:
    """An example of a name whose docstring has none: an expression with its value, or the functions that return it."""
    if ">>>" in (inspect.getdoc(value) or ""):
        return []
    if name in examples():
        return ["", "**Example**", "", "```pycon", *_session(examples()[name]), "```"]
    made = makers(name, value)
    return ["", f"Returned by {', '.join(f'`rocscope.{one}`' for one in made)}, which has an example."] if made else []


def _session(text: str) -> list[str]:
    """An example as it would be typed: what it takes as given, its lines, and the value of the last one."""
    *before, last = text.splitlines()
    names = dict(_given())
    with _catalog_kept():
        exec("\n".join(before), names)
        value = eval(last, names)
    shown = repr(value)
    given = [line for name, lines in GIVEN.items() if re.search(name, text) for line in lines.splitlines()]
    typed = [f">>> {line}" for line in ("import rocscope as rs", *given, *before, last)]
    return typed if value is None else [*typed, shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}..."]


@contextmanager
def _catalog_kept() -> Iterator[None]:
    """Whatever an example declares is forgotten again."""
    from rocscope.measures import DECLARED

    held: list[dict[str, Any]] = [DECLARED._entries, DECLARED._names, DECLARED._owners]
    before = [dict(one) for one in held]
    yield
    for one, old in zip(held, before, strict=True):
        one.clear()
        one.update(old)


def makers(name: str, value: Any) -> list[str]:
    """The public functions with an example that return a class."""
    if not inspect.isclass(value):
        return []
    wanted = re.compile(rf"\b{name.split('.')[1]}\b")
    found = []
    for package in PACKAGES:
        for one, function in callables(package).items():
            returned = str(getattr(function, "__annotations__", {}).get("return", ""))
            if wanted.search(returned) and ">>>" in (inspect.getdoc(function) or ""):
                found.append(one)
    return found[:4]


def _address(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"


def _first_line(value: Any) -> str:
    text = (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    return text.replace("<", "&lt;")
