"""`covey serve`: the whole path on a local web page."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Annotated, Any

import typer

from covey.cli.command import command, new_app
from covey.cli.session import emit, mode, out, show
from covey.counting import sizes
from covey.errors import InputError, ParameterError

app = new_app()


@command(app, "covey serve", "covey serve --root ~/exports --port 0")
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 picks a free one.")] = 8765,
    root: Annotated[
        Path | None, typer.Option(metavar="DIR", resolve_path=True, help="Folder from which files may be picked.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Where to keep uploads and releases; by default, the user's data folder.",
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")] = True,
    token: Annotated[
        str | None,
        typer.Option(
            help="The token that callers need; it is part of the address that covey prints. Random by default.",
        ),
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Let every user and program on this machine use the page.")
    ] = False,
    max_upload: Annotated[float, typer.Option(min=0, help="Largest upload in GiB.")] = 2.0,
    jobs: Annotated[
        int | None,
        typer.Option(min=1, max=64, help="How many processes may work at the same time; by default, all cores."),
    ] = None,
    memory: Annotated[
        float | None,
        typer.Option(
            min=0.5,
            help="GiB of memory that one job may use; by default, its share of three quarters of the machine's memory.",
        ),
    ] = None,
    clean: Annotated[
        float | None,
        typer.Option(metavar="DAYS", min=0, help="Remove everything older than this many days, and exit."),
    ] = None,
) -> None:
    """Open a local web page that does the whole job: from a file to a verified release, without a terminal.

    Data stays in a folder of this machine. Ctrl-C stops the server; jobs under way are ended.
    """
    from covey.web.listening import address, listen, require_web, run
    from covey.web.settings import GIB, Settings, default_data, default_memory

    require_web()
    from covey.web.app import create_app
    from covey.web.service import Service

    if root is not None and not root.is_dir():
        raise InputError("there is no such folder", file=root, remedy="Give an existing one with --root.")
    parallel = jobs or os.cpu_count() or 1
    settings = Settings(
        data=(data or default_data()).absolute(),
        root=root,
        host=host,
        port=port,
        max_upload=int(max_upload * GIB),
        parallel=parallel,
        memory=default_memory(parallel) if memory is None else int(memory * GIB),
        token=None if no_token else token or secrets.token_urlsafe(24),
    )
    if no_token and (token or not settings.local):
        raise ParameterError(
            "--no-token is for a page that only this machine can reach. Leave out --token and --host, or --no-token."
        )
    if clean is not None:
        _clean(Service(settings), clean)
        return
    sock = listen(settings)
    service = Service(settings)
    url = address(settings, sock.getsockname()[1])

    def ready() -> None:
        if mode.json:
            emit({"url": url, "data": str(settings.data), "token": settings.token})
        else:
            out.print(f"covey is at [bold]{url}[/]", soft_wrap=True)
            out.print(f"Data is kept in {settings.data}. Ctrl-C stops it.", markup=False, soft_wrap=True)
        if browser and not mode.json:
            import webbrowser

            webbrowser.open(url)

    try:
        run(create_app(service), sock, ready)
    finally:
        service.close()


def _clean(service: Any, days: float) -> None:
    try:
        cleaned = service.clean(days)
    finally:
        service.close()
    body = {"jobs": cleaned.releases, "datasets": cleaned.datasets, "bytes": cleaned.bytes}
    what = sizes(releases=cleaned.releases, datasets=cleaned.datasets)
    show(body, [f"{what} removed, {cleaned.bytes:,} bytes freed."])
