"""Long runs in pieces: what `make fuzz` and `make fuzz-calls` have done so far, kept outside the project."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Progress:
    """Where a run goes on, and what its pieces counted together."""

    path: Path
    next: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, name: str, seed: int | None, folder: Path | None = None) -> Progress:
        """What is kept under a name; a seed begins anew."""
        path = (folder or Path(tempfile.gettempdir())) / f"rocscope-{name}.json"
        if seed is not None or not path.exists():
            return cls(path, seed or 0)
        held = json.loads(path.read_text("utf-8"))
        return cls(path, held["next"], Counter(held["counts"]))

    def keep(self, following: int) -> None:
        """Say where to go on."""
        self.next = following
        self.path.write_text(json.dumps({"next": following, "counts": self.counts}), "utf-8")
