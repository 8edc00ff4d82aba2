"""Every declared measure, statistic, rule, interval and test names its source: who, when, and where it was printed."""

from __future__ import annotations

import re

import pytest

from rocscope import curves, decisions, estimate, measures, significance

CITED = {
    **{f"measure {one.name}": one.cite for one in measures.catalogue()},
    **{f"statistic {one.name}": one.cite for one in curves.catalogue()},
    **{f"rule {name}": one.cite for name, one in decisions.rules().items()},
    **{f"test {name}": one.cite for name, one in significance.catalogue().items()},
    **{f"interval {name}": one.cite for kind in ("proportion", "auc") for name, one in estimate.methods(kind).items()},
}

# Checked against a second source; the first two were attributed to another paper of the same authors before.
CHECKED = {
    "statistic brier_skill": "Murphy 1973, Journal of Applied Meteorology 12:215-223",
    "statistic aurc": "Geifman, Uziel & El-Yaniv 2019",
    "statistic risk_coverage": "El-Yaniv & Wiener 2010",
}


@pytest.mark.parametrize("name", CITED)
def test_a_citation_names_an_author_and_a_year(name: str) -> None:
    assert re.match(r"\w[^0-9]* (1[89]|20)\d\d\b", CITED[name]), CITED[name]


@pytest.mark.parametrize(("name", "source"), CHECKED.items())
def test_mended_citations_stay_mended(name: str, source: str) -> None:
    assert CITED[name].startswith(source)

