"""``completion``: the script that teaches a shell to complete our commands."""

import click
from click.shell_completion import get_completion_class


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the completion script: eval "$(broadsheet completion bash)"."""
    completion_class = get_completion_class(shell)
    assert completion_class is not None, shell
    root = ctx.find_root().command
    click.echo(completion_class(root, {}, "broadsheet", "_BROADSHEET_COMPLETE").source())
