"""How numbers, p-values, percentages and labels are printed; `format.ts` of the page is its twin."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from fractions import Fraction
from typing import Any

MINUS = "\N{MINUS SIGN}"
NBSP = "\N{NO-BREAK SPACE}"
DASH = "\N{EN DASH}"
SHORT_FRACTION = 9  # maximum length of a fraction that is easy to read, such as 1234/5678
Row = Mapping[str, Any]  # an estimate in the results document: value, low, high, level
LONGEST_LABEL = 24
# labels that add nothing to the word "positive" when they name the positive class
PLAIN_LABELS = {"1", "1.0", "True", "true", "0", "0.0", "False", "false", "-1", "-1.0", "positive"}


def decimals_for(half_width: float) -> int:
    """Decimals that keep two significant digits of an interval's half-width, from 2 to 4.

    >>> decimals_for(0.0305), decimals_for(0.11), decimals_for(0.00021), decimals_for(12.0)
    (3, 2, 4, 2)
    """
    if not 0 < half_width < math.inf:
        return 2 if half_width == math.inf else 3
    exponent = int(f"{half_width:.1e}".split("e")[1])  # after rounding: 0.0996 becomes 0.10, which needs two decimals
    return min(4, max(2, 1 - exponent))


def show_number(x: float, decimals: int = 3) -> str:
    """The number with a fixed number of decimals, thousands separated by commas, and a true minus sign.

    >>> show_number(1234.5678, 2), show_number(-0.0001, 2)
    ('1,234.57', '0.00')
    """
    if math.isnan(x):
        return "undefined"
    if math.isinf(x):
        return "\N{INFINITY}" if x > 0 else f"{MINUS}\N{INFINITY}"
    text = f"{abs(x):,.{decimals}f}"
    return f"{MINUS}{text}" if x < 0 and float(text.replace(",", "")) != 0 else text


def show_p(p: float) -> str:
    """A p-value with two decimals, three under 0.1, and never 0.

    >>> show_p(0.164), show_p(0.0386), show_p(1e-9), show_p(1.0)
    ('0.16', '0.039', '< 0.001', '1.00')
    """
    if math.isnan(p):
        return "undefined"
    if p < 0.001:
        return "< 0.001"
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


def show_count(cell: Any) -> str:
    """A count as people write it: 10,650; weights with up to two decimals; an unknown as ?, or its expression.

    >>> show_count(10650), show_count(2.5), show_count(None)
    ('10,650', '2.50', '?')
    """
    if cell is None:
        return "?"
    if isinstance(cell, int):
        return f"{cell:,}"
    if hasattr(cell, "text"):  # a formula with an unknown
        return str(cell.text)
    number = float(cell)
    return f"{number:,.0f}" if number == round(number) else f"{number:,.2f}"


def percent(part: Any, whole: Any = 1) -> str:
    """The part as a percentage of the whole, '' where either is unknown or the whole is 0.

    The decimals depend on the nearer end, so that the parts of a whole add up to 100: none between 10 and 90, one
    outside, and below 1 or above 99 one significant digit of what is left. Ties go to the even digit. 0 and 100 are
    shown for nothing and for all.

    >>> percent(7, 10), percent(1, 30), percent(29, 30), percent(1, 0)
    ('70 %', '3.3 %', '96.7 %', '')
    >>> percent(0.625), percent(0.375), percent(0.9996), percent(0.0004), percent(0.08)
    ('62 %', '38 %', '99.96 %', '0.04 %', '8 %')
    """
    if part is None or whole is None or hasattr(part, "text") or hasattr(whole, "text") or whole == 0:
        return ""
    share = 100 * float(part) / float(whole)
    if not math.isfinite(share):
        return show_number(share)
    value = Decimal(repr(round(share, 9)))
    end = min(abs(value), abs(100 - value))
    decimals = 0 if end >= Decimal("9.95") or value == value.to_integral_value() else 1
    if 0 < end < Decimal("0.95"):
        decimals = -end.quantize(Decimal(1).scaleb(end.adjusted()), rounding=ROUND_HALF_EVEN).adjusted()
    shown = f"{value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_EVEN):f}"
    return f"{shown.replace('-', MINUS)} %"


def percentage(share: float) -> str:
    """The percentage for a sentence, with a non-breaking space before the sign."""
    return percent(share).replace(" ", NBSP)


def short_threshold(value: float, beyond: float | None) -> str:
    """The shortest decimal that decides as the threshold does: after `beyond`, the next score, up to itself.

    >>> short_threshold(0.28038809, 0.27911), short_threshold(math.inf, 0.9), short_threshold(2 / 3, None)
    ('0.28', 'inf', '0.666667')
    """
    if beyond is None or not math.isfinite(beyond) or not math.isfinite(value):
        return f"{value:.6g}"
    if abs(value) >= 2**53:  # floats of this size have no fractional digits
        return repr(float(value))
    exact, gap = Decimal(repr(float(value))), abs(Decimal(repr(float(beyond))) - Decimal(repr(float(value))))
    rounding = ROUND_FLOOR if beyond < value else ROUND_CEILING
    # fewer digits are never nearer; as many as the gap has zeros always suffice
    digits = min(16, max(0, -gap.adjusted())) if gap else 0
    short = None
    while digits >= 0:
        candidate = exact.quantize(Decimal(1).scaleb(-digits), rounding=rounding)
        if not abs(candidate - exact) < gap:
            break
        short, digits = candidate, digits - 1
    return repr(value) if short is None else f"{short:f}"


def show_label(label: Any) -> str:
    """A label safe to print: control and direction characters escaped, long ones cut in the middle.

    >>> show_label("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(label))
    if len(text) <= LONGEST_LABEL:
        return text
    half = (LONGEST_LABEL - 1) // 2
    return f"{text[:half]}…{text[-half:]}"


def number(value: float | Fraction | None, digits: int | None = 3) -> str:
    """A number for readers: thousands are separated, decimals are fixed, and a small number is never shown as zero.

    >>> number(10650), number(0.5), number(0.0000123), number(float("nan")), number(Fraction(7, 12))
    ('10,650', '0.500', '1.23e-05', 'undefined', '7/12')
    """
    if value is None:
        return ""
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, Fraction):
        return str(value)
    return _decimal(float(value), digits)


def _decimal(value: float, digits: int | None) -> str:
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if digits is None:
        return repr(value).removesuffix(".0")
    tiny = value != 0 and abs(value) < 0.5 * 10.0**-digits
    return f"{value:.{digits}g}" if tiny or abs(value) >= 1e12 else f"{value:,.{digits}f}"


def plain_name(name: str) -> str:
    """A name in the form used for lookup: in lower case, with one space for blanks, hyphens and underscores.

    >>> plain_name("  Leave-One_Out ")
    'leave one out'
    """
    return re.sub(r"[\s_-]+", " ", name).strip().lower()


def shorten(text: str, limit: int) -> str:
    """The text, shortened to at most `limit` characters with the cut marked.

    >>> shorten("a very long label", 10)
    'a very ...'
    """
    return text if len(text) <= limit else text[: limit - 3] + "..."


def short_fraction(value: Fraction | None, *, whole: bool = False) -> str:
    """A fraction as text when it is short or asked for whole, else ''; whole numbers stay whole.

    >>> short_fraction(Fraction(7, 12)), short_fraction(Fraction(12345, 67891)), short_fraction(Fraction(2))
    ('7/12', '', '2')
    """
    text = "" if value is None else str(value)
    return text if whole or len(text) <= SHORT_FRACTION else ""


def with_decimal(value: Fraction, digits: int = 4) -> str:
    """A fraction and its decimal.

    >>> with_decimal(Fraction(5, 6)), with_decimal(Fraction(1, 2)), with_decimal(Fraction(3))
    ('5/6 = 0.8333', '1/2 = 0.5', '3')
    """
    if value.denominator == 1:
        return str(value)
    return f"{value} = {trimmed(float(value), digits)}"


def trimmed(value: float, digits: int = 4) -> str:
    """A number with at most so many decimals and no zeros at its end.

    >>> trimmed(0.5), trimmed(0.123456), trimmed(12.0), trimmed(float("inf"))
    ('0.5', '0.1235', '12', 'inf')
    """
    if not math.isfinite(value):
        return number(value)
    text = number(value, digits)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def cost_ratio(ratio: Any) -> str:
    """The costs of a false alarm and of a miss from their ratio, the smaller one as 1.

    >>> cost_ratio(Fraction(1, 5)), cost_ratio(2.5), cost_ratio(math.inf), cost_ratio(0)
    ('1 : 5', '2.5 : 1', '1 : 0', '0 : 1')
    """
    value = float(ratio)
    if value == 0 or math.isinf(value):
        return "1 : 0" if value else "0 : 1"
    return f"1 : {significant(1 / value)}" if value <= 1 else f"{significant(value)} : 1"


def ratio_text(misses: float) -> str:
    """The cost ratio, from the cost of a miss in false alarms.

    >>> ratio_text(5.0), ratio_text(0.5)
    ('1 : 5', '2 : 1')
    """
    return cost_ratio(1 / misses if misses else math.inf)


def significant(value: float, digits: int = 3) -> str:
    """A number with three significant digits and no exponent in the ordinary range.

    >>> significant(6.6432), significant(0.083333), significant(1234.5)
    ('6.64', '0.0833', '1,230')
    """
    if value == 0 or not math.isfinite(value) or not 1e-5 <= abs(value) < 1e9:
        return f"{value:.{digits}g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return trimmed(float(f"{value:.{digits}g}"), decimals)


def threshold_text(threshold: Any) -> str:
    """A threshold, or the setting of a parameter: exact when that is short, else to six digits.

    >>> threshold_text(0.31), threshold_text(math.inf), threshold_text(2 / 3), threshold_text("depth 3")
    ('0.31', 'inf', '0.666667', 'depth 3')
    """
    if threshold is None:
        return ""
    if not isinstance(threshold, int | float):
        return shorten(str(threshold), 24)
    text = number(float(threshold), None)
    return text if len(text) <= 8 else f"{float(threshold):.6g}"


# ---- estimates in the results document ----


def half_width(row: Row) -> float:
    """Half the distance between the limits; NaN without."""
    if row["low"] is None or row["high"] is None:
        return math.nan
    return float(row["high"] - row["low"]) / 2


def value_text(row: Row) -> str:
    """The value with the decimals that its interval supports; a dash where it is undefined.

    >>> value_text({"value": 0.6512, "low": 0.6201, "high": 0.6812})
    '0.651'
    """
    return DASH if row["value"] is None else show_number(row["value"], decimals_for(half_width(row)))


def limits_text(row: Row) -> str:
    """The limits, "[0.620, 0.681]", or '' without."""
    half = half_width(row)
    if math.isnan(half):
        return ""
    return f"[{', '.join(show_number(row[side], decimals_for(half)) for side in ('low', 'high'))}]"


def with_limits(row: Row) -> str:
    """Value and limits."""
    return f"{value_text(row)} {limits_text(row)}".rstrip()


def signed(row: Row) -> str:
    """A difference with its sign."""
    shown = value_text(row)
    return f"+{shown}" if row["value"] is not None and row["value"] > 0 else shown


def whole(value: float | None) -> str:
    """A cost, or a number of cases per 1,000: a whole number from 10 on, otherwise with two significant digits.

    >>> whole(1234.5), whole(0.523), whole(-12.2), whole(None)
    ('1,234', '0.52', '−12', '–')
    """
    if value is None:
        return DASH
    text = f"{value:,.0f}" if abs(value) >= 9.95 else f"{value + 0.0:.2g}"  # + 0.0 avoids -0
    return text.replace("-", MINUS) if "e" not in text else text


def whole_limits(row: Row) -> str:
    """The limits of a cost."""
    return "" if row["low"] is None or row["high"] is None else f"[{whole(row['low'])}, {whole(row['high'])}]"


def p_text(p: float | None) -> str:
    """A p-value."""
    return DASH if p is None else show_p(p)


def tick_text(value: float) -> str:
    """A tick: no zeros at its end."""
    return f"{value:.6g}".replace("-", "−")


# ---- text for sentences ----


def interval_text(low: float, high: float, level: float, shown: Callable[[float], str]) -> str:
    """The limits as running text has them.

    >>> interval_text(114, 221, 0.95, whole), interval_text(-33, 81, 0.95, whole)
    ('(95\\xa0% CI 114–221)', '(95\\xa0% CI −33 to 81)')
    """
    between = " to " if low < 0 else "–"
    return f"({100 * level:g}{NBSP}% CI {shown(low)}{between}{shown(high)})"


def estimate_text(row: Row) -> str:
    """An estimate and its interval, with the decimals that the interval supports.

    >>> estimate_text({"value": 0.847, "low": 0.7801, "high": 0.8938, "level": 0.95}).replace(NBSP, " ")
    '0.847 (95 % CI 0.780–0.894)'
    """
    if row["value"] is None:
        return "undefined"
    half, decimals = half_width(row), decimals_for(half_width(row))
    value = show_number(row["value"], decimals)
    if math.isnan(half):
        return value
    return f"{value} {interval_text(row['low'], row['high'], row['level'], lambda value: show_number(value, decimals))}"


def cost_text(row: Row) -> str:
    """A cost and its interval.

    >>> cost_text({"value": 159.2, "low": 114.1, "high": 220.8, "level": 0.95}).replace(NBSP, " ")
    '159 (95 % CI 114–221)'
    """
    if math.isnan(half_width(row)):
        return whole(row["value"])
    return f"{whole(row['value'])} {interval_text(row['low'], row['high'], row['level'], whole)}"


def point_text(point: Any) -> str:
    """The threshold of a point, given with the next score `beyond` it, as short as decides the same.

    >>> point_text({"threshold": 0.28038809, "beyond": 0.27911}), point_text({"threshold": "Infinity", "beyond": 0.9})
    ('0.28', 'inf')
    """
    if not isinstance(point, Mapping):
        return short_threshold(point, None).replace("-", MINUS)
    value, beyond = (
        float(amount) if isinstance(amount, str) else amount for amount in (point["threshold"], point["beyond"])
    )
    short = short_threshold(value, beyond)
    return short if "e" in short else short.replace("-", MINUS)


def rough(value: float) -> str:
    """The number with one or two significant digits, to avoid false precision.

    >>> rough(8.93), rough(0.0123), rough(124.0)
    ('8.9', '0.012', '120')
    """
    if not value:
        return "0"
    digits = 1 - math.floor(math.log10(abs(value)))
    shown = f"{round(value, digits):.{max(0, digits)}f}"
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def counted(noun: str, count: float) -> str:
    """A count and what was counted.

    >>> counted("false alarm", 1), counted("false alarm", 1200)
    ('1 false alarm', '1,200 false alarms')
    """
    return f"{show_count(count)} {noun if count == 1 else f'{noun}s'}"


def alarms(value: float) -> str:
    """The cost of a miss, in false alarms.

    >>> alarms(5), alarms(1), alarms(0.5)
    ('5 false alarms', '1 false alarm', '0.5 false alarms')
    """
    return "1 false alarm" if value == 1 else f"{significant(value)} false alarms"


def p_value(p: float) -> str:
    """A p-value with its sign: `= 0.36`, `< 0.001`."""
    shown = show_p(p)
    return shown if shown.startswith("<") else f"= {shown}"


def two(value: float) -> str:
    """A value from 0 to 1 with two decimals, more where it would round to an end that it does not reach.

    >>> two(0.943), two(0.99951), two(1.0)
    ('0.94', '0.9995', '1')
    """
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    digits = next((d for d in (2, 3, 4, 6) if 0 < float(f"{value:.{d}f}") < 1), 2)
    return f"{value:.{digits}f}"


def apart(a: float, b: float) -> tuple[str, str]:
    """Two values from 0 to 1 with decimals enough to tell them apart, and from 0 and 1.

    >>> apart(0.9001, 0.9), apart(0.9985, 0.9995)
    (('0.9001', '0.9000'), ('0.9985', '0.9995'))
    """

    def enough(digits: int) -> bool:
        texts = [f"{value:.{digits}f}" for value in (a, b)]
        ends = all(value in (0.0, 1.0) or 0 < float(text) < 1 for value, text in zip((a, b), texts, strict=True))
        return ends and (a == b or texts[0] != texts[1])

    digits = next((d for d in (2, 3, 4, 6) if enough(d)), 12)
    return f"{a:.{digits}f}", f"{b:.{digits}f}"


def cut_name(name: str, most: int = 24, mark: str = "…") -> str:
    """A name cut in the middle; of one that is cut already, what follows the cut is kept.

    >>> cut_name("a" * 30 + "z" * 30, 9), cut_name("gradient…sigmoid_calibra", 12)
    ('aaaa…zzzz', 'gra…sigmoid_')
    """
    if len(name) <= most:
        return name
    first, cut, rest = name.partition("…")
    if cut:
        tail = rest[: most - 4]
        return f"{first[: most - 1 - len(tail)]}…{tail}"
    head = (most + 1 - len(mark)) // 2
    return f"{name[:head]}{mark}{name[len(name) - (most - len(mark) - head) :]}"


def short_name(name: str, most: int) -> str:
    """A name of at most `most` characters in plain text: cut in the middle, since long names often end differently.

    >>> short_name("gradient boosting, fold 2", 16)
    'gradien...fold 2'
    """
    return cut_name(name, most, "...")


def distinct_names(some: Sequence[str], most: int = 24) -> dict[str, str]:
    """Shorter names for those that would read alike once they are cut: the first word, and where they differ.

    >>> list(distinct_names([f"gradient boosting, depth {depth}, all features, final" for depth in (6, 8)]).values())
    ['gradient… depth 6', 'gradient… depth 8']
    >>> list(distinct_names([f"gradient_boosting_with_{how}_calibration" for how in ("isotonic", "sigmoid")]).values())
    ['gradient…isotonic_calibr', 'gradient…sigmoid_calibra']
    """
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(some):
        groups.setdefault(cut_name(name, most), []).append(name)
    shorter: dict[str, str] = {}
    for group in groups.values():
        shared = next((k for k, letters in enumerate(zip(*group, strict=False)) if len(set(letters)) > 1), 0)
        if len(group) > 1 and shared:
            # start of the word before the first character that differs
            start = group[0].rfind(" ", 0, max(0, shared - 1)) + 1
            ends = [(name + " ").find(" ", shared) for name in group]
            parts = [name[start:end].rstrip(",;:") for name, end in zip(group, ends, strict=True)]
            short = [f"{name.split(' ')[0][:9]}… {part}"[:most] for name, part in zip(group, parts, strict=True)]
            if len(set(short)) < len(group):  # names without blanks: from the sign before the difference on
                start = max(group[0].rfind(sign, 0, shared) for sign in "_-./: ") + 1
                short = [f"{name[:8]}…{name[start:]}"[:most] for name in group]
            shorter |= dict(zip(group, short, strict=True)) if len(set(short)) == len(group) else {}
    return shorter


def names(some: Sequence[str], most: int = 3) -> str:
    """The names as a list in a sentence; if there are many, only the first few.

    >>> names(["a", "b", "c"]), names("abcde")
    ('a, b and c', 'a, b, c and 2 more')
    """
    shown = [*some[:most], *([f"{len(some) - most} more"] if len(some) > most else [])]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
