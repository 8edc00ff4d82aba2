"""What every test runs under: hypothesis without deadlines, and skips that are counted and may be forbidden."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

Run = Callable[..., tuple[int, str, str]]
REQUIRE_ALL = os.environ.get("REQUIRE_ALL") == "1"

# A shell that starts a job in the background lets it ignore Ctrl-C, and so would every command the tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No outcome may depend on how fast the machine is: no deadline, and no health check that looks at the clock.
TIMELESS = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("house", **TIMELESS)
settings.register_profile("ci", derandomize=True, database=None, print_blob=True, **TIMELESS)
settings.register_profile("mutants", max_examples=15, derandomize=True, database=None, **TIMELESS)
asked = os.environ.get("HYPOTHESIS_PROFILE", "ci" if REQUIRE_ALL or os.environ.get("CI") else "house")
settings.load_profile(asked)


def _skips(config: pytest.Config) -> Counter[str]:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    return Counter(_reason(report) for report in reports)


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    # A skip is reported as (file, line, "Skipped: reason").
    why = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return why.removeprefix("Skipped: ")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    if REQUIRE_ALL and exitstatus == pytest.ExitCode.OK and _skips(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if skips := _skips(config):
        verdict = "REQUIRE_ALL=1: a skip fails" if REQUIRE_ALL else "not checked here"
        reasons = "; ".join(f"{reason} ({times})" for reason, times in sorted(skips.items()))
        terminalreporter.write_line(f"{skips.total()} skipped, {verdict}: {reasons}", red=REQUIRE_ALL)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """Run a command in this process, in a folder of its own, on a terminal of 80 columns without colours of its own.

    Gives the exit code, standard output and standard error; a traceback fails.
    """
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments: str) -> tuple[int, str, str]:
        from rocscope import cli

        code = cli.main(list(arguments))
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return code, out, err

    return command
