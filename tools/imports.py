"""What a command loads: `python tools/imports.py evaluate scores.csv` runs it and prints the modules that it imported.

Each line has the processor time of a module without what it imports, the time with it, and its name, indented by the
module that asked for it first; a summary by package comes last. The answer of the command itself goes nowhere.
"""

from __future__ import annotations

import contextlib
import importlib._bootstrap as bootstrap
import io
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any


@dataclass
class Load:
    """One module that was loaded: its name, how deep it was asked for, and its processor time in seconds."""

    name: str
    depth: int
    total: float = 0.0
    inner: float = 0.0

    @property
    def own(self) -> float:
        """The time without that of the modules it loaded."""
        return self.total - self.inner


@dataclass
class Record:
    """The modules in the order in which they were asked for."""

    loads: list[Load] = field(default_factory=list)
    open: list[Load] = field(default_factory=list)

    def watch(self) -> None:
        """Record every module that is loaded from now on."""
        usual = bootstrap._load_unlocked  # type: ignore[attr-defined]

        def loaded(spec: Any) -> ModuleType:
            load = Load(spec.name, len(self.open))
            self.loads.append(load)
            self.open.append(load)
            begin = time.process_time()
            try:
                return usual(spec)  # type: ignore[no-any-return]
            finally:
                load.total = time.process_time() - begin
                self.open.pop()
                if self.open:
                    self.open[-1].inner += load.total

        bootstrap._load_unlocked = loaded  # type: ignore[attr-defined]

    def lines(self) -> list[str]:
        """A line for each module, then one for each package."""
        tree = [f"{load.own * 1e3:7.1f} {load.total * 1e3:7.1f}  {'  ' * load.depth}{load.name}" for load in self.loads]
        times: Counter[str] = Counter()
        counts: Counter[str] = Counter()
        for load in self.loads:
            parts = load.name.split(".")
            package = ".".join(parts[:2]) if parts[0] == "rocscope" else parts[0]
            times[package] += load.own  # type: ignore[assignment]
            counts[package] += 1
        sums = [f"{seconds * 1e3:7.1f} ms {counts[name]:4d} modules  {name}" for name, seconds in times.most_common(25)]
        whole = sum(load.own for load in self.loads) * 1e3
        return [*tree, "", *sums, f"{whole:7.1f} ms {len(self.loads):4d} modules  in all"]


def main() -> None:
    """Run the command and print what it loaded."""
    record = Record()
    record.watch()
    with contextlib.redirect_stdout(io.StringIO()):
        from rocscope.cli import main as command

        command(sys.argv[1:])
    print("\n".join(record.lines()))


if __name__ == "__main__":
    main()
