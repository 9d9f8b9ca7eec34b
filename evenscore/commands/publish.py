"""`evenscore publish`: uploads a metric to the Hub, as a Space."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from evenscore import METRICS, __version__
from evenscore.commands.arguments import metric_name, printable, refuse_others

HELP = "upload a metric to the Hub, as a Space"
DESCRIPTION = "Upload a metric to the Hub, as a Space that evaluate.load reads."
EPILOG = """
The upload replaces the metric's files in the Space and leaves its other files
alone.  It makes no tag.  evaluate.load("NAMESPACE/NAME") then loads the metric
on any machine, without evenscore.

examples:
  evenscore publish bleu_corpus --to NAMESPACE/bleu_corpus --dry-run bleu_corpus
  evenscore publish bleu_corpus --to NAMESPACE/bleu_corpus
"""
_LOGIN = "make one that may write, then run `hf auth login` or set HF_TOKEN"
_REFUSALS = {401: f"the token is not valid: {_LOGIN}", 403: f"the token may not write there: {_LOGIN}"}


def add_arguments(publish: argparse.ArgumentParser) -> None:
    publish.add_argument("metric", type=metric_name, metavar="METRIC", help=", ".join(METRICS))
    owner = "the Space of a user or an organization; made if it does not exist"
    publish.add_argument("--to", required=True, metavar="NAMESPACE/NAME", help=owner)
    instead = "write the files to this new or empty folder, and upload nothing"
    publish.add_argument("--dry-run", type=Path, metavar="DIR", help=instead)


def run(known: argparse.Namespace, others: Sequence[str]) -> str:
    # Imported here, because only this command needs it.
    from evenscore.hub.bundle import bundle, write_files

    refuse_others(others, "publish")
    files = bundle(known.metric, known.to)
    if known.dry_run is not None:
        _check_folder(known.dry_run)
        write_files(files, known.dry_run)
        script = known.dry_run / f"{known.to.rpartition('/')[2]}.py"
        said = f"{known.dry_run}: the {len(files)} files of a Space {known.to}, not uploaded"
        return printable(f'{said}; evaluate.load("{script}") loads them') + "\n"
    url = _upload(files, known.to, f"{known.metric} of evenscore {__version__}")
    return f'{url}: {len(files)} files; evaluate.load("{known.to}") loads them\n'


def _check_folder(folder: Path) -> None:
    """Raise ValueError unless the folder is new or empty and its parent exists; called before anything is written."""
    parent = folder.resolve().parent
    if not parent.is_dir():
        raise ValueError(f"{folder}: there is no folder {parent}: make it first")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file: name a new folder")
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty: name a new folder")


def _upload(files: Mapping[str, bytes], space: str, message: str) -> str:
    """Create the Space if it does not exist, and upload all files in one commit; returns the Space's address."""
    from huggingface_hub import CommitOperationAdd, HfApi, errors, get_token

    token = get_token()
    if token is None:
        raise ValueError(f"no token for the Hub: {_LOGIN}")
    # Such a token cannot be sent, and the resulting error would show it.
    if not (token.isascii() and token.isprintable()):
        raise ValueError(f"{space}: {_REFUSALS[401]} (it has characters that are in no token)")
    api = HfApi(token=token, library_name="evenscore", library_version=__version__)
    additions = [CommitOperationAdd(name, content) for name, content in files.items()]
    try:
        url: str = api.create_repo(space, repo_type="space", space_sdk="gradio", exist_ok=True)
        api.create_commit(space, additions, repo_type="space", commit_message=message)
    except errors.HfHubHTTPError as error:
        status = error.response.status_code
        answer = _without(token, error.server_message or str(error).partition("\n")[0])
        # Not `from error`: a traceback would print the answer as it is.
        raise ValueError(f"{space}: {_REFUSALS.get(status, f'the Hub answers {status}')} ({answer})") from None
    except errors.HTTPError as error:
        raise ValueError(f"{space}: {api.endpoint} cannot be reached ({_without(token, str(error))})") from None
    except (AttributeError, LookupError, TypeError, ValueError):
        # huggingface_hub reads answers without checking them.  The error may hold the answer, so it is not shown.
        raise ValueError(f"{space}: {api.endpoint} does not answer as the Hub does: check HF_ENDPOINT") from None
    return _without(token, url)


def _without(token: str, answer: str) -> str:
    """An answer of the Hub without the token, which a server may repeat, and without control characters."""
    return printable(" ".join(answer.replace(token, "***").split()))
