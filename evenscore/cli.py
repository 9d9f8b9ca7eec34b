"""The `evenscore` command."""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from evenscore.commands import compare, ngram, options, publish, report, score, tokenize, tokenizers, train
from evenscore.commands.arguments import printable
from evenscore.options import did_you_mean
from evenscore.version import __version__

# As a shell reports a program that Ctrl-C or a closed pipe has ended.
_INTERRUPTED, _PIPE_CLOSED = 130, 141
_COMMANDS = {
    module.__name__.rpartition(".")[2]: module
    for module in (score, compare, report, options, train, tokenize, tokenizers, ngram, publish)
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status, 2 for input that cannot be scored."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    words = ["--help"] if given == ["help"] else given
    parser = _parser()
    if not words:
        parser.print_help(sys.stderr)
        parser.exit(2)
    command = next((word for word in words if not word.startswith("-")), None)
    if command is not None and command not in _COMMANDS:
        names = ", ".join(_COMMANDS)
        parser.error(f"unknown command {command!r}{did_you_mean(command, _COMMANDS)} Choose one of {names}")
    known, others = parser.parse_known_args(list(_separated(words)))
    try:
        with _long_cells(), warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _write(known.run(known, others))
    except BrokenPipeError:
        # Python flushes once more at its end: give it somewhere to write to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _PIPE_CLOSED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (ValueError, ImportError) as error:
        return _failed(str(error))
    except MemoryError as error:
        said = f" ({error})" if str(error) else ""
        return _failed(f"out of memory{said}: give fewer rows at once, or use a machine with more memory")
    return 0


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells of tables be longer than csv allows by default; the limit holds for the whole process."""
    usual = csv.field_size_limit(2**31 - 1)
    try:
        yield
    finally:
        csv.field_size_limit(usual)


# A program without a console, such as one of pythonw, has no standard output and no standard error.


def _write(text: str) -> None:
    if sys.stdout is not None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _say(message: str) -> None:
    if sys.stderr is not None:
        print(f"evenscore: {printable(message)}", file=sys.stderr)


def _failed(message: str) -> int:
    _say(message)
    return 2


def _show_warning(message: Warning | str, *place: Any, **more: Any) -> None:
    _say(f"warning: {message}")


class _Parser(argparse.ArgumentParser):
    """A parser that tells a misspelt required option, an option with a value too many, and a file without a name."""

    _words: Sequence[str] = ()

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.register("type", Path, _named_path)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self._words = list(sys.argv[1:] if args is None else args)
        known, others = super().parse_known_args(args, namespace)
        if others and not others[0].startswith("-"):
            self._refuse_second(others[0])
        return known, others

    def error(self, message: str) -> NoReturn:
        """End the program with the message, or with the misspelt name of an option that it says is required."""
        named = re.findall(r"--[\w-]+", message) if "required" in message else []
        for word in self._words:
            option = word.partition("=")[0]
            nearest = did_you_mean(option, named, 0.8)
            if option.startswith("--") and option not in self._option_string_actions and nearest != ".":
                super().error(f"unknown option {option!r}{nearest}")
        super().error(message)

    def _refuse_second(self, surplus: str) -> None:
        """End the program if this word stands after the value of an option that takes one."""
        for before, value, word in zip(["", *self._words], self._words, self._words[1:], strict=False):
            option = value.partition("=")[0] if value.startswith("--") and "=" in value else before
            action = self._option_string_actions.get(option)
            if word == surplus and action is not None and action.nargs is None:
                self.error(f"{option} takes one {action.metavar or 'value'}: leave {surplus!r} out")


def _named_path(name: str) -> Path:
    """Return the path of a file. An empty name, as of an unset variable, would be the current folder."""
    if not name:
        raise argparse.ArgumentTypeError("the name is empty: give the name of a file")
    return Path(name)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="evenscore",
        description="Score texts, compare systems, train tokenizers. `evenscore COMMAND --help` explains a command.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"evenscore {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, module in _COMMANDS.items():
        command = commands.add_parser(
            name,
            help=module.HELP,
            usage=getattr(module, "USAGE", None),
            description=module.DESCRIPTION,
            epilog=module.EPILOG,
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser


def _separated(words: Sequence[str]) -> Iterator[str]:
    """`--name=a b` as two words: argparse takes it for a file because of the space."""
    for word in words:
        name, equals, value = word.partition("=")
        yield from (name, value) if word.startswith("--") and equals and " " in word else (word,)
