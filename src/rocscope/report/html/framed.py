"""The page inside a notebook: its first screen in a frame that can reach nothing around it."""

from __future__ import annotations

import html as entities
from collections.abc import Mapping
from typing import Any

from rocscope.report.html import html

HEIGHT = 1100


def framed(document: Mapping[str, Any], *, height: int = HEIGHT) -> str:
    """An iframe whose content is the compact page itself; scripts run in it, but it has no origin to act from.

    >>> from rocscope import evaluate
    >>> frame = framed(evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.4, 0.3]).to_dict(drawing=True))
    >>> frame[:8], frame[-9:]
    ('<iframe ', '</iframe>')
    """
    page = entities.escape(html(document, compact=True), quote=True)
    return (
        f'<iframe title="rocscope" sandbox="allow-scripts allow-downloads" width="100%" height="{height}" '
        f'frameborder="0" srcdoc="{page}"></iframe>'
    )
