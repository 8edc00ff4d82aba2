"""How time grows with n, as a picture: lines on logarithmic axes, written as SVG without any drawing library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 70, 170, 40, 50
COLOURS = ("#0b6e4f", "#c8553d", "#3c6e9f", "#b8860b", "#7a4e9f", "#555555")

Points = Sequence[tuple[float, float]]


def svg(title: str, lines: Mapping[str, Points]) -> str:
    """The lines (n, seconds) by name."""
    every = [point for points in lines.values() for point in points]
    x0, x1 = floor(log10(min(n for n, _ in every))), ceil(log10(max(n for n, _ in every)))
    y0, y1 = floor(log10(min(t for _, t in every))), ceil(log10(max(t for _, t in every)))

    def place(n: float, seconds: float) -> tuple[float, float]:
        across = (log10(n) - x0) / max(x1 - x0, 1)
        up = (log10(seconds) - y0) / max(y1 - y0, 1)
        return LEFT + across * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/><text x="{LEFT}" y="22" font-size="15">{title}</text>',
    ]
    for power in range(x0, x1 + 1):
        x, _ = place(10**power, 10**y0)
        parts.append(_rule(x, TOP, x, HEIGHT - BOTTOM) + _text(x, HEIGHT - BOTTOM + 18, f"1e{power} rows", "middle"))
    for power in range(y0, y1 + 1):
        _, y = place(10**x0, 10**power)
        parts.append(_rule(LEFT, y, WIDTH - RIGHT, y) + _text(LEFT - 6, y + 4, _seconds(power), "end"))
    for place_in_list, (name, points) in enumerate(lines.items()):
        colour = COLOURS[place_in_list % len(COLOURS)]
        drawn = [place(n, seconds) for n, seconds in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in drawn)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in drawn]
        parts.append(_text(drawn[-1][0] + 8, drawn[-1][1] + 4, name, "start", colour))
    return "\n".join([*parts, "</svg>"])


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#ddd"/>'


def _text(x: float, y: float, text: str, anchor: str, colour: str = "#333") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'


def _seconds(power: int) -> str:
    unit, shift = ("s", 0) if power >= 0 else ("ms", 3) if power >= -3 else ("µs", 6)
    return f"{10 ** (power + shift):g} {unit}"
