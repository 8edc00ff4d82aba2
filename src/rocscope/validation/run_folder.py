"""The run directory: finished folds as JSON and npz, so that a stopped run continues where it left off.

A run is known by its key, a hash of the cases, the models with their settings and code, the plan and the seeds; each
run has a folder of its own under the directory given. A fold is two files, its arrays (npz, never pickled objects)
first and its facts (JSON) last, both written beside and moved into place: a fold is there entirely or not at all.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from rocscope.errors import RocscopeError
from rocscope.record import record
from rocscope.validation.folds import Fold, Problem
from rocscope.version import VERSION

ABANDONED = 600.0  # age in seconds after which a partial file of a fold is considered abandoned
ARRAYS = ("cases", "scores", "predicted", "all_scores", "all_predicted", "inner_cases", "inner_scores")
FACTS = ("model", "split", "seed", "share", "train", "distinct", "score_kind", "why", "warned", "resources")


@record(slots=True)
class Store:
    """The folder of one run."""

    folder: Path

    @classmethod
    def open(cls, directory: str | os.PathLike[str], key: str, about: dict[str, Any]) -> Store:
        """The folder of the run with this key, created if it does not exist."""
        folder = Path(directory) / key[:24]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RocscopeError(f"{folder}: {error.strerror or error}", hint="Choose another run directory") from None
        store = cls(folder)
        for left in folder.glob(".*.[0-9]*"):  # left by a run that was killed while writing
            with suppress(OSError):
                if left.stat().st_mtime < time.time() - ABANDONED:
                    left.unlink()
        if not (folder / "run.json").exists():
            store._write("run.json", json.dumps({"key": key, **about}, indent=1).encode())
        return store

    def save(self, fold: Fold) -> None:
        """Keep a finished fold."""
        arrays = {name: getattr(fold, name) for name in ARRAYS if getattr(fold, name) is not None}
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)  # only numeric arrays, so nothing is pickled
        payload = buffer.getvalue()
        name = self._name(fold.key)
        self._write(f"{name}.npz", payload)
        facts = {fact: getattr(fold, fact) for fact in FACTS} | {"sha256": hashlib.sha256(payload).hexdigest()}
        self._write(f"{name}.json", json.dumps(facts).encode())

    def load(self, keys: Iterable[tuple[str, int, int, float]]) -> dict[tuple[str, int, int, float], Fold]:
        """Load the finished folds among these; those that cannot be read are computed again."""
        folds = {}
        for key in keys:
            fold = self._read(key)
            if fold is not None and not fold.why:
                folds[key] = fold
        return folds

    def _read(self, key: tuple[str, int, int, float]) -> Fold | None:
        name = self._name(key)
        try:
            facts = json.loads((self.folder / f"{name}.json").read_text("utf-8"))
            payload = (self.folder / f"{name}.npz").read_bytes()
            if facts.pop("sha256") != hashlib.sha256(payload).hexdigest():
                return None
            with np.load(io.BytesIO(payload), allow_pickle=False) as file:
                arrays = {array: file[array] for array in file.files}
            fold = Fold(**{**facts, "warned": tuple(facts["warned"])}, **arrays)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return fold if fold.key == key else None

    def _name(self, key: tuple[str, int, int, float]) -> str:
        model, split, seed, share = key
        safe = re.sub(r"[^A-Za-z0-9_-]", "_", model)[:40]
        digest = hashlib.sha256(model.encode()).hexdigest()[:8]
        return f"{safe}-{digest}-{'all' if split < 0 else split}-{seed}-{share:g}"

    def _write(self, name: str, payload: bytes) -> None:
        beside = self.folder / f".{name}.{os.getpid()}"
        try:
            beside.write_bytes(payload)
            beside.replace(self.folder / name)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            raise RocscopeError(f"{self.folder / name}: {error.strerror or error}") from None


# ---- cache key ----


def run_key(problem: Problem, models: dict[str, Any], pairs: Any, how: Any, states: Any) -> str:
    """A hash of everything on which the result depends."""
    import sklearn

    digest = hashlib.sha256()
    versions = (VERSION, np.__version__, sklearn.__version__)
    for part in (versions, problem.X, problem.y, problem.labels, problem.weights, problem.groups, models, list(pairs)):
        _feed(digest, part)
    _feed(digest, (repr(pairs.plan), repr(how), states))
    return digest.hexdigest()


def _feed(digest: Any, part: Any, depth: int = 0) -> None:
    """Add anything to a hash by what it is and holds, never by where it lies in memory."""
    digest.update(f"<{type(part).__module__}.{type(part).__qualname__}>".encode())
    if depth > 20:
        return
    if hasattr(part, "get_params") and not isinstance(part, type):
        digest.update(_code_of(type(part)))
        _feed(digest, sorted(part.get_params(deep=False).items()), depth + 1)
    elif hasattr(part, "to_numpy") and hasattr(part, "columns"):
        _feed(digest, [str(name) for name in part.columns], depth + 1)
        _feed(digest, part.to_numpy(), depth + 1)
    elif hasattr(part, "indptr"):
        for inner in (part.shape, part.data, part.indices, part.indptr):
            _feed(digest, inner, depth + 1)
    elif isinstance(part, np.ndarray) and part.dtype != object:
        digest.update(f"{part.dtype.str}{part.shape}".encode())
        digest.update(np.ascontiguousarray(part).tobytes())
    elif isinstance(part, np.ndarray):
        _feed(digest, part.tolist(), depth + 1)
    elif isinstance(part, dict):
        for name, value in part.items():
            _feed(digest, str(name), depth + 1)
            _feed(digest, value, depth + 1)
    elif isinstance(part, list | tuple):
        digest.update(str(len(part)).encode())
        for inner in part:
            _feed(digest, inner, depth + 1)
    else:
        _feed_other(digest, part)


def _feed_other(digest: Any, part: Any) -> None:
    name = getattr(part, "__qualname__", None)
    if name is not None:  # a function or class: its qualified name and its code
        digest.update(f"{getattr(part, '__module__', '')}.{name}".encode())
        digest.update(_code_of(part))
    elif isinstance(part, np.random.RandomState):
        digest.update(repr(part.get_state(legacy=False)).encode())
    else:
        digest.update(re.sub(r" at 0x[0-9a-f]+", "", repr(part)).encode())


# ---- source code of a model ----


def _code_of(part: Any) -> bytes:
    """What tells old code of a class or function from new: the version of its package, or the source of its modules.

    A module of the user's own counts with all loaded modules of its folder, since it may import them.
    """
    module = sys.modules.get(getattr(part, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    if module is None or file is None:  # defined interactively, in a session or notebook
        return repr([_instructions(member) for member in (part, *vars(part).values())]).encode()
    root = module.__name__.partition(".")[0]
    package = getattr(sys.modules.get(root), "__version__", None)
    if package is not None:
        return f"{root} {package}".encode()
    folder = Path(file).parent
    if "site-packages" in folder.parts or folder.is_relative_to(Path(os.__file__).parent):
        return root.encode()
    loaded = {getattr(loaded_module, "__file__", None) for loaded_module in list(sys.modules.values())}
    sources = sorted(Path(path) for path in loaded if path and Path(path).is_relative_to(folder))
    return b"".join(hashlib.sha256(source.read_bytes()).digest() for source in sources if source.is_file())


def _instructions(part: Any) -> tuple[Any, ...]:
    """The compiled code of a function, and of the functions inside it."""
    code = getattr(part, "__code__", part if hasattr(part, "co_code") else None)
    if code is None:
        return ()
    inside = [
        _instructions(co_const) if hasattr(co_const, "co_code") else repr(co_const) for co_const in code.co_consts
    ]
    return code.co_code, code.co_names, inside
