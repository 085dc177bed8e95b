"""``lookbench services``: the servers that run beside an edition."""

from pathlib import Path

import typer

from flows.options import Json, Root, Settings, emit, workshop

services = typer.Typer(no_args_is_help=True, help="Start, stop or look at the Label Studio and Prefect servers.")


@services.command("up")
def services_up(root: Root = None, settings: Settings = None, as_json: Json = False) -> None:
    """Start what is not running and wait until it answers."""
    _serve("up", root, settings, as_json)


@services.command("down")
def services_down(root: Root = None, settings: Settings = None, as_json: Json = False) -> None:
    """Stop what was started here."""
    _serve("down", root, settings, as_json)


@services.command("status")
def services_status(root: Root = None, settings: Settings = None, as_json: Json = False) -> None:
    """Say what runs, and where."""
    _serve("status", root, settings, as_json)


def _serve(verb: str, root: str | None, settings: Path | None, as_json: bool) -> None:
    from flows import servers

    status = getattr(servers, verb)(workshop(root, settings))
    emit(status, as_json, "\n".join(f"{name}: {state}" for name, state in status.items()))
