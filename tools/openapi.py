"""Write docs/reference/openapi.json: the OpenAPI document of the JSON API, as the server serves it."""

from __future__ import annotations

import json
from pathlib import Path

from rocscope.serve import openapi

TARGET = Path(__file__).parent.parent / "docs" / "reference" / "openapi.json"


def text() -> str:
    """The document as JSON that reads well line by line."""
    return json.dumps(openapi.document(), indent=2) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
