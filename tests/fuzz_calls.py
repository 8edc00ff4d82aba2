"""Command lines and calls of Python with arguments that make no sense: an answer or a refusal, never a traceback.

`make fuzz-calls` tries 100,000 in this process; tests/bad/test_calls.py tries a sample. Arguments are sound ones with
one to three put wrong: numbers beyond all sense, NaN, nothing, very long texts, letters of every Unicode category,
values of another type. What is found is printed with its seed, so that it comes again.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import math
import os
import random
import sys
import tempfile
import time
import traceback
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import numpy as np
from resumed import Progress

import rocscope as rs
from rocscope import RocscopeError, cli

# --- values


def _letters() -> list[str]:
    """A letter of every Unicode category that UTF-8 can write."""
    found: dict[str, str] = {}
    for number in range(sys.maxunicode + 1):
        kind = unicodedata.category(chr(number))
        if kind != "Cs" and kind not in found and number:
            found[kind] = chr(number)
        if len(found) >= 29:
            break
    return list(found.values())


LETTERS = _letters()
WORDS = ["1e320", "-1e320", "1e-320", "1e308", "nan", "inf", "-inf", "0", "-0", "1", "-1", "0.5", "95", "1e400",
         str(2**63), str(-(2**63)), str(2**64), "9" * 400, "", " ", "x" * 5000, "None", "True", "0x10", "1_000", "1,5",
         "½", "٥", "é", "'", '"', "--", "-", "\t", "\n", "a=b", "=", "auc >= 1e999", "auc.low >= x", "f1", "f-1",
         "f1e9", "youden", "(((", "{x}", "%s", "../x", "y", "p", "*", "p_*", "b'", "\ufeff", "1:2", "a:b"]  # fmt: skip
NUMBERS: list[Any] = [
    0, 1, -1, 2, 0.5, -0.0, 95, 1e-320, 1e308, -1e308, math.inf, -math.inf, math.nan, 2**53 + 1, 2**63, 2**64, -(2**63),
    10**400, 1e-12, True, None, "0.5", "", "x" * 1000, [], [1], {}, (), object(), np.float16(1), np.int8(-128),
    np.datetime64("2024-01-01"), 1 + 2j, b"1", range(3), np.nan, np.array(0.5), np.array([]),
]  # fmt: skip


def text(chance: random.Random) -> str:
    if chance.random() < 0.7:
        return chance.choice(WORDS)
    return "".join(chance.choice(LETTERS) for _ in range(chance.choice([1, 2, 5, 300])))


# --- command lines

GOOD = "y,p,q,g,w,yhat,id,c,chat,pa,pb,pc,l_a,l_b,s_a,s_b\n" + "".join(
    f"{i % 2},{(i * 37 % 41) / 41},{(i * 53 % 43) / 43},{'ab'[i % 3 == 0]},{1 + i % 3},{(i + i // 5) % 2},{i},"
    f"{'abc'[i % 3]},{'abc'[(i + i // 7) % 3]},{(i % 3 == 0) / 2},{(i % 3 == 1) / 2 + 0.25},{(i % 3 == 2) / 2 + 0.25},"
    f"{i // 2 % 2},{i // 3 % 2},{(i * 29 % 31) / 31},{(i * 23 % 37) / 37}\n"
    for i in range(40)
)
CLASSES = ["--probability", "pa=a", "--probability", "pb=b", "--probability", "pc=c"]
SOUND: dict[str, list[list[str]]] = {
    "evaluate": [["g.csv", "--label", "y", "--score", "p"], ["g.csv", "--label", "y", "--predicted", "yhat"],
                 ["g.csv", "--label", "c", "--predicted", "chat"], ["g.csv", "--label", "c", *CLASSES],
                 ["g.csv", "--label", "l_*", "--score", "s_*"]],
    "compare": [["g.csv", "--label", "y", "--score", "p", "--score", "q"],
                ["g.csv", "--label", "c", "--predicted", "c", "--predicted", "chat"],
                ["g.csv", "h.csv", "--label", "y", "--score", "p", "--id", "id"]],
    "validate": [["g.csv", "--target", "y", "--leave-out", "id", "--model", "nb", "--plan", "holdout"]],
    "curve": [["g.csv", "--label", "y", "--score", "p"]],
    "hull": [["g.csv", "--label", "y", "--score", "p", "--score", "q"], ["points.csv"]],
    "gate": [["g.csv", "--label", "y", "--score", "p", "--require", "auc >= 0.5"]],
    "matrix": [["7", "7", "3", "13"], ["g.csv", "--actual", "y", "--predicted", "yhat"],
               ["--tp", "5", "--fp", "3", "--fn", "7", "--tn", "x-3"]],
    "trace": [["g.csv", "--label", "y", "--score", "p"]],
    "power": [["--auc", "0.8"], ["--auc", "0.8", "--width", "0.1"]],
    "explain": [["precision", "7", "7", "3", "13"], ["auc"]],
    "measures": [[], ["prec"]],
    "examples": [[], ["fawcett"]],
    "exercise": [[], ["--seed", "1"]],
    "calibrate": [["g.csv", "--label", "y", "--score", "p"]],
    "merge": [["t.scoretable.parquet", "t.scoretable.parquet"]],
}  # fmt: skip
HEAVY = {"--bootstrap", "--cross-fit", "--run", "--jobs", "--seeds"}
NOT_TRIED = {"--help", "--force", "--budget"}


def prepared(folder: Path) -> None:
    (folder / "g.csv").write_text(GOOD)
    (folder / "h.csv").write_text(GOOD)
    (folder / "points.csv").write_text("name,fpr,tpr\na,0.2,0.7\nb,0.5,0.95\n")
    rs.ScoreTable.from_scores([1, 0, 1, 0], [0.9, 0.5, 0.1, 0.2]).save(folder / "t.scoretable.parquet", force=True)


def options_of(command: str) -> list[click.Option]:
    found = cli.rocscope().get_command(click.Context(cli.rocscope()), command)  # type: ignore[attr-defined]
    return [one for one in found.params if isinstance(one, click.Option) and not NOT_TRIED & set(one.opts)]


def command_line(chance: random.Random) -> list[str]:
    """A sound command with up to three options that may be none."""
    name = chance.choice(list(SOUND))
    words = [name, *chance.choice(SOUND[name])]
    options = options_of(name)
    for _ in range(chance.randint(0, 3)):
        if not options:
            break
        one = chance.choice(options)
        flag = chance.choice(one.opts)
        if one.is_flag:
            words.append(flag)
            continue
        value = text(chance)
        if set(one.opts) & HEAVY:
            value = chance.choice(["0", "1", "-5", "x", "", "nan", "99999999999999999999"])
        elif isinstance(one.type, click.Choice) and chance.random() < 0.8:
            value = chance.choice([str(choice) for choice in one.type.choices])
        elif {"--html", "--output", "--plot", "--save-table", "--github", "--junit", "--save"} & set(one.opts):
            value = chance.choice(["o.html", "o.json", "o.svg", "o.txt", "no/o.json", ".", "", "o", "é.md"])
        words += [f"{flag}={value}"] if value.startswith("-") else [flag, value]
    if chance.random() < 0.2:
        at = chance.randrange(1, len(words) + 1)
        words[at : at + chance.randint(0, 1)] = [text(chance)]
    return words


def tried_command(words: list[str]) -> tuple[str, str]:
    """What became of a command line: "answered", "refused", or a defect with its end."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = cli.main(words)
    if code in (0, 1):
        return "answered", ""
    if code == 2 and "Traceback" not in err.getvalue():
        return "refused", ""
    return "defect", f"exit {code}: {err.getvalue()[-700:]}"


# --- calls

Y, S = [1, 0, 1, 0, 1, 0, 0, 1], [0.9, 0.4, 0.35, 0.1, 0.8, 0.3, 0.5, 0.45]
TABLE = rs.ScoreTable.from_scores(Y, S)
COUNTS = rs.Counts(tp=7, fp=7, fn=3, tn=13)
EVALUATION = rs.evaluate(Y, S)
CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Counts": (rs.Counts, {"tp": 7, "fp": 7, "fn": 3, "tn": 13}),
    "Counts.estimate": (COUNTS.estimate, {"name": "precision", "level": 0.95}),
    "Counts.why": (COUNTS.why, {"name": "precision"}),
    "Counts.explain": (COUNTS.explain, {"name": "precision"}),
    "Costs": (rs.Costs, {"fp": 1, "fn": 5, "prevalence": 0.1}),
    "Confusion.from_matrix": (rs.Confusion.from_matrix, {"matrix": [[5, 2], [1, 9]], "labels": ["a", "b"]}),
    "Confusion.from_labels": (rs.Confusion.from_labels, {"actual": Y, "predicted": Y[::-1]}),
    "ScoreTable.from_scores": (rs.ScoreTable.from_scores, {"y": Y, "score": S, "positive": 1, "weights": None}),
    "ScoreTable.at": (TABLE.at, {"threshold": 0.5}),
    "evaluate": (lambda **given: rs.evaluate(**given).to_dict(),
                 {"y": Y, "score": S, "threshold": 0.5, "level": 0.95, "seed": 0, "weights": None, "positive": 1}),
    "evaluate, chosen": (lambda **given: rs.evaluate(Y, S, **given).to_dict(),
                         {"choose": "youden", "costs": rs.Costs(fp=1, fn=5), "unit": "case", "level": 0.9}),
    "compare": (lambda **given: rs.compare(**given).to_dict(),
                {"y": Y, "scores": {"a": S, "b": S[::-1]}, "level": 0.95}),
    "gate": (lambda **given: rs.gate(EVALUATION, given["one"]), {"one": "auc >= 0.5"}),
    "best": (lambda **given: rs.decisions.best(TABLE, **given), {"rule": "youden", "where": "precision >= 0.1"}),
    "proportion": (rs.estimate.proportion, {"k": 4, "n": 5, "level": 0.95, "method": "wilson"}),
    "intervals.auc": (lambda **given: rs.intervals.auc(TABLE, **given), {"method": "newcombe", "level": 0.95}),
    "bootstrap": (lambda **given: rs.intervals.bootstrap(TABLE, n=100, **given),
                  {"statistic": "auc", "method": "percentile", "seed": 0, "level": 0.9}),
    "delong": (rs.significance.delong, {"a": Y, "b": S, "c": S[::-1]}),
    "mcnemar": (rs.significance.mcnemar, {"b": 3, "c": 9, "method": "mid-p"}),
    "holm": (rs.significance.holm, {"ps": [0.1, 0.01]}),
    "friedman": (rs.significance.friedman, {"scores": [[0.1, 0.2], [0.2, 0.1], [0.3, 0.5]]}),
    "corrected_t": (rs.significance.corrected_t, {"diffs": [0.1, 0.2, 0.1], "train": 90, "test": 10}),
    "partial_auc": (lambda **given: rs.curves.partial_auc(TABLE, **given), {"fpr": (0, 0.1)}),
    "sweep": (lambda **given: rs.curves.sweep(TABLE, given["name"]), {"name": "f1"}),
    "hull": (lambda **given: rs.hull.hull(given["points"]), {"points": {"a": (0.2, 0.7), "b": (0.5, 0.95)}}),
    "hull.best": (lambda **given: rs.hull.hull(TABLE).best(**given), {"cost_ratio": 0.25}),
    "splits.plan": (lambda **given: list(rs.splits.plan(given["name"], given["y"], seed=given["seed"])),
                    {"name": "5-fold", "y": Y, "seed": 0}),
    "measures.get": (rs.measures.get, {"name": "precision"}),
    "fbeta": (rs.measures.fbeta, {"beta": 2}),
}  # fmt: skip


def broken(value: Any, chance: random.Random) -> Any:
    """Another value, or the same list with a cell put wrong."""
    if isinstance(value, list) and value and chance.random() < 0.6:
        held = list(value)
        held[chance.randrange(len(held))] = chance.choice(NUMBERS)
        return held if chance.random() < 0.7 else held[: chance.randrange(len(held) + 1)]
    if isinstance(value, dict) and value and chance.random() < 0.6:
        held = dict(value)
        held[chance.choice(list(held))] = chance.choice(NUMBERS)
        return held
    return text(chance) if chance.random() < 0.35 else chance.choice(NUMBERS)


def call(chance: random.Random) -> tuple[str, dict[str, Any]]:
    name = chance.choice(list(CALLS))
    given = dict(CALLS[name][1])
    for _ in range(chance.randint(0, 2)):
        one = chance.choice(list(given))
        given[one] = broken(given[one], chance)
    return name, given


def tried_call(name: str, given: dict[str, Any]) -> tuple[str, str]:
    """What became of a call."""
    function = CALLS[name][0]
    try:
        named = set(inspect.signature(function).parameters)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            function(*given.values()) if not set(given) <= named and "given" not in named else function(**given)
    except RocscopeError:
        return "refused", ""
    except RecursionError:
        return "defect", "RecursionError"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return "defect", f"{type(error).__name__}: {error} at {Path(place.filename).name}:{place.lineno}"[:300]
    return "answered", ""


# --- a run


def tried(seed: int, times: int, until: float = math.inf) -> Iterator[tuple[str, str, str]]:
    """(what became of it, what was asked, the end of a defect) for calls from a seed on."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            prepared(Path(folder))
            for number in range(seed, seed + times):
                if time.monotonic() > until:
                    return
                chance = random.Random(number)
                if number % 3 == 0:
                    words = command_line(chance)
                    became, end = tried_command(words)
                    yield became, f"{number} {words!r}"[:600], end
                else:
                    name, given = call(chance)
                    became, end = tried_call(name, given)
                    yield became, f"{number} {name} {given!r}"[:600], end
        finally:
            os.chdir(before)


def main() -> int:
    """So many calls; defects of one place are printed once."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=100_000)
    options.add_argument("--minutes", type=float, default=math.inf)
    options.add_argument("--seed", type=int, help="begin anew at this number; without it a run goes on")
    asked = options.parse_args()
    progress = Progress.of("fuzz-calls", asked.seed)
    counts = progress.counts
    seen: set[str] = set()
    left = max(0, asked.calls - counts.total())
    for became, what, end in tried(progress.next, left, time.monotonic() + 60 * asked.minutes):
        counts[became] += 1
        progress.next += 1
        if became == "defect":
            shape = end[-120:]
            if shape not in seen:
                seen.add(shape)
                print(f"{what}\n    {end}", flush=True)
    progress.keep(progress.next)
    print(f"{counts.total():,} calls: {counts['answered']:,} answered, {counts['refused']:,} refused, "
          f"{counts['defect']:,} defects, now of {len(seen)} kinds")  # fmt: skip
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
