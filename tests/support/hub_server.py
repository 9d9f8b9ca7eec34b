"""The file endpoints of a Hub of Spaces, on this machine and in memory.

They answer huggingface_hub's create_repo and create_commit, and the requests of evaluate.load.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

# Tokens with the namespace that each may write to.
TOKENS = {"hf_writer": "user", "hf_reader": None}
_COMMIT = "0" * 40


class Hub:
    """Spaces by NAMESPACE/NAME, each its files by their names; every request and every commit that was made.

    echo: if not empty, how every POST is refused; "{}" stands for the Authorization header of the request.
    odd: if not None, the body of the answer to every POST.
    """

    def __init__(self) -> None:
        self.url = self.echo = ""
        self.odd: bytes | None = None
        self.spaces: dict[str, dict[str, bytes]] = {}
        self.requests: list[str] = []
        self.commits: list[str] = []

    def put(self, space: str, folder: Path) -> None:
        """A Space that holds the files of a folder."""
        files = [path for path in folder.rglob("*") if path.is_file()]
        self.spaces[space] = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@contextmanager
def hub_server() -> Iterator[Hub]:
    """A Hub that answers at its url as long as the context lasts."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: Any) -> None:
        pass

    def do_HEAD(self) -> None:
        self._serve_file()

    def do_GET(self) -> None:
        self._serve_file()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        match self._parts():
            case _ if self.hub.echo:
                self._refuse(400, self.hub.echo.format(self.headers["Authorization"]))
            case _ if self.hub.odd is not None:
                self._answer(200, self.hub.odd)
            case ["api", "validate-yaml"]:
                self._validate(json.loads(body))
            case ["api", *_] if self._token() not in TOKENS:
                self._refuse(401, "Invalid username or password.")
            case ["api", "repos", "create"]:
                self._create(json.loads(body))
            case ["api", "spaces", owner, *_] if TOKENS[self._token()] != owner:
                self._refuse(403, "Forbidden: pass a token with write access")
            case ["api", "spaces", owner, name, "preupload", "main"]:
                self._preupload(f"{owner}/{name}", json.loads(body)["files"])
            case ["api", "spaces", owner, name, "commit", "main"]:
                self._commit(f"{owner}/{name}", [json.loads(line) for line in body.splitlines()])
            case _:
                self._refuse(404, "Not Found")

    def _serve_file(self) -> None:
        match self._parts():
            case ["spaces", owner, name, "resolve", "main", *path]:
                content = self.hub.spaces.get(f"{owner}/{name}", {}).get("/".join(path))
                self._answer(200, content) if content is not None else self._refuse(404, "Entry not found")
            case ["api", "spaces", owner, name, *_] if f"{owner}/{name}" in self.hub.spaces:
                self._answer_json({"id": f"{owner}/{name}", "sha": _COMMIT})
            case _:
                self._refuse(404, "Not Found")

    def _create(self, asked: dict[str, Any]) -> None:
        space = f"{asked['organization']}/{asked['name']}"
        address = {"url": f"{self.hub.url}/spaces/{space}", "name": space}
        if TOKENS[self._token()] != asked["organization"]:
            self._refuse(403, f"You don't have the rights to create a Space in {asked['organization']}")
        elif (asked["type"], asked["sdk"]) != ("space", "gradio"):
            self._refuse(400, "not a Space of gradio")
        elif space in self.hub.spaces:
            self._answer_json({"error": "You already created this space repo", **address}, 409)
        else:
            self.hub.spaces[space] = {".gitattributes": b""}
            self._answer_json(address)

    def _validate(self, asked: dict[str, str]) -> None:
        if asked["content"].startswith("---\n"):
            self._answer_json({"errors": [], "warnings": []})
        else:
            self._answer_json({"errors": [{"message": "metadata is missing"}], "warnings": []}, 400)

    def _preupload(self, space: str, files: list[dict[str, str]]) -> None:
        held = {name: _git_blob(content) for name, content in self.hub.spaces[space].items()}
        usual = {"uploadMode": "regular", "shouldIgnore": False}
        self._answer_json({"files": [{"path": file["path"], "oid": held.get(file["path"]), **usual} for file in files]})

    def _commit(self, space: str, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            match line:
                case {"key": "header", "value": {"summary": summary}}:
                    self.hub.commits.append(summary)
                case {"key": "file", "value": {"path": path, "content": content, "encoding": "base64"}}:
                    self.hub.spaces[space][path] = base64.b64decode(content)
        self._answer_json({"commitUrl": f"{self.hub.url}/spaces/{space}/commit/{_COMMIT}", "commitOid": _COMMIT})

    def _parts(self) -> list[str]:
        path = unquote(self.path).partition("?")[0]
        self.hub.requests.append(f"{self.command} {path}")
        return path.strip("/").split("/")

    def _token(self) -> str:
        return self.headers.get("Authorization", "").removeprefix("Bearer ")

    def _refuse(self, status: int, message: str) -> None:
        self._answer_json({"error": message}, status)

    def _answer_json(self, value: Any, status: int = 200) -> None:
        self._answer(status, json.dumps(value).encode())

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("ETag", f'"{_git_blob(content)}"')
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _git_blob(content: bytes) -> str:
    """The name that git has for the content, by which the Hub tells what has changed."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
