"""Common interface of all results: the results document, a tidy frame, text, a page and a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rocscope.errors import RocscopeError


class Sections(Mapping[str, Any]):
    """A results document whose sections are computed when they are first read.

    The first screen of a comparison reads a third of the sections, which halves its time.

    >>> document = Sections({"kind": "evaluation", "top": lambda: print("computed")})
    >>> document["kind"]
    'evaluation'
    >>> document.complete()
    computed
    {'kind': 'evaluation', 'top': None}
    """

    def __init__(self, sections: Mapping[str, Any]) -> None:
        self._sections = dict(sections)

    def __getitem__(self, name: str) -> Any:
        section = self._sections[name]
        if callable(section):
            section = self._sections[name] = section()
        return section

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)

    def __reduce__(self) -> tuple[type[Sections], tuple[dict[str, Any]]]:
        """The complete document, which is what is pickled and copied: the functions that compute sections are not."""
        return Sections, (self.complete(),)

    def complete(self) -> dict[str, Any]:
        """All sections as plain data."""
        return {name: part.complete() if isinstance(part, Sections) else part for name, part in self.items()}


class Result:
    """The base class of evaluations, comparisons and validations: all outputs are views of one document.

    >>> from rocscope import Result, evaluate
    >>> isinstance(evaluate([0, 1], [0.2, 0.7]), Result)
    True
    """

    def _document(self) -> dict[str, Any]:
        """The results document without the section for drawing a page."""
        raise NotImplementedError

    def sections(self) -> Mapping[str, Any]:
        """The results document as a mapping: each section is computed when it is first read, if that is possible."""
        return self._document()

    @staticmethod
    def _of_folds(y: Any, models: Mapping[str, Any], fold: Any, **how: Any) -> Any:
        """The validation that cross-validated predictions belong to, if the fold of each row is known."""
        from rocscope import wire

        return wire("Result._of_folds")(y, models, fold, **how)

    def _like(self) -> str:
        """Library of the frame that the cases came from; '' if there is none."""
        return str(getattr(self, "library", ""))

    def to_dict(self, *, drawing: bool = False, cases: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The results document (schema rocscope/1): everything that text, Markdown, CSV and the report show.

        With `drawing`, it also contains the data for the interactive page and the `cases` to be shown.
        """
        if cases is not None and not drawing:
            raise RocscopeError("cases= applies only to the page", hint="Give drawing=True too")
        document = self._document()
        if not drawing:
            return document
        from rocscope.evaluation.page_data import drawing_of

        return document | {"drawing": drawing_of(self, document, cases=cases)}

    def to_frame(self, library: str | None = None) -> Any:
        """Every number as one row of a tidy frame: "pandas", "polars", "pyarrow", "duckdb", or a "dict" of columns.

        The default library is that of the frame the cases came from, or else one that is installed.
        """
        from rocscope import wire

        return wire("Result.to_frame")(self.to_dict(), library, like=self._like())

    def to_metrics(self) -> dict[str, float]:
        """Every number under a flat name, with limits as name_low and name_high, for MLflow, W&B and other trackers.

        >>> from rocscope import evaluate
        >>> found = evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).to_metrics()
        >>> found["positives"], round(found["auc"], 3), round(found["auc_high"], 3)
        (3.0, 0.889, 0.989)
        """
        from rocscope import wire

        metrics: dict[str, float] = wire("Result.to_metrics")(self.to_dict())
        return metrics

    def __str__(self) -> str:
        from rocscope import wire

        return str(wire("Result.__str__")(self.sections()))

    def _repr_html_(self) -> str:
        """The first screen of the interactive page, for notebooks."""
        from rocscope import wire

        return str(wire("Result._repr_html_")(self.to_dict(drawing=True)))

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print the result as text in notebooks that do not show HTML."""
        printer.text("..." if cycle else str(self))

    def save(self, path: str, *, force: bool = False) -> None:
        """Write the result to a file; the extension determines the format (.html, .json, .md, .csv, .txt, .tex)."""
        from rocscope import wire

        wire("Result.save")(self.to_dict(drawing=str(path).lower().endswith(".html")), path, force=force)
