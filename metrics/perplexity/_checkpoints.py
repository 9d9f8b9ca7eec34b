"""Where the files of a pretrained model come from: a folder, the cache, the hub."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ._model_packages import huggingface_hub


class Checkpoint(NamedTuple):
    """A folder of this machine, or a name on the hub.

    asked_as: the name of the argument that gave it, for messages.
    """

    place: str
    is_folder: bool
    asked_as: str


def checkpoint(given: Any, asked_as: str) -> Checkpoint:
    """The checkpoint that a string or path means.

    Raises ValueError for what looks like a path where no folder is: that is never looked for on the hub.
    """
    if not isinstance(given, (str, os.PathLike)) or not os.fspath(given):
        raise ValueError(f"{asked_as}={given!r}: give a folder, or a name on the hub")
    name = os.fspath(given)
    folder = Path(name).expanduser()
    if folder.is_dir():
        return Checkpoint(str(folder), True, asked_as)
    if isinstance(given, os.PathLike) or _looks_like_path(name):
        found = "is a file" if folder.exists() else "does not exist"
        raise ValueError(
            f"{asked_as}={str(given)!r}: looked for the folder {folder.absolute()}, which {found}; as this is a path, "
            f"the hub was not asked"
        )
    return Checkpoint(name, False, asked_as)


def _looks_like_path(name: str) -> bool:
    """Whether it can be no name on the hub, which is `name` or `owner/name`."""
    return name.startswith((".", "~", "/", os.sep)) or "\\" in name or name.count("/") > 1 or Path(name).exists()


def load_part(loader: Callable[..., Any], source: Checkpoint, **options: Any) -> Any:
    """What a from_pretrained of transformers makes of a checkpoint.

    A folder is read without asking the hub.  A name is looked for in the local cache, then on the hub, unless
    HF_HUB_OFFLINE says not to.  Raises one ValueError that lists every place with what went wrong there.
    """
    failures = []
    for place, local_files_only in _places(source):
        try:
            # Whoever trusts a checkpoint's own code can load it and give the model.
            return loader(source.place, local_files_only=local_files_only, trust_remote_code=False, **options)
        # Parsers, the hub and every architecture raise what they like.
        except Exception as error:
            failures.append(f"{place}: {_one_line(error)}")
    if not source.is_folder:
        failures.insert(0, f"the folder {Path(source.place).absolute()}: does not exist")
        if _is_offline():
            failures.append("the hub: not asked, for HF_HUB_OFFLINE is set")
    tried = "".join(f"\n  {failure}" for failure in failures)
    raise ValueError(f"{source.asked_as}={source.place!r} cannot be loaded; what was tried:{tried}")


def _places(source: Checkpoint) -> list[tuple[str, bool]]:
    """Where to look, in order; each with whether the hub must not be asked."""
    if source.is_folder:
        return [(f"the folder {source.place}", True)]
    return [("the local cache", True)] + [("the hub", False)] * (not _is_offline())


def _is_offline() -> bool:
    return bool(huggingface_hub().constants.HF_HUB_OFFLINE)


def _one_line(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}"
