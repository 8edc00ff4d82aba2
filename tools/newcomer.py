"""Every command of the README, as a newcomer types it: each runs, or names the extra it needs.   newcomer.py README.md

Run with the Python of an environment that holds the wheel alone (tools/bare.sh does), in an empty folder. FILE and DATA
of the README are files of that name, made here. The Python sessions of the README are run, too.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

EXTRA = re.compile(r"rocscope\[(\w+)\]")


def commands(text: str) -> list[str]:
    """The commands in the code blocks and in the table of a page, each once and in order."""
    blocks = "\n".join(re.findall(r"^```(?:sh|console)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    typed = re.findall(r"^(?:\$ )?(rocscope .*)$", blocks, re.MULTILINE)
    table = re.findall(r"`(rocscope [^`]*)`", "\n".join(line for line in text.splitlines() if line.startswith("| `")))
    return list(dict.fromkeys([*typed, *table]))


def prepare(folder: Path) -> None:
    """The files that the README takes as given."""
    rows = [(i % 3 == 0, (i * 37 % 100) / 200, (i * 53 % 100) / 100) for i in range(120)]
    lines = [f"{int(y)},{p + 0.4 * y:.3f},{p + 0.4 * y:.3f},{b}" for y, p, b in rows]
    for name in ("FILE", "DATA"):
        (folder / name).write_text("\n".join(["y,p,a,b", *lines]) + "\n", encoding="utf-8")


def outcome(command: str, folder: Path) -> str:
    """'' where the command ran, 'extra: NAME' where it names the one it needs, else what went wrong."""
    shell = f"set -o pipefail; {command}"
    done = subprocess.run(["bash", "-c", shell], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    said = done.stdout + done.stderr
    if "Traceback" in said:
        return f"a traceback: {said[-500:]}"
    if done.returncode == 0:
        return ""
    named = EXTRA.search(done.stderr)
    return f"extra: {named[1]}" if done.returncode == 2 and named else f"exit {done.returncode}: {said[-500:]}"


def main(readme: str) -> int:
    """Run them all and print what came of each."""
    text, folder, failed = Path(readme).read_text("utf-8"), Path.cwd(), 0
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    prepare(folder)
    saved = "rocscope evaluate FILE --label y --score p --save-table day1.scoretable.parquet --output 1.md"
    subprocess.run(shlex.split(saved), cwd=folder, check=True)
    found = commands(text)
    for command in found:
        came = outcome(command, folder)
        wrong = bool(came) and not came.startswith("extra: ")
        failed += wrong
        print(f"{'FAILED' if wrong else 'fine  '}  {command}{'   ' + came if came else ''}")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    sessions = doctest.testfile(str(Path(readme).resolve()), module_relative=False, optionflags=flags)
    print(f"{len(found)} commands, {sessions.attempted} Python examples; {failed + sessions.failed} failed")
    return 1 if failed or sessions.failed or len(found) < 20 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
