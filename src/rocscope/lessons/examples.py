"""Worked examples by name, each with its data, its question, its right answers and its erratum.

>>> example("dogs").question
'A program calls 8 animals dogs; there are 12 dogs and 5 of the 8 are dogs. Precision, recall?'
>>> [a.text for a in example("dogs").answers][3]
'precision = 5/8 = 0.625'
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rocscope.lessons.examples_counts import COUNT_EXAMPLES
from rocscope.lessons.examples_curves import CURVE_EXAMPLES
from rocscope.lessons.records import Example, pick

_BY_NAME: Mapping[str, Example] = MappingProxyType(
    {one.name: one for one in sorted((*COUNT_EXAMPLES, *CURVE_EXAMPLES), key=lambda one: one.source_item)}
)


def examples() -> tuple[Example, ...]:
    """All worked examples, in the order of the checklist.

    >>> examples()[1].name
    'eight-wrong'
    """
    return tuple(_BY_NAME.values())


def example(name: str) -> Example:
    """The worked example of that name.

    >>> example("flu").title
    'A flu test for ten thousand'
    >>> example("irsi")
    Traceback (most recent call last):
    ...
    rocscope.errors.RocscopeError: no example is called 'irsi'. Did you mean 'iris'?
    """
    found: Example = pick(name, _BY_NAME, "example")
    return found
