"""Evaluate classifiers: how good, how certain, which threshold, which model.

>>> import rocscope as rs
>>> rs.Counts(tp=7, fp=7, fn=3, tn=13).precision
0.5

Only the public names are defined here, and each is loaded when it is first used, so `import rocscope` takes
almost no time. A new public name is one line in `_HOMES` (a class or function) or `_MODULES` (a module), and
another in the block for type checkers.
"""

from __future__ import annotations

import copyreg
from types import MappingProxyType
from typing import TYPE_CHECKING

from rocscope.version import VERSION as __version__


def _mapping(items: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(items)


# results contain read-only mappings, which Python cannot pickle or copy by default
copyreg.pickle(MappingProxyType, lambda mapping: (_mapping, (dict(mapping),)))

# public name -> module that defines it
_HOMES = {
    "RocscopeError": "rocscope.errors",
    "Counts": "rocscope.table",
    "Confusion": "rocscope.table",
    "ScoreTable": "rocscope.table",
    "ClassStream": "rocscope.multiclass",
    "ClassSums": "rocscope.multiclass",
    "Stream": "rocscope.table",
    "windows": "rocscope.table",
    "Hull": "rocscope.hull",
    "Curve": "rocscope.curves",
    "Costs": "rocscope.decisions",
    "CriticalDifference": "rocscope.significance",
    "Pairs": "rocscope.splits",
    "Calibrator": "rocscope.recalibration",
    "evaluate": "rocscope.evaluation",
    "compare": "rocscope.evaluation",
    "recalibrate": "rocscope.evaluation.recalibrated_rows",
    "Evaluation": "rocscope.evaluation",
    "ClassEvaluation": "rocscope.evaluation",
    "ClassComparison": "rocscope.evaluation",
    "LabelEvaluation": "rocscope.evaluation",
    "LabelStream": "rocscope.multiclass",
    "LabelSums": "rocscope.multiclass",
    "Comparison": "rocscope.evaluation",
    "Result": "rocscope.evaluation",
    "Gate": "rocscope.evaluation.gates",
    "gate": "rocscope.evaluation.gates",
    "trend": "rocscope.evaluation.trends",
    "validate": "rocscope.validation",
    "Validation": "rocscope.validation",
}
# public modules
_MODULES = (
    "formula", "measures", "estimate", "tally", "table", "hull", "curves", "multiclass", "decisions", "intervals",
    "significance", "splits", "recalibration", "verdicts", "lessons", "plots",
)  # fmt: skip
# packages that are not public API but are used as attributes, mostly by the command line
_INNER = ("evaluation", "report", "sources", "validation")

# Deferred calls. A module may import only modules that come before it in the import order, but some methods need a
# function from a package that comes later: Result.save, for example, is implemented in rocscope.report. Such a method
# looks up the function by name when it is called, with `wire`. This table is the only place where a dependency points
# to a later package:
#     "Result.save": ("rocscope.report", "save")
# and in the class:   def save(self, path: str) -> None: wire("Result.save")(self, path)
WIRES: dict[str, tuple[str, str]] = {
    "ScoreTable.save": ("rocscope.report", "save_table"),
    "ScoreTable.load": ("rocscope.sources.saved_tables", "load_scores"),
    "Confusion.save": ("rocscope.report", "save_table"),
    "Confusion.load": ("rocscope.sources.saved_tables", "load_confusion"),
    "ClassSums.save": ("rocscope.report", "save_table"),
    "ClassSums.load": ("rocscope.sources.saved_tables", "load_classes"),
    "LabelSums.save": ("rocscope.report", "save_table"),
    "LabelSums.load": ("rocscope.sources.saved_tables", "load_labels"),
    "Calibrator.save": ("rocscope.report", "write_file"),
    "Counts.plot": ("rocscope.plots", "counts"),
    "Confusion.plot": ("rocscope.plots", "matrix"),
    "Hull.plot": ("rocscope.plots", "hull"),
    "ScoreTable._statistic": ("rocscope.curves", "get"),
    "ScoreTable._statistic_names": ("rocscope.curves", "names"),
    "Hull.plot_strip": ("rocscope.plots", "strip"),
    "Curve.plot": ("rocscope.plots", "curve"),
    "CriticalDifference.plot": ("rocscope.plots", "ranks"),
    "Pairs.plot": ("rocscope.plots", "pairs"),
    "Evaluation.plot": ("rocscope.plots", "evaluation"),
    "Evaluation.threshold_model": ("rocscope.sklearn.estimators", "threshold_model"),
    "ClassEvaluation.plot": ("rocscope.plots", "classes"),
    "ClassComparison.plot": ("rocscope.plots", "class_comparison"),
    "LabelEvaluation.plot": ("rocscope.plots", "labels"),
    "Comparison.plot": ("rocscope.plots", "comparison"),
    "Validation.plot": ("rocscope.plots", "validation"),
    "Confusion.to_frame": ("rocscope.report.tidy", "matrix_frame"),
    "Curve.to_frame": ("rocscope.report.tidy", "curve_frame"),
    "Result._of_folds": ("rocscope.validation", "validated_predictions"),
    "Result.to_frame": ("rocscope.report.tidy", "document_frame"),
    "Validation.to_frame": ("rocscope.report.tidy", "validation_frame"),
    "Result.to_metrics": ("rocscope.report.trackers", "flat_metrics"),
    "Result.__str__": ("rocscope.report", "text"),
    "Result.save": ("rocscope.report", "save"),
    "Result._repr_html_": ("rocscope.report", "notebook"),
    "Counts._repr_html_": ("rocscope.report.html.notebook_cells", "counts"),
    "Confusion._repr_html_": ("rocscope.report.html.notebook_cells", "confusion"),
    "Curve._repr_html_": ("rocscope.report.html.notebook_cells", "curve"),
    "Hull._repr_html_": ("rocscope.report.html.notebook_cells", "hull"),
    "Gate.__str__": ("rocscope.report.text_views.gates", "gate_text"),
}

__all__ = ["__version__", *_HOMES, *_MODULES]  # noqa: PLE0604  (the keys of _HOMES are strings)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from rocscope import curves as curves
    from rocscope import decisions as decisions
    from rocscope import estimate as estimate
    from rocscope import evaluation as evaluation
    from rocscope import formula as formula
    from rocscope import hull as hull
    from rocscope import intervals as intervals
    from rocscope import lessons as lessons
    from rocscope import measures as measures
    from rocscope import multiclass as multiclass
    from rocscope import plots as plots
    from rocscope import recalibration as recalibration
    from rocscope import report as report
    from rocscope import significance as significance
    from rocscope import sources as sources
    from rocscope import splits as splits
    from rocscope import table as table
    from rocscope import tally as tally
    from rocscope import validation as validation
    from rocscope import verdicts as verdicts
    from rocscope.curves import Curve as Curve
    from rocscope.decisions import Costs as Costs
    from rocscope.errors import RocscopeError as RocscopeError
    from rocscope.evaluation import ClassComparison as ClassComparison
    from rocscope.evaluation import ClassEvaluation as ClassEvaluation
    from rocscope.evaluation import Comparison as Comparison
    from rocscope.evaluation import Evaluation as Evaluation
    from rocscope.evaluation import LabelEvaluation as LabelEvaluation
    from rocscope.evaluation import Result as Result
    from rocscope.evaluation import compare as compare
    from rocscope.evaluation import evaluate as evaluate
    from rocscope.evaluation.gates import Gate as Gate
    from rocscope.evaluation.gates import gate as gate
    from rocscope.evaluation.recalibrated_rows import recalibrate as recalibrate
    from rocscope.evaluation.trends import trend as trend
    from rocscope.hull import Hull as Hull
    from rocscope.multiclass import ClassStream as ClassStream
    from rocscope.multiclass import ClassSums as ClassSums
    from rocscope.multiclass import LabelStream as LabelStream
    from rocscope.multiclass import LabelSums as LabelSums
    from rocscope.recalibration import Calibrator as Calibrator
    from rocscope.significance import CriticalDifference as CriticalDifference
    from rocscope.splits import Pairs as Pairs
    from rocscope.table import Confusion as Confusion
    from rocscope.table import Counts as Counts
    from rocscope.table import ScoreTable as ScoreTable
    from rocscope.table import Stream as Stream
    from rocscope.table import windows as windows
    from rocscope.validation import Validation as Validation
    from rocscope.validation import validate as validate
else:
    # Hidden from type checkers, which know the names from the imports above and report a misspelled one as an error.
    def __getattr__(name: str) -> Any:
        """Load a public name when it is first asked for (PEP 562)."""
        from importlib import import_module

        if name in _MODULES or name in _INNER:
            return import_module(f"rocscope.{name}")
        if name in _HOMES:
            value = globals()[name] = getattr(import_module(_HOMES[name]), name)
            return value
        raise AttributeError(_absent(name))

    def _absent(name: str) -> str:
        message = f"module 'rocscope' has no attribute '{name}'"
        if name.startswith("_"):  # a probe by copying or introspection: no suggestion is needed
            return message
        from rocscope.errors import did_you_mean

        return f"{message}. {did_you_mean(name, __all__)}".rstrip()


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)


def wire(verb: str) -> Callable[..., Any]:
    """The worker of a verb in `WIRES`, its module loaded now."""
    from importlib import import_module

    module, name = WIRES[verb]
    worker: Callable[..., Any] = getattr(import_module(module), name)
    return worker
