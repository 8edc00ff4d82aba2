"""The command line: the only package that prints, reads arguments or exits.

A command (`rocscope matrix`) is one file of its name in this folder, holding a click command called `command`,
and one line in `COMMANDS`. The file is loaded when its command is called, so `rocscope --help` stays quick.

Exit codes: 0 success, 1 a gate is not met, 2 invalid usage or data, 70 an internal error of rocscope,
129 hung up, 130 interrupted, 141 the output is no longer read (`| head -1`), 143 terminated.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import click

from rocscope import __version__
from rocscope.cli.output import abandon_output, flush, prepare_streams, say
from rocscope.errors import RocscopeError, did_you_mean

__all__ = ["main", "run"]

TYPED = "rocscope.typed"  # context.meta key of the arguments exactly as the user typed them
FINE, NOT_MET, WRONG, FAULT, INTERRUPTED, READER_GONE = 0, 1, 2, 70, 130, 141
SIGNALED = 128  # exit code after a signal: 128 plus the signal number
SAID: dict[int, str] = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
if hasattr(signal, "SIGHUP"):  # not defined on Windows
    SAID[signal.SIGHUP] = "hung up"

# command -> its line in `rocscope --help`, by group, in the order shown there
GROUPS: dict[str, dict[str, str]] = {
    "Evaluate": {
        "demo": "Evaluate a built-in example: which model to use, at which threshold, and how good it is.",
        "evaluate": "Evaluate one classifier: how good it is, how certain that is, and which threshold to use.",
        "compare": "Compare several models: which to use, how certain that is, and which is cheapest at each cost "
                   "ratio.",
        "validate": "Fit models to a data set with a resampling plan and compare their errors fairly.",
        "matrix": "Compute the measures of a confusion matrix from four numbers or a file, even with an unknown cell.",
        "curve": "Draw a curve from scores and print its points: roc, pr, lift, calibration and more.",
        "hull": "Find the model and threshold that are cheapest at each cost ratio.",
    },
    "Plan and check": {
        "power": "Compute the sample size or the power for an AUC.",
        "gate": "Exit with code 1 when a model does not meet its requirements, for continuous integration.",
        "calibrate": "Turn scores into calibrated probabilities and measure the gain on unseen cases.",
        "merge": "Add up saved score tables, for example from several days, and evaluate the sum and its trend.",
    },
    "Learn": {
        "explain": "Explain a measure, curve, method or concept, worked out with your numbers.",
        "measures": "List or search the catalog of measures.",
        "trace": "Show the ROC algorithm row by row, with every fraction.",
        "examples": "Show worked examples with their correct answers and the errata of their sources.",
        "exercise": "Generate a new problem for a class, with its solution on request.",
    },
    "Serve": {
        "serve": "Start the interactive page: drop files or paste a table, choose columns, and see the answer.",
    },
}

COMMANDS: dict[str, str] = {name: says for group in GROUPS.values() for name, says in group.items()}

# commands that read defaults from rocscope.toml
CONFIGURED = {"evaluate", "compare", "curve", "hull", "gate", "merge", "calibrate"}


ENDINGS = (
    ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq", ".arrow", ".feather", ".xlsx", ".gz", ".zst", ".rst",
)  # fmt: skip


class Commands(click.Group):
    """A group whose commands are modules of a package, each imported when it is called."""

    def __init__(self, commands_by_name: Mapping[str, str], *, package: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.summaries = dict(commands_by_name)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order of their table."""
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command; None for a name that is not in the table."""
        if cmd_name not in self.summaries:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        if os.environ.get("_ROCSCOPE_COMPLETE"):
            from rocscope.cli.shared.completion import completing

            return completing(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does, but suggest the nearest command for an unknown one."""
        first = args[0]
        if first not in self.summaries and "evaluate" in self.summaries and _is_file(first):
            # `rocscope FILE` without a command: the columns are guessed and the guess is printed
            args = ["evaluate", *args]
            first = "evaluate"
        if first not in self.summaries and not first.startswith("-"):
            ctx.fail(f"there is no command '{first}'. {did_you_mean(first, self.summaries)}".rstrip())
        name, command, rest = super().resolve_command(ctx, args)
        if name in CONFIGURED and command is not None and not ctx.resilient_parsing:
            from rocscope.cli.shared.defaults import configured

            return name, *configured(ctx, name, command, rest)
        return name, command, rest

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write both forms of the usage: with a command, or with only a file."""
        formatter.write_usage(ctx.command_path, "[OPTIONS] COMMAND [ARGS]...")
        if "evaluate" in self.summaries:
            formatter.write_usage(ctx.command_path, "FILE [OPTIONS]", prefix=" " * len("Usage: "))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from their table: asking every module would import them all."""
        grouped = {title: [name for name in names if name in self.summaries] for title, names in GROUPS.items()}
        ungrouped = [name for name in self.summaries if name not in COMMANDS]
        for title, names in {**grouped, "Commands": ungrouped}.items():
            if names:
                with formatter.section(title):
                    formatter.write_dl([(f"{name:<8}", self.summaries[name]) for name in names])


def _is_file(text: str) -> bool:
    if text == "-" or (os.path.exists(text) and not os.path.isdir(text)):
        return True
    return text.lower().endswith(ENDINGS) or (any(letter in text for letter in "*?[") and "." in text)


EPILOG = """\b
Examples:
  rocscope demo
  rocscope predictions.csv --html report.html
  rocscope compare predictions.csv --label y --score old --score new
  rocscope gate predictions.csv --label y --score p --require "auc.low >= 0.8"
  rocscope explain roc
  rocscope serve predictions.csv
  rocscope COMMAND --help
"""


def rocscope(commands: Mapping[str, str] = COMMANDS, *, package: str = "rocscope.cli") -> click.Command:
    """The command `rocscope` with these commands, each a module of the package."""
    group = Commands(
        commands,
        package=package,
        name="rocscope",
        help="Evaluate classifiers: how good they are, how certain that is, and which to use.\n\n"
        "If only FILE is given, its columns are detected automatically.",
        epilog=EPILOG,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    for option in (
        click.version_option(__version__, message="rocscope %(version)s"),
        click.Option(["--config"], metavar="PATH", help="Configuration file to use instead of rocscope.toml."),
        click.Option(["--no-config"], is_flag=True, help="Ignore configuration files."),
        click.Option(["--show-completion"], type=click.Choice(["bash", "zsh", "fish"]), is_eager=True,
                     expose_value=False, callback=_show_completion, help="Print the completion script for a shell."),
    ):  # fmt: skip
        if isinstance(option, click.Option):
            group.params.append(option)
        else:
            option(group)
    return group


def _show_completion(context: click.Context, parameter: click.Parameter, shell: Any) -> None:
    if shell is not None and not context.resilient_parsing:
        from rocscope.cli.shared.completion import show

        show(context, parameter, shell)


def main(arguments: Sequence[str] | None = None, *, command: click.Command | None = None) -> int:
    """Run the command line and return its exit code; an error is one line on standard error."""
    prepare_streams()
    # pyarrow would reserve 1 GiB of addresses at once: under a limit (ulimit -v) nothing is left for the others then
    os.environ.setdefault("MIMALLOC_ARENA_RESERVE", "64MiB")
    # Idle threads of OpenBLAS, which NumPy starts, would run for 2**26 processor cycles before they sleep: a fifth of
    # the processor time of a short command. 2**16 cycles last from one matrix product to the next.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "16")
    try:
        with _signals_raised() as came:
            return _run(command or rocscope(), list(sys.argv[1:] if arguments is None else arguments), came)
    except BrokenPipeError:
        abandon_output()
        return READER_GONE
    except (KeyboardInterrupt, click.Abort):
        say("rocscope: interrupted")
        return INTERRUPTED
    except _Terminated as end:
        say(f"rocscope: {SAID[end.number]}")
        return SIGNALED + end.number


def run() -> NoReturn:
    """Run `main` as a process and exit without freeing every object first.

    That saves 8 % of the processor time of evaluating a small file. Registered exit functions are called. The garbage
    collector runs after 100,000 new objects rather than 700, because imported modules are kept until the end; this
    saves as much again.
    """
    gc.set_threshold(100_000, *gc.get_threshold()[1:])
    code = main()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # stream closed or reader gone; `main` has handled that
            stream.flush()
    os._exit(code)


def _run(command: click.Command, arguments: list[str], came: list[int]) -> int:
    try:
        try:
            code = _invoke(command, arguments)
        except Exception:
            if came:  # a library may turn the exception raised by the signal handler into an error of its own
                raise _Terminated(came[0]) from None
            raise
        flush()
        return code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
    except click.ClickException as error:
        say(_usage(error))
    except RocscopeError as error:
        from rocscope.cli.shared.option_names import with_options

        say(f"rocscope: {with_options(error)}")
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        say(f"rocscope: {error.filename or 'cannot write the output'}: {error.strerror or error}")
    except Exception as error:
        if not _lacks_memory(error):
            return _fault()
        say("rocscope: not enough memory for this much data")
    return WRONG


def _lacks_memory(error: Exception) -> bool:
    """Whether memory was insufficient, for data or for a library to import."""
    phrases = ("failed to map segment", "cannot allocate memory")
    return isinstance(error, MemoryError) or any(words in str(error).lower() for words in phrases)


def _invoke(command: click.Command, arguments: list[str]) -> int:
    # click's own main() is not used: it turns a broken pipe into exit code 1, which here means "a gate is not met".
    if instruction := os.environ.get("_ROCSCOPE_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, "rocscope", "_ROCSCOPE_COMPLETE", instruction)
    try:
        typed = tuple(arguments)
        with command.make_context("rocscope", arguments) as context:
            context.meta[TYPED] = typed
            command.invoke(context)
        return FINE
    except click.exceptions.Exit as end:
        return end.exit_code


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    name = context.command_path if context else "rocscope"
    message = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption) and error.option_name[1:2].isdigit():
        message = f"a negative number ('{error.option_name}...') is not allowed"
    return f"{name}: {message}{'' if message.endswith(('.', '?')) else '.'} See {name} --help"


def _fault() -> int:
    import traceback

    traceback.print_exc()
    say("rocscope: this is a bug in rocscope, not a problem with your data; please report the lines above")
    return FAULT


class _Terminated(BaseException):
    """A signal that ends the process. Not an Exception, so that no handler mistakes it for an error."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _signals_raised() -> Iterator[list[int]]:
    """Make SIGTERM and SIGHUP unwind the stack as Ctrl-C does, so that temporary files are removed.

    Yields the signals received. A signal that is ignored, such as SIGHUP under nohup, remains ignored.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        raise KeyboardInterrupt if number == signal.SIGINT else _Terminated(number)

    def lost(what: Any) -> None:
        """Resend a signal that arrived while Python could not raise it, such as in a finalizer."""
        if came and isinstance(what.exc_value, KeyboardInterrupt | _Terminated):
            import threading

            again = threading.Timer(0.01, os.kill, (os.getpid(), came[-1]))
            again.daemon = True
            again.start()
        else:
            usual_hook(what)

    usual_hook, sys.unraisablehook = sys.unraisablehook, lost
    before: dict[int, Any] = {}
    with suppress(ValueError):  # not in the main thread, where Python does not allow signal handlers
        for number in SAID:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                before[number] = signal.signal(number, stop)
    try:
        yield came
    finally:
        sys.unraisablehook = usual_hook
        for number, usual in before.items():
            signal.signal(number, usual)
