"""The command line: parse, call one function, print.

Exit codes are those of `caskg.errors`, and 130 for an interrupt. Results go to
standard output, everything else to standard error. A command is imported when it is called.
"""

import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from caskg import __version__
from caskg.errors import CaskgError
from caskg.interfaces.cli.output import say

EXIT_INTERRUPTED = 130

_COMMANDS = {
    "build": ("build", "Read folders of SKILL.md files and publish their skill graph."),
    "lint": ("lint", "Check SKILL.md files, and say what to do in which line."),
    "query": ("query", "Find the skills for a task, prerequisites first."),
    "eval": ("evaluate", "Measure graphs and the flat hybrid on your own tasks."),
    "judge-check": (
        "judge_check",
        "Find out whether a model can judge, before you pay for a library.",
    ),
    "probe": ("probe", "Ask a language model about the edges, within limits, and publish."),
    "bench": ("bench", "Measure retrieval on tasks whose skills are known."),
    "explain": ("inspect", "Say why an edge is there, or why a skill is in an answer."),
    "show": ("inspect", "Show a skill as it was read, with its edges."),
    "graph": ("inspect", "Write the published graph as JSON, GraphML or DOT."),
    "edge": ("edge", "Confirm or reject an edge, or clear that label."),
    "ledger": ("ledger", "List, sum up, export and prune answers; import labels."),
    "disable": ("switches", "Hide skills from every answer."),
    "enable": ("switches", "Let skills that were disabled be found again."),
    "status": ("versions", "Say what the workspace holds."),
    "history": ("versions", "List the published versions."),
    "rollback": ("versions", "Go back to an earlier version."),
    "repair": ("repair", "Save what can be read of a damaged workspace."),
    "demo": ("demo", "Build the example library and answer three tasks."),
}
"""Each command's module, and what it does, so that ``caskg --help`` imports none of them."""


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"{__name__}.{_COMMANDS[cmd_name][0]}")
        found: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in _COMMANDS.items()])


@click.group(
    cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__)
def cli() -> None:
    """Find the few skills a task needs, in order, with reasons."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line, by default on ``sys.argv``; no traceback for a user's mistake."""
    # Before numpy is imported: other threads would mostly wait, and busily, for the small products of
    # a build, and the last bits of a sum would depend on the number of cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without Unicode must not end a command
    try:
        code = cli.main(arguments, prog_name="caskg", standalone_mode=False)
    except click.UsageError as error:
        code = error.exit_code
        _say_usage(error)
    except click.ClickException as error:  # a file that cannot be opened
        code = error.exit_code
        say(f"caskg: {error.format_message()}.")
    except CaskgError as error:
        code = error.exit_code
        say(f"caskg: {error}")
    except OSError as error:
        code = CaskgError.exit_code
        say(f"caskg: {error}.")
    except (KeyboardInterrupt, click.Abort):
        code = EXIT_INTERRUPTED
        say("caskg: interrupted; what was published before is untouched.")
    sys.exit(code)


def _say_usage(error: click.UsageError) -> None:
    from caskg.providers.secret import hide_keys

    message = error.format_message()
    if error.ctx and message == error.ctx.get_help():  # a group of commands that was given none
        click.echo(message, err=True)
        return
    command = error.ctx.command_path if error.ctx else "caskg"
    say(f"caskg: {hide_keys(message)} See `{command} --help`.")
