"""The command line: parse, call one function, print.

Exit codes are those of `caskg.errors`, and 130 for an interrupt. Results go to
standard output, everything else to standard error.
"""

import os
import sys

import click

from caskg.errors import CaskgError
from caskg.interfaces.cli import build, demo, edge, inspect, query, versions

EXIT_INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="caskg")
def cli() -> None:
    """Find the few skills a task needs, in order, with reasons."""


for _command in (
    build.build,
    query.query,
    inspect.explain,
    inspect.show,
    inspect.graph,
    edge.edge,
    versions.status,
    versions.history,
    versions.rollback,
    demo.demo,
):
    cli.add_command(_command)


def main() -> None:
    """Run the command line; no traceback for a user's mistake."""
    try:
        code = cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except CaskgError as error:
        click.echo(f"caskg: {error}", err=True)
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("caskg: interrupted; what was published before is untouched.", err=True)
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`caskg graph | head`): not an error, but stdout must not be flushed again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
