"""Python programs in new processes: another working directory, empty caches, no network."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

# evaluate imports the pipelines of transformers for its evaluators, which no program here uses: 4 to 5 s of 7.
# Any try to reach the network ends the program; sockets between its own processes are no network, nor is a server of
# the test's own, at HF_ENDPOINT.
_FIRST = """
import os, socket, sys, urllib.parse
sys.modules["transformers.pipelines"] = None
_own = urllib.parse.urlsplit(os.environ.get("HF_ENDPOINT", ""))
def _watch(event, arguments):
    by_name = event.startswith(("socket.getaddrinfo", "socket.gethostby")) and arguments[0] != _own.hostname
    by_socket = event in ("socket.connect", "socket.sendto") and arguments[0].family != socket.AF_UNIX
    if by_name or (by_socket and arguments[1] != (_own.hostname, _own.port)):
        raise SystemExit(f"{event}: {arguments}")
sys.addaudithook(_watch)
"""


def run_python(program: str, folder: Path, *arguments: str, **environment: str) -> str:
    """What the program prints, run in that folder with a home and caches of its own below it."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "PYTHON", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-c", _FIRST + textwrap.dedent(program), *arguments],
        cwd=folder,
        env={**inherited, "HOME": str(home), "HF_HOME": str(home / "hf"), "HF_EVALUATE_OFFLINE": "1", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
