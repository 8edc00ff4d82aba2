"""A record is a frozen dataclass in everything but when its methods are written."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import KW_ONLY, FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
import pytest

from rocscope.record import record


def _declared(decorate: Any) -> Any:
    class Held:
        """Fields of every kind."""

        a: int
        b: float = 2.0
        c: list[int] = field(default_factory=list)
        hidden: int = field(default=0, repr=False, compare=False)
        counted: int = field(default=7, init=False)
        _: KW_ONLY
        named: str = "n"

        def __post_init__(self) -> None:
            object.__setattr__(self, "a", self.a + 1)

    return decorate(Held)


@record(slots=True)
class Slotted:
    a: int
    b: tuple[int, ...] = ()


@record(eq=False)
class Plain:
    a: int


@record
class Single:
    a: int


@record
class Own:  # noqa: PLW1641 - a hash follows from the fields
    a: int

    def __eq__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        return "own"


PAIRS = [(_declared(record), _declared(dataclass(frozen=True)))]
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}), ((1, 3.0), {}), ((1,), {"b": 5, "named": "x"}), ((1, 2, [3], 4), {"named": "y"}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "named"), CALLS)
def test_objects_print_compare_and_change_as_those_of_a_dataclass(args: Any, named: Any) -> None:
    for ours, theirs in PAIRS:
        mine, other = ours(*args, **named), theirs(*args, **named)
        assert (repr(mine), asdict(mine), vars(mine)) == (repr(other), asdict(other), vars(other))
        assert mine == ours(*args, **named) and mine != theirs(*args, **named)
        assert mine == ours(*args, **{**named, "hidden": 9} if len(args) < 4 else named)
        assert asdict(replace(mine, b=8.0)) == asdict(replace(other, b=8.0))
        assert mine != replace(mine, b=-1.0)


def test_signature_fields_and_patterns_are_those_of_a_dataclass() -> None:
    for ours, theirs in PAIRS:
        assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
        assert [item.name for item in fields(ours)] == [item.name for item in fields(theirs)]
        assert ours.__match_args__ == theirs.__match_args__


WRONG: list[Any] = [((), {}), ((1,), {"unknown": 2}), ((1, 2, [], 4, 5), {}), ((1,), {"a": 2})]


@pytest.mark.parametrize(("args", "named"), WRONG)
def test_a_wrong_call_is_refused_in_the_same_words(args: Any, named: Any) -> None:
    for ours, theirs in PAIRS:
        with pytest.raises(TypeError) as mine:
            ours(*args, **named)
        with pytest.raises(TypeError) as other:
            theirs(*args, **named)
        assert str(mine.value) == str(other.value)


@pytest.mark.parametrize("made", [Slotted(1, (2,)), Plain(1), Single(1), PAIRS[0][0](1)])
def test_nothing_is_assigned_or_deleted(made: Any) -> None:
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'a'"):
        made.a = 3
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'a'"):
        del made.a


def test_equality_and_hash() -> None:
    assert Slotted(1) == Slotted(1) and hash(Slotted(1)) == hash(Slotted(1)) == hash((1, ()))
    assert Single(1) == Single(1) and hash(Single(1)) == hash((1,)) and Single(1) != Slotted(1)
    assert Plain(1) != Plain(1) and len({Plain(1), Plain(1)}) == 2
    assert Own(1) == Own(2) and repr(Own(1)) == "own"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (np.array([1.0, np.nan]), np.array([1.0, np.nan]), True),
        (np.array([1.0, 2.0]), np.array([1.0, 3.0]), False),
        (np.array([1.0]), np.array([1.0, 1.0]), False),
        (np.array([]), np.array([1.0]), False),
        ({"x": np.array(["a", "b"])}, {"x": np.array(["a", "b"])}, True),
        ({"x": np.array(["a", "b"])}, {"z": np.array(["a", "b"])}, False),
        ((np.array([1, 2]), [np.array([3])]), (np.array([1, 2]), [np.array([3])]), True),
        ((np.array([1, 2]), [np.array([3])]), (np.array([1, 2]), [np.array([4])]), False),
        (np.array([1, 2]), None, False),
        (float("nan"), float("nan"), True),
    ],
)
def test_arrays_are_compared_element_by_element(one: Any, other: Any, same: bool) -> None:
    assert (Single(one) == Single(other)) is same
    assert (Single(one) != Single(other)) is not same


def test_copies_and_pickles() -> None:
    for made in (Slotted(1, (2,)), Single(3)):
        assert copy.copy(made) == copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
    assert not hasattr(Slotted(1), "__dict__")


def test_methods_are_written_on_first_use() -> None:
    late = _declared(record)
    assert not inspect.isfunction(vars(late)["__init__"])
    late(1)
    assert inspect.isfunction(vars(late)["__init__"]) and not inspect.isfunction(vars(late)["__eq__"])


def test_a_record_that_holds_itself_is_printed() -> None:
    held: list[Any] = []
    outer = PAIRS[0][0](1, c=held)
    held.append(outer)
    assert "..." in repr(outer)
