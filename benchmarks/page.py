"""The page on large data: how big the report is, how soon it stands, how long a change takes.

    python -m benchmarks.page [ROWS]

Three models on a million cases by default. Needs Chromium and playwright. Times are those of this machine; they are
printed, not judged.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import rocscope as rs

ROWS = 1_000_000
STEPS = 60
CONTROLS = ("threshold", "cost", "prevalence")
CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

# One change per frame: from the beginning of its frame until every view has drawn it and the layout is known.
UPDATES = """
async ([selector, steps]) => {
  const input = document.querySelector(selector);
  const times = [];
  for (let k = 0; k < steps; k += 1) {
    times.push(await new Promise((done) => {
      let start = 0;
      requestAnimationFrame(() => { start = performance.now(); });
      input.value = String(0.15 + 0.7 * ((k * 0.618) % 1));
      input.dispatchEvent(new Event('input', {bubbles: true}));
      requestAnimationFrame(() => { void document.body.offsetHeight; done(performance.now() - start); });
    }));
  }
  return times;
}
"""
VIEWS = "() => [...document.querySelectorAll('main section[id]')].map((one) => one.id)"
READY = """
() => {
  const [entry] = performance.getEntriesByType('navigation');
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  return {load: entry.loadEventEnd - entry.startTime, paint: paint ? paint.startTime : null};
}
"""


def cases(rows: int) -> tuple[Any, dict[str, Any]]:
    """Labels, 8 % positive, and three models' probabilities with all their digits."""
    random = np.random.default_rng(0)
    labels = random.random(rows) < 0.08
    models = {}
    for name, shift in (("boosting", 2.2), ("logistic", 1.9), ("scorecard", 1.1)):
        raw = random.normal(shift * labels, 1.0)
        models[name] = 1 / (1 + np.exp(-(shift * raw - shift * shift / 2 - 2.44)))
    return labels, models


def written(rows: int, folder: Path) -> tuple[Path, float]:
    """The report, and the seconds it took to make."""
    labels, models = cases(rows)
    start = time.perf_counter()
    path = folder / "report.html"
    rs.compare(labels, models, costs=rs.Costs(fp=1, fn=5)).save(str(path))
    return path, time.perf_counter() - start


def measured(browser: Any, address: str) -> dict[str, Any]:
    """Loading, the first paint and the changes of one visit."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address)
    page.locator("html[data-live]").wait_for(state="attached")
    found: dict[str, Any] = dict(page.evaluate(READY))
    session = context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    for name in CONTROLS:
        before = busy(session)
        found[name] = page.evaluate(UPDATES, [f"#set-{name}", STEPS])
        found[f"{name} work"] = 1000 * (busy(session) - before) / STEPS
    found["places"] = {name: changes_at(page, session, name) for name in page.evaluate(VIEWS)}
    context.close()
    return found


def changes_at(page: Any, session: Any, view: str) -> float:
    """Milliseconds of work of a change of prevalence while a view is in the middle of the screen."""
    page.evaluate("(name) => document.getElementById(name).scrollIntoView({block: 'center'})", view)
    page.wait_for_timeout(200)
    before = busy(session)
    page.evaluate(UPDATES, ["#set-prevalence", STEPS // 2])
    return 2000 * (busy(session) - before) / STEPS


def busy(session: Any) -> float:
    """Seconds of processor time the page has taken for script, style and layout: other programs do not count."""
    parts = ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
    found = session.send("Performance.getMetrics")["metrics"]
    return float(sum(one["value"] for one in found if one["name"] in parts))


def sizes(path: Path) -> str:
    """What the file is made of."""
    text = path.read_text("utf-8")
    data = text.split('id="rocscope-data">', 1)[1].split("</script>", 1)[0]
    drawing = json.loads(data)["drawing"]
    script = max(len(part.split("</script>", 1)[0]) for part in text.split("<script>")[1:])
    style = len(text.split("<style>", 1)[1].split("</style>", 1)[0])
    rows = sum(len(model["tp"]["$steps"]) for model in drawing["models"])
    return (
        f"report {len(text.encode()) / 1000:.0f} KB: script {script / 1000:.0f}, style {style / 1000:.0f}, "
        f"data {len(data) / 1000:.0f} ({rows} thresholds)"
    )


def main(rows: int) -> None:
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        raise SystemExit("no Chromium found: install Debian's package chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path, seconds = written(rows, Path(folder))
        print(f"3 models x {rows:,} rows: made in {seconds:.1f} s")
        print(sizes(path))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        visits = [measured(browser, path.as_uri()) for _ in range(3)]
        browser.close()
    loads, paints = [one["load"] for one in visits], [one["paint"] for one in visits if one["paint"]]
    print(f"ready: {statistics.median(loads):.0f} ms; first paint {statistics.median(paints or [float('nan')]):.0f} ms")
    for name in CONTROLS:
        work = statistics.median(one[f"{name} work"] for one in visits)
        times = sorted(time for one in visits for time in one[name])
        high = times[int(0.95 * len(times))]
        print(
            f"a change of {name}: {work:.1f} ms of work (script, style, layout); on the clock "
            f"median {statistics.median(times):.1f} ms, 95 % {high:.1f} ms"
        )
    places = {name: statistics.median(one["places"][name] for one in visits) for name in visits[0]["places"]}
    name = max(places, key=lambda one: places[one])
    print(f"a change of prevalence, where it takes most (at {name}): {places[name]:.1f} ms of work")


if __name__ == "__main__":
    main(int(sys.argv[1].replace(",", "").replace("_", "")) if len(sys.argv) > 1 else ROWS)
