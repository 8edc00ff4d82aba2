"""A stand-in for the search box of the documentation site: pages ranked by the words of a query, titles first."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

STOP = frozenset(
    re.findall(r"\w+", "a an and or of the to in is it do i when with from by for as at on which how than what my")
)
ENDINGS = ("ations", "ation", "ing", "ies", "es", "ed", "s")

Section = tuple[str, Counter[str], Counter[str]]  # its page, the words of its title and of its text


def stem(word: str) -> str:
    """A word without its ending, where three letters remain."""
    ending = next((one for one in ENDINGS if word.endswith(one) and len(word) - len(one) >= 3), "")
    return word.removesuffix(ending)


def words(text: str) -> list[str]:
    return [stem(one) for one in re.findall(r"[a-z0-9]+", text.lower()) if one not in STOP]


def sections(site: Path) -> list[Section]:
    """The sections of the search index that `make site` builds."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    return [
        (one["location"].split("#")[0] or "index.html", Counter(words(one["title"])),
         Counter(words(re.sub(r"<[^>]+>", " ", one["text"]))))
        for one in index["docs"]
    ]  # fmt: skip


def found(index: list[Section], query: str, first: int = 5) -> list[str]:
    """The first pages for a query, by BM25 over sections with weight on their titles."""
    asked = list(dict.fromkeys(words(query)))
    mean = sum(text.total() for _, _, text in index) / len(index)
    known = {word: sum(1 for _, title, text in index if word in title or word in text) for word in asked}
    rare = {word: math.log(1 + (len(index) - n + 0.5) / (n + 0.5)) for word, n in known.items() if n}
    best: dict[str, float] = defaultdict(float)
    for page, title, text in index:
        length = 1.2 * (0.25 + 0.75 * text.total() / mean)
        worth = sum(
            weight * (text[word] * 2.2 / (text[word] + length) + (word in title) * 4.5 / (1 + 0.15 * len(title)))
            for word, weight in rare.items()
        )
        best[page] = max(best[page], worth)
    return sorted(best, key=lambda page: -best[page])[:first]
