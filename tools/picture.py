"""Make docs/img/demo.svg, the picture of the README, from what the command really prints:   python tools/picture.py

The letters are the reader's own monospace font, each piece at its place; Braille dots, whiskers and lines are drawn, so
that the picture looks the same whatever fonts there are. Nothing is fetched from anywhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "docs" / "img" / "demo.svg"
COMMAND = ["demo"]
COLUMNS = 120

WIDTH, HEIGHT, LEFT, TOP = 8.4, 20.0, 24.0, 20.0  # of a letter, and the margins
PAPER, INK, BRIGHT = "#0f1318", "#e9edf2", "#ffffff"
COLOURS = {"94": "#5aa9ff", "33": "#f0a04b", "2": "#8c98a5"}  # by the codes of the terminal
SIGNS = "━●┆│─└"
DRAWN = rf"\u2800-\u28ff{SIGNS}"  # what is drawn instead of written
PART = re.compile(rf"[^\s{DRAWN}]+(?: [^\s{DRAWN}]+)*|[{DRAWN}]")
DOTS = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))  # column and row of each bit of Braille


class Run(NamedTuple):
    """Letters of one look, from a column on."""

    column: int
    text: str
    colour: str
    bold: bool


def printed(arguments: list[str]) -> str:
    """What the command prints on a terminal with colour."""
    changes = {"COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"}
    plain = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**plain, **changes, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "rocscope", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, encoding="utf-8", check=True).stdout


def runs(line: str) -> Iterator[Run]:
    """The pieces of a line with their colours, read from its escape sequences."""
    column, colour, bold = 0, INK, False
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not part.startswith("\x1b"):
            if part:
                yield Run(column, part, colour, bold)
            column += len(part)
            continue
        for code in part[2:-1].split(";"):
            if code in ("", "0"):
                colour, bold = INK, False
            elif code == "1":
                colour, bold = BRIGHT, True
            else:
                colour = COLOURS.get(code, colour)


def svg(text: str, prompt: str) -> str:
    """The picture of some printed text, below the line that asked for it."""
    lines = [f"\x1b[2m$\x1b[0m \x1b[1m{prompt}\x1b[0m", "", *text.rstrip("\n").split("\n")]
    width = 2 * LEFT + WIDTH * max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    height = 2 * TOP + HEIGHT * len(lines)
    body = "\n".join(mark for row, line in enumerate(lines) for run in runs(line) for mark in marks(run, row))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{escape(prompt)} in a terminal">\n'
        f'<rect width="100%" height="100%" rx="6" fill="{PAPER}"/>\n'
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
        f'font-size="14" xml:space="preserve">\n{body}\n</g>\n</svg>\n'
    )


def marks(run: Run, row: int) -> Iterator[str]:
    """Words as text, signs as shapes."""
    for found in PART.finditer(run.text):
        x, y = LEFT + WIDTH * (run.column + found.start()), TOP + HEIGHT * row
        sign = found[0]
        if re.fullmatch(f"[{DRAWN}]", sign):
            yield shape(sign, x, y, run.colour)
        else:
            weight = ' font-weight="bold"' if run.bold else ""
            yield (
                f'<text x="{x:.1f}" y="{y + 15:.1f}" textLength="{WIDTH * len(sign):.1f}" fill="{run.colour}"{weight}>'
                f"{escape(sign)}</text>"
            )


def shape(sign: str, x: float, y: float, colour: str) -> str:
    """One sign as a shape in its cell."""
    middle, centre = x + WIDTH / 2, y + HEIGHT / 2
    if "\u2800" <= sign <= "\u28ff":
        bits = ord(sign) - 0x2800
        dots = [place for bit, place in enumerate(DOTS) if bits >> bit & 1]
        places = [(x + WIDTH * (0.25 + 0.5 * column), y + HEIGHT * (0.125 + 0.25 * line)) for column, line in dots]
        moves = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in places)
        return f'<path d="{moves}" stroke="{colour}" stroke-width="2.2" stroke-linecap="round"/>'
    if sign == "●":
        return f'<circle cx="{middle:.1f}" cy="{centre:.1f}" r="4" fill="{colour}"/>'
    lines = {
        "━": (f"M{x:.1f} {centre:.1f}h{WIDTH}", "2", ""),
        "─": (f"M{x:.1f} {centre:.1f}h{WIDTH}", "1", ""),
        "│": (f"M{middle:.1f} {y:.1f}v{HEIGHT}", "1", ""),
        "┆": (f"M{middle:.1f} {y + 2:.1f}v{HEIGHT - 4}", "1.3", ' stroke-dasharray="3 2.5"'),
        "└": (f"M{middle:.1f} {y:.1f}v{HEIGHT / 2}h{WIDTH / 2}", "1", ""),
    }
    path, thickness, dashes = lines[sign]
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{thickness}"{dashes}/>'


def main() -> None:
    """Write the picture."""
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(svg(printed(COMMAND), f"rocscope {' '.join(COMMAND)}"), encoding="utf-8")


if __name__ == "__main__":
    main()
