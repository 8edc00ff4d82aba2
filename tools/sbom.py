"""Write a software bill of materials (CycloneDX 1.6, JSON) of rocscope and what it needs, from installed metadata.

python tools/sbom.py [extra ...] > sbom.json

The components are the distributions that an installation with these extras brings, with version, license and hash of
the list of their files; the script and style of the page are built from this repository and bundle no other's code.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

ROOT = "rocscope"
EXTRA = re.compile(r"extra\s*==\s*['\"]([^'\"]+)['\"]")
REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(?:\[([^\]]*)\])?[^;]*(?:;(.*))?")


def plain(name: str) -> str:
    """The name as package indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(found: Distribution, extras: Iterable[str]) -> list[tuple[str, tuple[str, ...]]]:
    """What a distribution requires with these extras: names, each with its own extras."""
    made = []
    for text in found.requires or ():
        match = REQUIREMENT.fullmatch(text)
        assert match is not None, text
        asked = EXTRA.search(match[3] or "")
        if asked is None or asked[1] in extras:
            made.append((plain(match[1]), tuple(filter(None, (match[2] or "").replace(" ", "").split(",")))))
    return made


def closure(extras: Iterable[str]) -> tuple[dict[str, Distribution], dict[str, set[str]]]:
    """Every distribution that is installed for rocscope with these extras, and which needs which."""
    found: dict[str, Distribution] = {}
    edges: dict[str, set[str]] = {}
    left = [(ROOT, tuple(extras))]
    seen = set()
    while left:
        name, own = left.pop()
        if (name, own) in seen:
            continue
        seen.add((name, own))
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # its marker does not hold here (another system, another Python)
            continue
        parts = needed(found[name], own)
        edges.setdefault(name, set()).update(part for part, _ in parts if part != name)
        left += parts
    return found, {name: {part for part in parts if part in found} for name, parts in edges.items()}


def license_of(found: Distribution) -> list[dict[str, Any]]:
    """The license as the distribution states it: an SPDX expression, a name, or nothing."""
    metadata = found.metadata
    if "License-Expression" in metadata:
        return [{"expression": metadata["License-Expression"]}]
    names = [one.rsplit(" :: ", 1)[-1] for one in metadata.get_all("Classifier") or () if one.startswith("License ::")]
    stated = " ".join(metadata.get_all("License") or ()).strip().splitlines()
    return [{"license": {"name": one}} for one in (names or stated[:1])]


def component(name: str, found: Distribution) -> dict[str, Any]:
    """One distribution."""
    listed = found.read_text("RECORD") or ""
    made: dict[str, Any] = {"type": "library", "bom-ref": purl(name, found), "name": name, "version": found.version}
    made["purl"] = purl(name, found)
    if licenses := license_of(found):
        made["licenses"] = licenses
    if listed and name != ROOT:
        kept = "\n".join(line for line in sorted(listed.splitlines()) if ".pyc" not in line and "bin/" not in line)
        digest = hashlib.sha256(kept.encode()).hexdigest()
        made["properties"] = [{"name": "rocscope:record-sha256", "value": digest}]
    return made


def purl(name: str, found: Distribution) -> str:
    """The package URL."""
    return f"pkg:pypi/{name}@{found.version}"


def bill(extras: Iterable[str] = ("all",)) -> dict[str, Any]:
    """The bill of materials; the same installation gives the same bytes when SOURCE_DATE_EPOCH says the time."""
    found, edges = closure(tuple(extras))
    components = [component(name, found[name]) for name in sorted(found) if name != ROOT]
    time = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), UTC)
    content = json.dumps([components, found[ROOT].version], sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {**component(ROOT, found[ROOT]), "type": "application"},
        },
        "components": components,
        "dependencies": [
            {"ref": purl(name, one), "dependsOn": sorted(purl(part, found[part]) for part in edges.get(name, ()))}
            for name, one in sorted(found.items())
        ],
    }


if __name__ == "__main__":
    print(json.dumps(bill(sys.argv[1:] or ["all"]), indent=2))
