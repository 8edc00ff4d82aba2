"""rocscope speaks plain, standard English: no private vocabulary in what users and readers see.

Every string of the package (messages, help texts, docstrings), the texts of the lessons, the strings of the page and
the prose of the documentation are searched for the words that the language guide rules out. `LEFT` counts what is still
to be mended in each package: it may only shrink, and a number that is no longer true fails, so lower it at once.

    python tests/test_vocabulary.py [PACKAGE]       lists every hit with its place and what to say instead
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MOST_VAGUE = 239  # names such as `one` and `found` that are left; lower it, never raise it
SOURCE = ROOT / "src" / "rocscope"

# what is ruled out -> what to say instead
BANNED = {
    r"(?-i:^Words:|The words:)|rocscope WORD|\bWORD \.\.\.|no word '|words? of the command": "command, subcommand",
    r"(?<!without )\b(each|every|this|that|a|its|the|another|unknown|one)"
    r" words?\b(?! (longer|of a piece|scikit|JavaS))": "command; text",
    r"\bnobody (chose|knows|said|had|gave|would|asked|sees|wrote|can)": "what is missing: 'No threshold was given'",
    r"\bhabit(s|ual|ually)?\b": "default; common; convention",
    r"\bdear(er|est)?\b": "costly, expensive",
    r"\bblindly\b|blind prediction|as many of each": "chance level (same number flagged at random)",
    r"\bwith return\b": "with replacement",
    r"\bfound out\b": "detected automatically; determined",
    r"\bfrom a die\b": "random",
    r"\bmay turn (it|this)\b": "more data could reverse this",
    r"with the next file": "estimates are unstable",
    r"never the cheapest|whatever the costs": "not the cheapest at any cost ratio in this sample",
    r"\bluck of\b|\bby luck\b": "corrected for selection; by chance",
    r"\bbulg(es?|ing)\b": "the upper convex boundary (convex hull)",
    r"\bintervals? of an?\b": "confidence interval for",
    r"\bwithout end\b": "infinite; unlimited",
    r"\bheirs?\b": "subclasses",
    r"\btold\b": "given, supplied; distinguished; shown",
    r"\brooms\b|\b(this|only|a|each|every|one|that) room\b": "package, module",
    r"\bdoors?\b": "public API; entry point",
    r"\bwith the hand\b": "interactive",
    r"\bread(s|ing)? (it )?off\b": "computed from",
    r"\bcleared\b|\bleft alone\b|\bcalled (negative|positive)\b|\bdismiss(ed|es)?\b": "not flagged; predicted negative",
    r"\bthe document('s)?\b": "results document (JSON); source (author, title)",
    r"manieth|\bso wide\b|\bso many (cases|rows)\b": "the n-th; how many; at most this wide",
    r"\bS\d+ (l\.|line|lines)": "the source's author and title",
    r"\b(behaviou?r|colou?r|favou?r|neighbou?r|flavou?r|honou?r)(?<=our)\w*": "American spelling: -or",
    r"\b\w*(label|model|level|cancel|travel|signal|channel)l(ed|ing)\b": "American spelling: one l",
    r"\b(un|re|de)?(normal|standard|vector|optim|recogn|summar|random|minim|maxim|general|linear|categor|symmetr|organ"
    r"|penal|local|regular|discret|binar|factor|central|tabul|character|memor|seri?al|synchron|util|quant|apolog|initial"
    r"|parallel|parameter|final|item|real|equal|critic|visual|winsor)"
    r"is(e|es|ed|ing|ation|ations)\b": "American spelling: -ize",
    r"\banalys(e|ed|es(?= the)|ing)\b|\bcentre[sd]?\b|\bgrey\b|\bjudgement"
    r"|\bartefact|\bdefence\b|\blicence\b": "American spelling",
}
PATTERNS = {re.compile(pattern, re.IGNORECASE | re.MULTILINE): say for pattern, say in BANNED.items()}

# Titles and names as their authors spelled them.
QUOTED = ("Organizational Behaviour", "programme for", "Standardised Mortality", "neighbour-joining", "Colour Vision")

LEFT: dict[str, int] = {
    "page": 0,
}


def code_strings(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a Python file that are prose: more than one token, or a docstring."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value.strip():
            yield node.lineno, node.value


def toml_strings(path: Path) -> Iterator[tuple[int, str]]:
    def below(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for inner in value.values():
                yield from below(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from below(inner)

    text = path.read_text("utf-8")
    for value in below(tomllib.loads(text)):
        yield text[: max(text.find(value[:40]), 0)].count("\n") + 1, value


def script_strings(path: Path) -> Iterator[tuple[int, str]]:
    """The strings of a TypeScript or JavaScript file that hold a space, comments left out."""
    text = re.sub(r"/\*(.|\n)*?\*/", "", re.sub(r"(?m)^\s*//.*$", "", path.read_text("utf-8")))
    for literal in re.finditer(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`', text):
        shown = re.sub(r"\$\{[^{}]*\}", "...", literal[0])
        if " " in shown.strip('"` '):
            yield text[: literal.start()].count("\n") + 1, shown


def page_strings(path: Path) -> Iterator[tuple[int, str]]:
    """The text of an HTML file."""
    text = path.read_text("utf-8")
    for piece in re.finditer(r">([^<>]*\w[^<>]*)<|(?:title|placeholder|aria-label)=\"([^\"]+)\"", text):
        yield text[: piece.start()].count("\n") + 1, piece[1] or piece[2]


def prose_strings(path: Path) -> Iterator[tuple[int, str]]:
    """The paragraphs of a Markdown page without its blocks of code, which hold what commands print."""
    fenced = False
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and line.strip():
            yield number, re.sub(r"\]\([^)]*\)", "]", line)


def texts() -> Iterator[tuple[str, Path, int, str]]:
    """Every text with the package that owns it, its file and its line."""
    for path in sorted(SOURCE.rglob("*")):
        reader = {".py": code_strings, ".toml": toml_strings, ".html": page_strings}.get(path.suffix)
        if path.parent.name == "static" and path.suffix == ".js":
            reader = script_strings
        if reader:
            package = path.relative_to(SOURCE).parts[0].removesuffix(".py")
            yield from ((package, path, line, text) for line, text in reader(path))
    for path in sorted((ROOT / "page" / "src").rglob("*.ts")):
        yield from (("page", path, line, text) for line, text in script_strings(path))
    generated = ROOT / "docs" / "reference"
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]):
        if generated not in path.parents:
            yield from (("docs", path, line, text) for line, text in prose_strings(path))


def hits() -> Iterator[tuple[str, Path, int, str, str]]:
    """Every banned word found: package, file, line, the words around it and what to say instead."""
    for package, path, line, text in texts():
        prose = re.sub(r"``?[^`]*``?", "``", text) if path.suffix in (".py", ".md", ".toml") else text
        for quoted in QUOTED:
            prose = prose.replace(quoted, "")
        for pattern, say in PATTERNS.items():
            for found in pattern.finditer(prose):
                around = " ".join(prose[max(0, found.start() - 30) : found.end() + 30].split())
                yield package, path, line, around, say


def counted() -> dict[str, int]:
    counts: dict[str, int] = {}
    for package, *_ in hits():
        counts[package] = counts.get(package, 0) + 1
    return counts


COUNTS = counted()


@pytest.mark.parametrize("package", sorted(COUNTS.keys() | LEFT.keys()))
def test_no_banned_word_is_added_and_what_is_mended_stays_mended(package: str) -> None:
    left, now = LEFT.get(package, 0), COUNTS.get(package, 0)
    assert now <= left, f"banned words in user-facing text; run: python tests/test_vocabulary.py {package}"
    assert now == left, f"{left - now} texts were mended: lower LEFT[{package!r}] to {now} in tests/test_vocabulary.py"


def test_the_patterns_find_what_they_should() -> None:
    wrong = [
        "Nobody chose a threshold",
        "a false alarm is dear",
        "drawn with return",
        "an infinite loss has no limits",
        "unlabelled",
    ]
    found = [any(pattern.search(text) for pattern in PATTERNS) for text in wrong]
    assert found == [True, True, True, False, True]


def test_variables_are_named_by_what_they_hold() -> None:
    names, bound = {"one", "found", "held", "place", "said", "told", "asked", "made"}, 0
    for path in (ROOT / "src" / "rocscope").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            stored = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names
            bound += stored or (isinstance(node, ast.arg) and node.arg in names)
    assert bound <= MOST_VAGUE, "a variable says nothing of what it holds"


def test_docstrings_name_what_is_returned() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    imperative = []
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, documented) and re.match(r"Returns?\b", ast.get_docstring(node) or ""):
                imperative.append(f"{path.relative_to(ROOT)}: {getattr(node, 'name', 'module')}")
    assert not imperative, "a docstring begins with what comes back ('The area under ...'), not with 'Return'"


def main(wanted: list[str]) -> None:
    for package, path, line, around, say in hits():
        if not wanted or package in wanted:
            print(f"{package}: {path.relative_to(ROOT)}:{line}: ...{around}...  [say: {say}]")
    if not wanted:
        print(dict(sorted(COUNTS.items())))


if __name__ == "__main__":
    main(sys.argv[1:])
