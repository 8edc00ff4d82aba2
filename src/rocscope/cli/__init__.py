"""The command line: the only room that prints, reads arguments or exits.

A word (`rocscope matrix`) is one file of its name in this folder, holding a click command called `command`,
and one line in `WORDS`. The file is loaded when its word is called, so `rocscope --help` stays quick.

Exit codes: 0 fine, 1 a gate is not met, 2 wrong usage or data, 70 a fault of rocscope itself,
130 interrupted, 141 the reader of our output has gone (`| head -1`), 143 terminated.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from rocscope import __version__
from rocscope.cli.streams import abandon_output, flush, prepare_streams, say
from rocscope.errors import RocscopeError, did_you_mean

FINE, NOT_MET, WRONG, FAULT, INTERRUPTED, READER_GONE, TERMINATED = 0, 1, 2, 70, 130, 141, 143

# word -> what `rocscope --help` says of it, in the order of that list.
WORDS: dict[str, str] = {
    "demo": "Answer a built-in example: which model, which threshold, and how good that is.",
    "evaluate": "How good a classifier is, how sure that is, and at which threshold to use it.",
    "compare": "Which of several models to use, how sure that is, and which one at which cost.",
    "validate": "Fit models to a data set over a resampling plan, and compare their errors fairly.",
    "power": "How many cases it takes to be sure: sample size and power for an AUC.",
    "matrix": "What a confusion matrix says: from four numbers, from a file, or with an unknown cell.",
    "curve": "Draw a curve of scores and print its points: roc, pr, lift, calibration and more.",
    "hull": "Which model and threshold is cheapest at which cost of errors.",
    "gate": "Exit 1 when a model does not reach what is required of it: for continuous integration.",
    "merge": "Add up saved tables, days or machines, and evaluate the sum and its trend.",
    "serve": "The page in your browser: drop files or paste a table, choose columns, see the answer.",
    "explain": "What a measure, a curve or a concept says, worked out with your numbers.",
    "measures": "The catalogue of measures, to read or to search.",
    "trace": "The ROC algorithm row by row, with every fraction.",
    "examples": "Worked examples with their right answers and the errata of their sources.",
    "exercise": "A new problem for a class, with its solution when asked.",
}

# words that take defaults from rocscope.toml
CONFIGURED = {"evaluate", "compare", "curve", "hull", "gate", "merge"}


ENDINGS = (
    ".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq", ".arrow", ".feather", ".xlsx", ".gz", ".zst", ".rst",
)  # fmt: skip


def _loaded(name: str) -> click.Command:
    """The command of a module. What is loaded stays to the end, so nothing is looked through for what might go."""
    import gc
    from importlib import import_module

    gc.disable()
    try:
        command: click.Command = import_module(name).command
    finally:
        gc.enable()
    return command


class Words(click.Group):
    """A group whose words are modules of a package, each loaded when it is called."""

    def __init__(self, words: Mapping[str, str], *, package: str, **settings: Any) -> None:
        super().__init__(**settings)
        self.words = dict(words)
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The words, in the order of their table."""
        return list(self.words)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a word, its module loaded now; None for a word that is not in the table."""
        if cmd_name not in self.words:
            return None
        command = _loaded(f"{self.package}.{cmd_name}")
        if os.environ.get("_ROCSCOPE_COMPLETE"):
            from rocscope.cli.shared.completion import completing

            return completing(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but an unknown word gets the nearest one as a hint."""
        word = args[0]
        if word not in self.words and "evaluate" in self.words and _is_file(word):
            args = ["evaluate", *args]  # `rocscope FILE` alone: its columns are guessed, and said
            word = "evaluate"
        if word not in self.words and not word.startswith("-"):
            ctx.fail(f"there is no word '{word}'. {did_you_mean(word, self.words)}".rstrip())
        name, command, rest = super().resolve_command(ctx, args)
        if name in CONFIGURED and command is not None and not ctx.resilient_parsing:
            from rocscope.cli.shared.defaults import configured

            return name, *configured(ctx, name, command, rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the words from their table: asking every module would load them all."""
        if self.words:
            with formatter.section("Words"):
                formatter.write_dl(list(self.words.items()))


def _is_file(word: str) -> bool:
    if word == "-" or (os.path.exists(word) and not os.path.isdir(word)):
        return True
    return word.lower().endswith(ENDINGS) or (any(letter in word for letter in "*?[") and "." in word)


def rocscope(words: Mapping[str, str] = WORDS, *, package: str = "rocscope.cli") -> click.Command:
    """The command `rocscope` with these words, each a module of the package."""
    group = Words(
        words,
        package=package,
        name="rocscope",
        help="Evaluate classifiers: how good, how sure, which threshold, which model.",
        epilog="Each word has its own help: rocscope WORD --help",
        subcommand_metavar="WORD ...",
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    for option in (
        click.version_option(__version__, message="rocscope %(version)s"),
        click.Option(["--config"], metavar="PATH", help="Take defaults from this file, not from rocscope.toml."),
        click.Option(["--no-config"], is_flag=True, help="Take no defaults from a file."),
        click.Option(["--show-completion"], type=click.Choice(["bash", "zsh", "fish"]), is_eager=True,
                     expose_value=False, callback=_show_completion, help="Print what makes a shell complete rocscope."),
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
    """Run the command line and return its exit code; what goes wrong is one line on standard error."""
    prepare_streams()
    try:
        with _termination_raised():
            return _run(command or rocscope(), list(sys.argv[1:] if arguments is None else arguments))
    except BrokenPipeError:
        abandon_output()
        return READER_GONE
    except (KeyboardInterrupt, click.Abort):
        say("rocscope: interrupted")
        return INTERRUPTED
    except _Terminated:
        say("rocscope: terminated")
        return TERMINATED


def _run(command: click.Command, arguments: list[str]) -> int:
    try:
        code = _invoke(command, arguments)
        flush()
        return code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
    except click.ClickException as error:
        say(_usage(error))
    except RocscopeError as error:
        from rocscope.cli.shared.spelling import with_options

        say(f"rocscope: {with_options(error)}")
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        say(f"rocscope: {error.filename or 'cannot write the answer'}: {error.strerror or error}")
    except MemoryError:
        say("rocscope: not enough memory for this much data")
    except Exception:
        return _fault()
    return WRONG


def _invoke(command: click.Command, arguments: list[str]) -> int:
    # Not click's own main(): it turns a broken pipe into exit code 1, which here means "a gate is not met".
    if instruction := os.environ.get("_ROCSCOPE_COMPLETE"):
        from click.shell_completion import shell_complete

        return shell_complete(command, {}, "rocscope", "_ROCSCOPE_COMPLETE", instruction)
    try:
        with command.make_context("rocscope", arguments) as context:
            command.invoke(context)
        return FINE
    except click.exceptions.Exit as end:
        return end.exit_code


def _usage(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    name = context.command_path if context else "rocscope"
    message = " ".join(error.format_message().split())
    if isinstance(error, click.NoSuchOption) and error.option_name[1:2].isdigit():
        message = f"a number under 0 ('{error.option_name}...') cannot stand here"
    return f"{name}: {message}{'' if message.endswith(('.', '?')) else '.'} See {name} --help"


def _fault() -> int:
    import traceback

    traceback.print_exc()
    say("rocscope: this is a fault of rocscope, not of your data; please report the lines above")
    return FAULT


class _Terminated(BaseException):
    """SIGTERM came. Not an Exception, so that nothing on the way up takes it for an error of its own."""


@contextmanager
def _termination_raised() -> Iterator[None]:
    """Let SIGTERM unwind the stack as Ctrl-C does, so that temporary files are removed on the way."""

    def terminate(number: int, frame: FrameType | None) -> None:
        raise _Terminated

    try:
        before = signal.signal(signal.SIGTERM, terminate)
    except ValueError:  # not in the main thread: signals are not ours to handle
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
